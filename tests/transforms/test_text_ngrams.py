"""N-grams by hand, hashed by the formula."""

from typing import Any

import pyarrow as pa
import pytest
from tests.transforms.rows import state_of, written
from tests.transforms.test_hashed_category import text_hash

from reclife.transforms.engine.plan import feature_spec

TEXT: dict[str, Any] = {
    "kind": "text_ngrams",
    "name": "words",
    "source": "interaction",
    "column": "x",
    "buckets": 1000,
    "max_length": 4,
}


@pytest.mark.parametrize(
    ("changes", "text", "grams"),
    [
        ({}, "The Lord of the Rings", ["the", "lord", "of", "the"]),
        ({}, "  Se7en--(1995) ", ["se7en", "1995"]),
        ({}, "ÄPFEL, 文字", ["äpfel", "文字"]),
        ({"n": 2}, "The Lord of", ["the lord", "lord of"]),
        ({"n": 2}, "Heat", []),
        ({"unit": "char", "n": 3}, "Up  on", ["up ", "p o", " on"]),
        ({"unit": "char", "n": 3}, "Up", []),
        ({}, "", []),
        ({}, "!?", []),
        ({}, None, []),
    ],
)
def test_ngrams_are_hashed_and_padded(
    changes: dict[str, Any], text: str | None, grams: list[str]
) -> None:
    state = state_of({**TEXT, **changes})
    found = written(state, x=pa.array([text, "other words", text], pa.string()))["words"]
    expected = [2 + text_hash(gram) % 1000 for gram in grams] + [0] * (4 - len(grams))
    assert found[0].as_py() == found[2].as_py() == expected


def test_the_schema() -> None:
    spec = feature_spec(state_of(TEXT), timed=True)
    assert spec.feature("words").kind == "multi_category"
    assert spec.feature("words").shape == (4,)
    assert spec.table("words").size == 1002


def test_only_missing_texts() -> None:
    found = written(state_of(TEXT), x=pa.array([None, None], pa.string()))["words"]
    assert found.to_pylist() == [[0] * 4] * 2
