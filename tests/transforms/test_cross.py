"""A cross by its formula in Python's own integers."""

from typing import Any

import pyarrow as pa
import pytest
from tests.transforms.rows import state_of, written
from tests.transforms.test_hashed_category import WORD, splitmix

from reclife.transforms.bucketize import as_vocabulary
from reclife.transforms.engine.plan import feature_spec

WHERE: dict[str, Any] = {"kind": "category", "name": "place", "source": "user", "column": "user_id"}
WHEN: dict[str, Any] = {
    "kind": "bucketize",
    "name": "age",
    "source": "interaction",
    "column": "x",
    "cut": {"kind": "boundaries", "values": [3]},
}
WHAT: dict[str, Any] = {
    "kind": "hashed_category",
    "name": "code",
    "source": "interaction",
    "column": "y",
    "buckets": 50,
}


@pytest.mark.parametrize("of", [["place", "age"], ["age", "place"], ["place", "age", "code"]])
def test_ids_follow_the_formula(of: list[str]) -> None:
    cross = {"kind": "cross", "name": "both", "of": of, "buckets": 1000}
    state = state_of(
        WHERE,
        WHEN,
        WHAT,
        cross,
        vocabularies={"place": pa.array([0, 1, 2]), "age": as_vocabulary([3.0])},
    )
    found = written(
        state, x=pa.array([1.0, 5.0, None, 5.0]), y=pa.array(["a", "b", "c", None])
    ).to_pylist()
    for row in found:
        mixed = 0
        for name in of:
            mixed = splitmix(mixed ^ splitmix(row[name]))
        unknown = 1 in [row[name] for name in of]
        assert row["both"] == (1 if unknown else 2 + mixed % WORD % 1000)
    assert [row["both"] == 1 for row in found] == [False, False, True, True]
    spec = feature_spec(state, timed=True)
    assert spec.table("both").size == 1002
    assert spec.feature("both").role == "context"


def test_members_of_one_side_give_its_role() -> None:
    other = {**WHERE, "kind": "hashed_category", "name": "other", "buckets": 5}
    cross = {"kind": "cross", "name": "both", "of": ["place", "other"], "buckets": 9}
    state = state_of(WHERE, other, cross, vocabularies={"place": pa.array([0])})
    assert feature_spec(state, timed=True).feature("both").role == "user"
