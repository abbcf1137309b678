"""Hashes are those published, and ids those of the formula."""

import hashlib

import numpy as np
import pyarrow as pa
import pytest
from tests.transforms.rows import state_of, written

from reclife.errors import DataError
from reclife.transforms.engine.plan import feature_spec
from reclife.transforms.kernels.arrays import scramble, value_hashes

SPLITMIX_1234567 = [
    6457827717110365317,
    3203168211198807973,
    9817491932198370423,
    4593380528125082431,
    16408922859458223821,
]
"""The first numbers of splitmix64 from the seed 1234567, as Rosetta Code publishes them."""
B2SUM = {"abc": "d8bb14d833d59559", "": "e4a6a0577479b2b4", "Äpfel 文": "4b7860e17146b382"}
"""What `printf TEXT | b2sum --length=64` of GNU coreutils prints."""
WORD = 2**64
HASHED = {
    "kind": "hashed_category",
    "name": "code",
    "source": "interaction",
    "column": "x",
    "buckets": 7,
}


def splitmix(value: int) -> int:
    """Return one step of splitmix64 in Python's own integers."""
    mixed = (value + 0x9E3779B97F4A7C15) % WORD
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB % WORD
    return mixed ^ (mixed >> 31)


def text_hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def test_numbers_hash_as_published() -> None:
    seeds = [(1234567 + step * 0x9E3779B97F4A7C15) % WORD for step in range(5)]
    assert [splitmix(seed) for seed in seeds] == SPLITMIX_1234567
    assert scramble(np.array(seeds, np.uint64)).tolist() == SPLITMIX_1234567
    assert value_hashes(pa.array([1234567])).tolist() == SPLITMIX_1234567[:1]


def test_texts_hash_as_b2sum_prints() -> None:
    expected = [int.from_bytes(bytes.fromhex(digest), "little") for digest in B2SUM.values()]
    assert value_hashes(pa.array(list(B2SUM))).tolist() == expected
    assert value_hashes(pa.array([*B2SUM], pa.large_string())).tolist() == expected


def test_ids_follow_the_formula_and_null_is_one() -> None:
    numbers = [0, 1, 2, -5, 2**53, 2**53 + 1, 2**63 - 1, None]
    found = written(state_of(HASHED), x=pa.array(numbers, pa.int64()))["code"].to_pylist()
    assert found == [2 + splitmix(n % WORD) % 7 if n is not None else 1 for n in numbers]
    texts = ["", "7", "007", "文", None, "7"]
    found = written(state_of(HASHED), x=pa.array(texts))["code"].to_pylist()
    assert found == [2 + text_hash(t) % 7 if t is not None else 1 for t in texts]


def test_buckets_fill_evenly() -> None:
    """A thousand values a bucket: all lie within five deviations of a binomial draw."""
    found = written(state_of(HASHED), x=pa.array(np.arange(7000)))["code"].to_numpy()
    counts = np.bincount(found, minlength=9)
    assert counts[:2].tolist() == [0, 0]
    assert np.abs(counts[2:] - 1000).max() < 5 * (7000 / 7 * 6 / 7) ** 0.5


def test_the_table_has_a_row_per_bucket_and_the_reserved_ones() -> None:
    spec = feature_spec(state_of(HASHED), timed=True)
    assert spec.table("code").size == 9
    other = feature_spec(state_of({**HASHED, "buckets": 8}), timed=True)
    assert spec.table("code").vocabulary_hash != other.table("code").vocabulary_hash


def test_numbers_with_a_fraction_are_refused() -> None:
    with pytest.raises(DataError, match="double"):
        written(state_of(HASHED), x=pa.array([0.5]))
