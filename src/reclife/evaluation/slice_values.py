"""The rows of each value, or of each range, of a column.

A slice is called `<what>:<value>`; of texts, blank is missing.
"""

from collections.abc import Collection, Iterable

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from reclife.errors import DataError
from reclife.transforms.kernels.arrays import Ints, floats

Bools = npt.NDArray[np.bool_]
Slices = dict[str, Bools]

OTHER, MISSING = "other", "missing"


def of_values(what: str, values: pa.Array, separator: str | None, most: int) -> Slices:
    """Return the rows of the `most` frequent values, then of all others, `[N]` each."""
    rows, codes, texts = coded(f"slices: {what!r}", values, separator)
    names = [*texts, _free(MISSING, texts)]
    counts = np.bincount(codes, minlength=len(names))
    often = sorted(np.flatnonzero(counts).tolist(), key=lambda code: (-counts[code], names[code]))
    kept = sorted(often[:most], key=lambda code: names[code])
    found = {f"{what}:{names[code]}": _mask(len(values), rows[codes == code]) for code in kept}
    rest = rows[~np.isin(codes, kept)]
    return found | {f"{what}:{_free(OTHER, names)}": _mask(len(values), rest)}


def of_ranges(what: str, values: pa.Array, bounds: Iterable[float]) -> Slices:
    """Return the rows of each range, `[N]` each; those of whole numbers are shown as such.

    Raises:
        DataError: The values are no numbers.
    """
    kinds = (pa.types.is_integer, pa.types.is_floating, pa.types.is_null)
    if not any(kind(values.type) for kind in kinds):
        raise DataError(f"slices: bounds need numbers, {what!r} holds {values.type}.")
    numbers = floats(pa.table({what: values}), what)
    lower = list(bounds)
    group = np.searchsorted(lower, numbers, side="right") - 1
    missing = np.isnan(numbers)
    group[missing] = -2
    found = {f"{what}:below {lower[0]:.15g}": group == -1} if (group == -1).any() else {}
    whole = bool((numbers[~missing] % 1 == 0).all())
    for number, low in enumerate(lower):
        high = lower[number + 1] if number + 1 < len(lower) else None
        found[f"{what}:{_range_name(low, high, whole)}"] = group == number
    return found | {f"{what}:{MISSING}": missing}


def _range_name(low: float, high: float | None, whole: bool) -> str:
    if high is None:
        return f"{low:.15g}+"
    if whole and float(low).is_integer() and float(high).is_integer():
        return f"{low:.15g}" if high - 1 == low else f"{low:.15g}-{high - 1:.15g}"
    return f"{low:.15g} to {high:.15g}"


def coded(where: str, values: pa.Array, separator: str | None) -> tuple[Ints, Ints, list[str]]:
    """Return row and code of every value, and the distinct texts; the code after them is missing.

    A row has several values where it is a list or a separated text, and one at least.

    Raises:
        DataError: The values cannot be shown as texts; the message begins with `where`.
    """
    if pa.types.is_floating(values.type):
        values = pc.if_else(pc.is_nan(values), pa.scalar(None, values.type), values)
    try:
        if pa.types.is_nested(values.type):
            lists = values
        else:
            texts = pc.utf8_trim_whitespace(values.cast(pa.string()))
            lists = None if separator is None else pc.split_pattern(texts, separator)
        if lists is not None:
            lengths = np.asarray(pc.fill_null(pc.list_value_length(lists), 0), np.int64)
            texts = pc.utf8_trim_whitespace(lists.flatten().cast(pa.string()))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise DataError(
            f"{where} holds {values.type}, which cannot be shown as texts; choose a "
            "column of texts, numbers or lists of them."
        ) from None
    encoded = pc.replace_with_mask(texts, pc.equal(texts, ""), pa.scalar(None, pa.string()))
    encoded = encoded.dictionary_encode()
    names = encoded.dictionary.to_pylist()
    codes = np.asarray(pc.fill_null(encoded.indices, len(names)), np.int64)
    if lists is None:
        return np.arange(len(codes)), codes, names
    rows = np.repeat(np.arange(len(lengths)), lengths)
    if separator is not None:  # what lies between two separators is no value
        rows, codes = rows[codes < len(names)], codes[codes < len(names)]
    empty = np.flatnonzero(np.bincount(rows, minlength=len(values)) == 0)
    return (
        np.concatenate([rows, empty]),
        np.concatenate([codes, np.full(len(empty), len(names))]),
        names,
    )


def _free(word: str, taken: Collection[str]) -> str:
    """Return the word, in brackets where a value is called like it."""
    while word in taken:
        word = f"({word})"
    return word


def _mask(rows: int, members: Ints) -> Bools:
    mask = np.zeros(rows, np.bool_)
    mask[members] = True
    return mask
