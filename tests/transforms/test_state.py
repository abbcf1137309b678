"""The fitted state survives being written, and encodes exactly."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from reclife.errors import ArtifactError
from reclife.transforms.engine.plan import feature_spec
from reclife.transforms.state import FeatureState


def test_a_saved_state_is_the_same_state(make_world: Callable[..., Any], tmp_path: Path) -> None:
    state = make_world(0).state
    state.save(tmp_path)
    loaded = FeatureState.load(tmp_path)
    assert loaded.hash == state.hash
    assert loaded.config == state.config
    assert loaded.statistics == state.statistics
    assert feature_spec(loaded, timed=True) == feature_spec(state, timed=True)


def test_a_damaged_state_is_refused(make_world: Callable[..., Any], tmp_path: Path) -> None:
    make_world(0).state.save(tmp_path)
    (tmp_path / "vocabularies" / "item.parquet").unlink()
    with pytest.raises(ArtifactError, match="feature state"):
        FeatureState.load(tmp_path)


@pytest.mark.parametrize(
    "vocabulary",
    [
        pa.array([2**53 + 1, 0, 1, 2**63 - 1, -5], pa.int64()),
        pa.array(["007", "7", "", "文", "9007199254740993"], pa.string()),
    ],
)
def test_ids_are_told_apart_exactly(
    make_world: Callable[..., Any], tmp_path: Path, vocabulary: pa.Array
) -> None:
    state = replace(make_world(0).state, vocabularies={"item": vocabulary})
    state.save(tmp_path)
    loaded = FeatureState.load(tmp_path)
    other = 2**53 if pa.types.is_integer(vocabulary.type) else "unseen"
    asked = pa.array([*vocabulary.to_pylist(), None, other], vocabulary.type)
    assert loaded.encode("item", asked).tolist() == [2, 3, 4, 5, 6, 1, 1]
    assert loaded.table_size("item") == 7


def test_the_hash_sees_order_and_statistics(make_world: Callable[..., Any]) -> None:
    state = make_world(0).state
    turned = {**state.vocabularies, "item": state.vocabularies["item"][::-1]}
    assert replace(state, vocabularies=turned).hash != state.hash
    assert (
        replace(state, statistics={**state.statistics, "mean:event:label": 0.5}).hash != state.hash
    )


def test_the_specification_shares_the_item_table(make_world: Callable[..., Any]) -> None:
    spec = feature_spec(make_world(0).state, timed=True)
    assert spec.feature("history").table == spec.feature("item").table == "item"
    assert spec.feature("history").shape == (5,)
    assert spec.table("item").size == 22
    assert spec.feature("affinity_max").dtype == "float32"
    assert [t.name for t in spec.tables] == ["item", "genres"]
