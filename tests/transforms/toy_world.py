"""Small made-up worlds: events with many ties, items with categories, a state fitted by hand."""

import numpy as np
import pyarrow as pa

from reclife.config.features import FeaturesConfig
from reclife.transforms.state import FeatureState

FEATURES = [
    {"kind": "category", "name": "item", "source": "item", "column": "item_id"},
    {
        "kind": "multi_category",
        "name": "genres",
        "source": "item",
        "column": "genres",
        "max_length": 3,
    },
    {"kind": "numeric", "name": "age", "source": "user", "column": "age", "missing": 30},
    {"kind": "unknown", "name": "item_unknown", "by": "item"},
    {"kind": "mean", "name": "user_mean", "by": "user", "strength": 3},
    {"kind": "mean", "name": "item_rating", "by": "item", "value": "rating", "strength": 2},
    {"kind": "count", "name": "user_count", "by": "user"},
    {"kind": "count", "name": "item_count", "by": "item"},
    {
        "kind": "recent_mean",
        "name": "user_recent",
        "by": "user",
        "half_life": 2,
        "newest": 4,
        "strength": 1.5,
    },
    {
        "kind": "recent_mean",
        "name": "item_recent",
        "by": "item",
        "half_life": 3,
        "newest": 5,
        "strength": 1,
    },
    {"kind": "affinity", "name": "affinity", "of": "genres", "strength": 2},
    {"kind": "sequence", "name": "history", "of": "item", "length": 5},
]
GENRES = ["", "a", "b|c", "a|b|c|d", "d|e", "never", None]


class World:
    """Events, items and users drawn at random; a third of the events share their second."""

    def __init__(self, seed: int, rows: int = 300, *, text_ids: bool = False) -> None:
        draw = np.random.default_rng(seed)
        users, items = draw.integers(0, 12, rows), draw.integers(0, 25, rows)
        times = draw.integers(0, rows // 4, rows) + 1_000_000
        kept = np.unique(np.stack([users, items, times]), axis=1, return_index=True)[1]
        kept = draw.permutation(kept)
        rating = draw.integers(1, 11, rows)[kept] / 2
        self.events = pa.table(
            {
                "user_id": _ids(users[kept], "u", text=text_ids),
                "item_id": _ids(items[kept], "i", text=text_ids),
                "timestamp": pa.array(times[kept]),
                "rating": pa.array(rating),
                "label": pa.array((rating >= 4).astype(float)),
            }
        )
        self.items = pa.table(
            {
                "item_id": _ids(np.arange(25), "i", text=text_ids),
                "genres": pa.array([GENRES[i % len(GENRES)] for i in range(25)], pa.string()),
            }
        )
        self.users = pa.table(
            {
                "user_id": _ids(np.arange(12), "u", text=text_ids),
                "age": pa.array([None if u % 3 == 0 else 20.0 + u for u in range(12)]),
            }
        )
        known = pa.array(self.items["item_id"].to_pylist()[:20])
        self.state = FeatureState(
            FeaturesConfig.model_validate({"split": {"kind": "global_time"}, "features": FEATURES}),
            {"item": known, "genres": pa.array(["c", "a", "d", "b"])},
            {"mean:event:label": 0.4, "mean:event:rating": 2.75},
        )


def _ids(numbers: np.ndarray, prefix: str, *, text: bool) -> pa.Array:
    if text:
        return pa.array([f"{prefix}{number}" for number in numbers], pa.string())
    return pa.array(numbers.astype(np.int64))
