"""Seeds: one stream a use, the same everywhere."""

import hashlib

from reclife.runtime.seeds import derive


def test_it_is_the_top_31_bits_of_the_hash_of_seed_and_names() -> None:
    expected = int(hashlib.sha256(b"7\x1fshuffle\x1f3").hexdigest()[:8], 16) >> 1
    assert derive(7, "shuffle", 3) == expected


def test_uses_are_independent() -> None:
    drawn = {derive(0, "a"), derive(0, "b"), derive(1, "a"), derive(0, "a", 1), derive(0, "a", 2)}
    assert len(drawn) == 5
