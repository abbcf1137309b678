"""Lists of categories and their weights, value by value."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.transforms.rows import state_of, written

from reclife.errors import DataError
from reclife.transforms.engine.plan import feature_spec

DECLARED = {"kind": "multi_category", "name": "tags", "source": "item", "column": "x"}
VOCABULARY = {"tags": pa.array(["a", "b", "c:d"])}
SUFFIX = {"kind": "suffix"}
COLUMN = {"kind": "column", "column": "w"}


def look(
    values: pa.Array, weights: dict[str, Any] | None = None, given: Any = None
) -> dict[str, list[Any]]:
    declared = {**DECLARED, "max_length": 3, "weights": weights}
    state = state_of(declared, vocabularies=VOCABULARY)
    columns = {"x": values} if given is None else {"x": values, "w": pa.array(given)}
    found: dict[str, list[Any]] = written(state, **columns).to_pydict()
    return found


@pytest.mark.parametrize("as_lists", [False, True])
def test_parts_are_encoded_in_their_order_and_padded_behind(as_lists: bool) -> None:
    texts = ["b|a", "a||new|b|a", "", None]
    values = [text.split("|") if text is not None and as_lists else text for text in texts]
    found = look(pa.array(values, pa.list_(pa.string()) if as_lists else pa.string()))
    assert found == {"tags": [[3, 2, 0], [2, 1, 3], [0, 0, 0], [0, 0, 0]]}


def test_lists_of_numbers_are_categories_too() -> None:
    state = state_of(
        {"max_length": 2, **DECLARED}, vocabularies={"tags": pa.array([70, 2**53 + 1])}
    )
    values = pa.array([[2**53 + 1, 70], [2**53], [None, 70], None], pa.list_(pa.int64()))
    assert written(state, x=values)["tags"].to_pylist() == [[3, 2], [1, 0], [2, 0], [0, 0]]


def test_a_weight_stands_behind_the_last_mark() -> None:
    found = look(pa.array(["b:0.5|a", "c:d:2|new:1e1|b:0", "a:0.25|a|a|a:9", None]), SUFFIX)
    assert found == {
        "tags": [[3, 2, 0], [4, 1, 3], [2, 2, 2], [0, 0, 0]],
        "tags_weights": [[0.5, 1, 0], [2, 10, 0], [0.25, 1, 1], [0, 0, 0]],
    }


@pytest.mark.parametrize("as_lists", [False, True])
def test_weights_of_a_column_belong_to_the_parts_in_their_order(as_lists: bool) -> None:
    texts: list[str | None] = ["b|a", "a|b|new|a", "", None, "a"]
    numbers: list[list[float] | None] = [[0.5, 2.0], [1.0, 0.0, 3.0, 9.0], [], None, None]
    joined = [w if w is None else "|".join(map(str, w)) for w in numbers]
    assert look(pa.array(texts), COLUMN, numbers if as_lists else joined) == {
        "tags": [[3, 2, 0], [2, 3, 1], [0, 0, 0], [0, 0, 0], [2, 0, 0]],
        "tags_weights": [[0.5, 2, 0], [1, 0, 3], [0, 0, 0], [0, 0, 0], [1, 0, 0]],
    }


def test_the_specification_points_from_the_ids_to_their_weights() -> None:
    declared = {**DECLARED, "max_length": 3, "weights": SUFFIX}
    spec = feature_spec(state_of(declared, vocabularies=VOCABULARY), timed=False)
    ids, weights = spec.features
    assert (ids.kind, ids.weights, ids.shape) == ("multi_category", "tags_weights", (3,))
    assert (weights.name, weights.kind, weights.dtype) == ("tags_weights", "weights", "float32")
    assert (weights.table, weights.shape) == (None, (3,))


@pytest.mark.parametrize(
    ("values", "given", "declared", "message"),
    [
        (["a:-1", "b:1"], None, SUFFIX, "tags: column 'x': 1 weight\\(s\\) are negative"),
        (["a:nan|b:inf"], None, SUFFIX, "2 weight\\(s\\) are negative or not finite"),
        (["a:heavy"], None, SUFFIX, "heavy"),
        (["a|b", "a"], ["1", "1"], COLUMN, "column 'w' has another number of weights .* 1 of 2"),
        (["a"], [[-2.0]], COLUMN, "column 'w': 1 weight\\(s\\) are negative"),
    ],
)
def test_what_is_no_weight_is_named(
    values: list[str], given: Any, declared: dict[str, Any], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        look(pa.array(values), declared, given)


def test_the_vocabulary_counts_parts_without_their_weights(spark: Any) -> None:
    from reclife.config.features import FeaturesConfig
    from reclife.transforms.engine.fit import fit

    texts = ["b:0.5|a", "c:d:2|b", "b:9", None, ""]
    items = pa.table({"item_id": np.arange(5), "x": pa.array(texts)})
    items = items.append_column("y", pa.array([t.split("|") if t else None for t in texts]))
    events = pa.table({"user_id": [1] * 5, "item_id": np.arange(5), "label": [1.0] * 5})
    features = [
        {**DECLARED, "max_length": 3, "weights": SUFFIX},
        {**DECLARED, "name": "lists", "column": "y", "max_length": 3},
    ]
    config = FeaturesConfig.model_validate({"split": {"kind": "hash"}, "features": features})
    frames = [spark.createDataFrame(t) for t in (events, items, events.select(["user_id"]))]
    state = fit(*frames, config)
    assert state.vocabularies["tags"].to_pylist() == ["b", "a", "c:d"]
    assert state.vocabularies["lists"].to_pylist() == ["a", "b", "b:0.5", "b:9", "c:d:2"]
