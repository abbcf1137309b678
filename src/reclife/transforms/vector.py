"""`kind: vector`: a list of numbers passes through, its length checked."""

from collections.abc import Mapping
from typing import final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reclife.config.encodings import VectorFeature
from reclife.contracts import Feature
from reclife.errors import DataError
from reclife.transforms.base import Transform, attached, role_of
from reclife.transforms.kernels.arrays import column, lists
from reclife.transforms.kernels.frame import Frame


@final
class Vector(Transform):
    """The numbers as they are; all 0 where there is no vector.

    Raises:
        DataError: A vector has another length, or holds what is no finite number.
    """

    def __init__(self, declaration: VectorFeature) -> None:
        self._declaration = declaration
        self.request_attributes = frozenset({(declaration.source, declaration.column)})

    def features(self) -> tuple[Feature, ...]:
        """Return one list of float32."""
        return (
            Feature(
                name=self._declaration.name,
                role=role_of(self._declaration.source),
                kind="vector",
                dtype="float32",
                shape=(self._declaration.length,),
            ),
        )

    def compute(self, frame: Frame) -> Mapping[str, pa.Array]:
        """Return the vectors, [M, L]."""
        name = attached(self._declaration.source, self._declaration.column)
        rows = _as_lists(column(frame.requests, name))
        if not (pa.types.is_list(rows.type) or pa.types.is_large_list(rows.type)):
            raise DataError(f"{self._where} holds {rows.type}, expected lists of numbers")
        present = rows.is_valid().to_numpy(zero_copy_only=False)
        lengths = pc.list_value_length(rows.drop_null()).to_numpy(zero_copy_only=False)
        self._check("vector(s) of another length", lengths != self._declaration.length)
        try:
            flat = pc.list_flatten(rows).cast(pa.float64(), safe=False)
        except pa.ArrowInvalid as problem:
            raise DataError(f"{self._where}: {problem}") from problem
        values = flat.to_numpy(zero_copy_only=False).reshape(-1, self._declaration.length)
        self._check("vector(s) with nulls, NaN or infinity", ~np.isfinite(values).all(axis=1))
        result = np.zeros((len(rows), self._declaration.length), np.float32)
        result[present] = values
        return {self._declaration.name: lists(result)}

    @property
    def _where(self) -> str:
        return f"{self._declaration.name}: column {self._declaration.column!r}"

    def _check(self, what: str, wrong: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> None:
        if wrong.any():
            raise DataError(
                f"{self._where} has {int(wrong.sum())} {what} among {len(wrong)} rows; "
                f"declared are {self._declaration.length} numbers"
            )


def _as_lists(values: pa.Array) -> pa.Array:
    """Return lists of numbers; a text such as `[0.5, 1]` or `0.5,1` is one, an empty one null."""
    if pa.types.is_fixed_size_list(values.type):
        return values.cast(pa.list_(values.type.value_type))
    if not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
        return values
    plain = pc.utf8_trim(pc.replace_substring_regex(values, r"\s+", ""), characters="[]")
    return pc.split_pattern(pc.if_else(pc.equal(plain, ""), None, plain), pattern=",")
