"""The user's mean in an item's one category."""

import pyarrow as pa
import pytest

from reclife.config.features import FeaturesConfig
from reclife.transforms.engine.requests import features_for
from reclife.transforms.state import FeatureState

PRIOR, STRENGTH = 0.25, 2


@pytest.fixture
def state() -> FeatureState:
    """Shelves `a` and `b` are known, others are not."""
    shelf = {"kind": "category", "name": "shelf", "source": "item", "column": "shelf"}
    taste = {"kind": "affinity", "name": "taste", "of": "shelf", "strength": STRENGTH}
    config = FeaturesConfig.model_validate(
        {"split": {"kind": "global_time"}, "features": [shelf, taste]}
    )
    return FeatureState(config, {"shelf": pa.array(["a", "b"])}, {"mean:event:label": PRIOR})


def test_an_affinity_of_a_single_category(state: FeatureState) -> None:
    items = pa.table({"item_id": [1, 2, 3, 4, 5], "shelf": ["a", "a", "b", "other", None]})
    users = pa.table({"user_id": [7, 8]})
    events = pa.table(
        {
            "user_id": [7, 7, 7, 7, 8],
            "item_id": [1, 2, 3, 4, 1],
            "timestamp": [10, 20, 30, 40, 15],
            "label": [1.0, 1.0, 0.0, 1.0, 0.0],
        }
    )
    requests = pa.table(
        {"user_id": [7] * 4 + [8, 9], "item_id": [1, 3, 4, 5, 2, 1], "timestamp": [100] * 6}
    )
    found = features_for(requests, events, items, users, state, item_cut=None)
    mine = (3 + STRENGTH * PRIOR) / (4 + STRENGTH)  # user 7, all shelves
    theirs = (0 + STRENGTH * PRIOR) / (1 + STRENGTH)  # user 8
    expected = [
        (2 + STRENGTH * mine) / (2 + STRENGTH),  # twice in a, both liked
        (0 + STRENGTH * mine) / (1 + STRENGTH),  # once in b, not liked
        mine,  # a shelf outside the vocabulary
        mine,  # no shelf
        (0 + STRENGTH * theirs) / (1 + STRENGTH),
        PRIOR,  # a user without events
    ]
    for name in ("taste_mean", "taste_max"):
        assert found[name].to_pylist() == pytest.approx(expected, 1e-6)
