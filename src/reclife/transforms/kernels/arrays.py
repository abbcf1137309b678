"""Small conversions between Arrow columns and numpy arrays."""

from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from reclife.errors import DataError

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Hashes = npt.NDArray[np.uint64]


def column(table: pa.Table, name: str) -> pa.Array:
    """Return the column `name` as one contiguous Arrow array."""
    chunks = table[name]
    return chunks.chunk(0) if chunks.num_chunks == 1 else chunks.combine_chunks()


def ints(table: pa.Table, name: str) -> Ints:
    """Return an integer column without nulls, [N]."""
    values: Ints = column(table, name).to_numpy(zero_copy_only=False).astype(np.int64, copy=False)
    return values


def floats(table: pa.Table, name: str) -> Floats:
    """Return a numeric column as float64, null as NaN, [N]."""
    values = column(table, name).cast(pa.float64(), safe=False)
    result: Floats = values.to_numpy(zero_copy_only=False)
    return result


def positions(values: pa.Array, among: pa.Array) -> Ints:
    """Return where each value stands in the distinct values `among`, -1 for nowhere or null."""
    found = pc.index_in(values.cast(among.type), value_set=among, skip_nulls=True)
    result: Ints = pc.fill_null(found, -1).to_numpy(zero_copy_only=False).astype(np.int64)
    return result


def lists(matrix: npt.NDArray[Any]) -> pa.ListArray:
    """Return the rows of an [N, L] matrix as an array of lists of the same type."""
    rows, length = matrix.shape
    offsets = pa.array(np.arange(rows + 1, dtype=np.int32) * np.int32(length))
    return pa.ListArray.from_arrays(offsets, pa.array(matrix.reshape(-1)))


def bucket_ids(hashes: Hashes, buckets: int, first: int) -> Ints:
    """Return first + hash mod buckets, [N]."""
    return (hashes % np.uint64(buckets)).astype(np.int64) + first


def number_column(values: npt.NDArray[Any]) -> pa.Array:
    """Return numbers as a float32 column."""
    return pa.array(values.astype(np.float32))


def hash_of(table: pa.Table, names: tuple[str, ...]) -> Hashes:
    """Return a 64-bit hash of the named columns per row, the same in every process.

    The columns' own hashes are combined one after the other, so that their order matters.
    """
    mixed = np.zeros(table.num_rows, np.uint64)
    for name in names:
        mixed = scramble(mixed ^ value_hashes(column(table, name)))
    return mixed


def scramble(values: Hashes) -> Hashes:
    """Return well mixed bits: one step of splitmix64 (Steele, Lea & Flood 2014)."""
    mixed = values + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def value_hashes(values: pa.Array) -> Hashes:
    """Return a 64-bit hash per value, [N], the same on every machine; a null's says nothing.

    An integer's is `scramble` of its 64 bits (two's complement). A text's is the BLAKE2b digest of
    8 bytes (RFC 7693) of its UTF-8, read as a little-endian number.

    Raises:
        DataError: The values are neither integers nor texts.
    """
    if pa.types.is_integer(values.type):
        numbers: Ints = pc.fill_null(values.cast(pa.int64()), 0).to_numpy(zero_copy_only=False)
        return scramble(numbers.view(np.uint64))
    if not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
        raise DataError(f"only int64 and string can be hashed, not {values.type}")
    values = pc.fill_null(values, "")
    distinct = pc.unique(values)
    digests = (blake2b(text.encode(), digest_size=8).digest() for text in distinct.to_pylist())
    return np.frombuffer(b"".join(digests), "<u8")[positions(values, distinct)]
