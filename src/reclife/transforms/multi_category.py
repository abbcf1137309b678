"""`kind: multi_category`: a text of several parts, or a list, becomes a padded list of ids."""

from collections.abc import Mapping
from typing import final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reclife.config.attributes import MultiCategoryFeature, WeightsColumn
from reclife.contracts import PADDING_ID, Feature
from reclife.errors import DataError
from reclife.transforms.base import Transform, attached
from reclife.transforms.kernels.arrays import Floats, Ints, column, lists, positions
from reclife.transforms.kernels.frame import Frame
from reclife.transforms.kernels.parts import Parts, is_list, parts_of, without_suffix
from reclife.transforms.state import FeatureState


@final
class MultiCategory(Transform):
    """Ids of the first `max_length` parts, in their order, padded behind; weights alike.

    Raises:
        DataError: A weight is no finite number from 0, or there are not as many as parts.
    """

    def __init__(self, declaration: MultiCategoryFeature, state: FeatureState) -> None:
        self._declaration = declaration
        self._state = state
        self.request_attributes = frozenset(declaration.reads)

    def features(self) -> tuple[Feature, ...]:
        """Return one list of int64 and, where declared, one of float32."""
        declaration = self._declaration
        role, shape = declaration.source, (declaration.max_length,)
        name, *weights = declaration.outputs
        ids = Feature(
            name=name,
            role=role,
            kind="multi_category",
            dtype="int64",
            shape=shape,
            table=declaration.table or name,
            weights=weights[0] if weights else None,
        )
        return (
            ids,
            *(
                Feature(name=w, role=role, kind="weights", dtype="float32", shape=shape)
                for w in weights
            ),
        )

    def compute(self, frame: Frame) -> Mapping[str, pa.Array]:
        """Return the ids and, where declared, the weights, [M, L] each."""
        declaration = self._declaration
        texts = column(frame.requests, attached(declaration.source, declaration.column))
        columns = {declaration.name: lists(encode_parts(texts, declaration, self._state))}
        if declaration.weights:
            if declaration.weights.kind == "column":
                weights = self._beside(texts, frame, declaration.weights)
            else:
                weights = self._inside(texts, declaration.weights.mark)
            columns[declaration.outputs[1]] = lists(weights.astype(np.float32))
        return columns

    def _inside(self, texts: pa.Array, mark: str) -> Floats:
        """Return the weights that stand behind the parts, 1 where none does, [M, L]."""
        parts, rows = _distinct_parts(texts, self._declaration.separator)
        found = pc.replace_substring_regex(parts.texts, rf"(?s)^.*\Q{mark}\E", "")
        marked = pc.match_substring(parts.texts, mark)
        weights = self._numbers(pc.if_else(marked, found, "1"), self._declaration.column)
        result: Floats = parts.padded(weights, 0.0, self._declaration.max_length)[rows]
        return result

    def _beside(self, texts: pa.Array, frame: Frame, declared: WeightsColumn) -> Floats:
        """Return the weights of a column of their own, all 1 where it is null, [M, L]."""
        parts = parts_of(texts, self._declaration.separator)
        values = column(frame.requests, attached(self._declaration.source, declared.column))
        given = parts_of(values, self._declaration.separator)
        said = values.is_valid().to_numpy(zero_copy_only=False)
        wrong = said & (given.lengths != parts.lengths)
        if wrong.any():
            raise DataError(
                f"{self._where(declared.column)} has another number of weights than "
                f"{self._declaration.column!r} has parts in {int(wrong.sum())} of {len(wrong)} rows"
            )
        weights = np.ones(len(parts.owners))
        weights[said[parts.owners]] = self._numbers(given.texts, declared.column)
        padded: Floats = parts.padded(weights, 0.0, self._declaration.max_length)
        return padded[:-1]

    def _numbers(self, given: pa.Array, source: str) -> Floats:
        """Return weights as numbers; `source` is the column that they come from."""
        try:
            weights: Floats = given.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        except pa.ArrowInvalid as problem:
            raise DataError(f"{self._where(source)}: {problem}") from problem
        wrong = ~np.isfinite(weights) | (weights < 0)
        if wrong.any():
            raise DataError(
                f"{self._where(source)}: {int(wrong.sum())} weight(s) are negative or not finite"
            )
        return weights

    def _where(self, name: str) -> str:
        return f"{self._declaration.name}: column {name!r}"


def encode_parts(texts: pa.Array, declaration: MultiCategoryFeature, state: FeatureState) -> Ints:
    """Return the ids of the parts of each value, [N, L]; one without parts is all padding."""
    parts, rows = _distinct_parts(texts, declaration.separator)
    values = without_suffix(parts.texts, declaration.mark)
    ids = state.encode(declaration.table or declaration.name, values)
    result: Ints = parts.padded(ids, PADDING_ID, declaration.max_length)[rows]
    return result


def _distinct_parts(values: pa.Array, separator: str) -> tuple[Parts, Ints]:
    """Return the parts of the distinct values, and which of them each value is, -1 for a null.

    Lists have no distinct values: each stands for itself.
    """
    if is_list(values.type):
        return parts_of(values, separator), np.arange(len(values))
    distinct = pc.unique(values.cast(pa.string()).drop_null())
    return parts_of(distinct, separator), positions(values, distinct)
