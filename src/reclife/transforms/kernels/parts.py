"""The parts of values that hold several: texts with separators, or lists."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from reclife.transforms.kernels.arrays import Ints


class Parts(NamedTuple):
    """The parts of N values that are not empty, value by value, [P] each.

    Attributes:
        owners: Which of the N values each part belongs to.
        texts: The parts themselves, texts or numbers.
        size: N.
    """

    owners: Ints
    texts: pa.Array
    size: int

    @property
    def lengths(self) -> Ints:
        """How many parts each value has, [N]."""
        return np.bincount(self.owners, minlength=self.size).astype(np.int64)

    def padded(self, values: npt.NDArray[Any], padding: float, length: int) -> npt.NDArray[Any]:
        """Return the first `length` of one value per part, padded behind, [N + 1, L].

        The last row, all padding, is that of a null.
        """
        rank = np.arange(len(self.owners)) - np.searchsorted(self.owners, self.owners)
        kept = rank < length
        result = np.full((self.size + 1, length), padding, values.dtype)
        result[self.owners[kept], rank[kept]] = values[kept]
        return result


def is_list(kind: pa.DataType) -> bool:
    """Return whether a column holds lists."""
    return pa.types.is_list(kind) or pa.types.is_large_list(kind)


def parts_of(values: pa.Array, separator: str) -> Parts:
    """Return the parts of texts or of lists; a null has none."""
    if not is_list(values.type):
        values = pc.split_pattern(values.cast(pa.string()), pattern=separator)
    owners = pc.list_parent_indices(values).to_numpy(zero_copy_only=False)
    flat = pc.list_flatten(values)
    full = pc.fill_null(pc.not_equal(flat.cast(pa.string()), ""), False)
    kept = full.to_numpy(zero_copy_only=False)
    return Parts(owners[kept].astype(np.int64), flat.filter(full), len(values))


def without_suffix(parts: pa.Array, mark: str | None) -> pa.Array:
    """Return the parts up to the last `mark`, whole where there is none."""
    if mark is None:
        return parts
    return pc.replace_substring_regex(parts, rf"(?s)^(.*)\Q{mark}\E.*$", r"\1")
