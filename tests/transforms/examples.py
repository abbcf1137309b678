"""A declaration of each kind of feature, and a small world that they all can be computed on."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from reclife.config.features import FeaturesConfig
from reclife.transforms.engine.plan import TRANSFORMS

Declared = dict[str, Any]
ITEM_TITLE = {"source": "item", "column": "title"}
AMOUNT = {"source": "interaction", "column": "amount"}
DEVICE = {"source": "interaction", "column": "device"}
ON_TV = {"column": "device", "equals": ["tv"]}
COUNTRY = {"source": "user", "column": "country"}

EXAMPLES: dict[str, list[Declared]] = {
    "category": [
        {"name": "item", "source": "item", "column": "item_id", "min_count": 2},
        {"name": "country", **COUNTRY, "max_size": 2, "oov_buckets": 3},
    ],
    "multi_category": [
        {"name": "genres", "source": "item", "column": "genres", "max_length": 3},
        {
            "name": "moods",
            "source": "item",
            "column": "moods",
            "max_length": 2,
            "weights": {"kind": "suffix"},
        },
        {
            "name": "studios",
            "source": "item",
            "column": "genres",
            "max_length": 2,
            "weights": {"kind": "column", "column": "shares"},
        },
    ],
    "hashed_category": [{"name": "device_code", **DEVICE, "buckets": 11}],
    "numeric": [
        {"name": "age", "source": "user", "column": "age", "missing": "mean", "standardize": True},
        {
            "name": "paid",
            **AMOUNT,
            "missing": 0,
            "clip": {"maximum": 50},
            "log1p": True,
            "min_max": True,
            "indicator": True,
        },
    ],
    "bucketize": [
        {
            "name": "year",
            "source": "item",
            "column": "year",
            "cut": {"kind": "quantiles", "count": 4},
        },
        {"name": "price", **AMOUNT, "cut": {"kind": "boundaries", "values": [5, 20]}},
        {"name": "price_log", **AMOUNT, "cut": {"kind": "log", "base": 3, "count": 5}},
    ],
    "cross": [{"name": "device_hour", "of": ["device_code", "hour"], "buckets": 40}],
    "date_part": [
        {"name": "hour", "part": "hour", "time_zone": "Asia/Tokyo"},
        {"name": "weekend", "part": "is_weekend", "time_zone": "America/New_York"},
    ],
    "vector": [{"name": "embedding", "source": "item", "column": "embedding", "length": 3}],
    "text_ngrams": [{"name": "words", **ITEM_TITLE, "n": 2, "buckets": 30, "max_length": 3}],
    "mean": [{"name": "user_mean", "by": "user", "strength": 3}],
    "count": [{"name": "item_count", "by": "item"}],
    "recent_mean": [{"name": "item_recent", "by": "item", "half_life": 3, "newest": 4}],
    "affinity": [{"name": "taste", "of": "genres"}],
    "unknown": [{"name": "item_unknown", "by": "item"}],
    "target_encoding": [
        {"name": "item_rate", "of": "item", "strength": 3},
        {"name": "device_hour_rating", "of": "device_hour", "value": "rating"},
        {"name": "year_rate", "of": "year"},
    ],
    "sequence": [
        {"name": "history", "of": "item", "length": 4},
        {"name": "viewing", "of": "item", "length": 3, "session": "6h"},
    ],
    "window": [{"name": "user_hour", "by": "user", "window": "1h", "statistic": "count"}],
    "recency": [{"name": "item_age", "by": "item", "missing": -1}],
    "lag": [{"name": "last_rating", "by": "user", "value": "rating", "missing": 0}],
    "category_sequence": [{"name": "devices", **DEVICE, "length": 4}],
    "gap_sequence": [{"name": "gaps", "length": 4, "where": ON_TV}],
    "dwell_sequence": [{"name": "stays", "length": 4, "cap": "12h", "unknown": -1, "where": ON_TV}],
}
"""Kind -> declarations of that kind, without it."""


def config() -> FeaturesConfig:
    """Return the declaration of all examples."""
    features = [{"kind": kind, **one} for kind in TRANSFORMS for one in EXAMPLES[kind]]
    return FeaturesConfig.model_validate({"split": {"kind": "global_time"}, "features": features})


@dataclass(frozen=True)
class Tables:
    """Events with a row number, items and users."""

    events: pa.Table
    items: pa.Table
    users: pa.Table

    def planted(self, since: int) -> "Tables":
        """Return the world with other events from `since` on, all of unheard-of items and users."""
        late = self.events["timestamp"].to_numpy() >= since
        events = {name: np.array(self.events[name].to_pylist(), object) for name in COLUMNS}
        for name, value in {"label": 1.0, "rating": 0.5, "device": "new", "amount": 1e6}.items():
            events[name][late] = value
        events["item_id"][late] += 900
        events["user_id"][late] += 800
        columns = [pa.array(events[n].tolist(), self.events.schema.field(n).type) for n in COLUMNS]
        items = pa.table(
            {
                "item_id": np.arange(900, 925),
                "genres": ["new"] * 25,
                "moods": ["new:3"] * 25,
                "shares": [[0.5]] * 25,
                "year": [1] * 25,
                "title": ["Quite another title"] * 25,
                "embedding": [[9.0, 9.0, 9.0]] * 25,
            },
            schema=self.items.schema,
        )
        users = pa.table(
            {"user_id": np.arange(800, 812), "country": ["new"] * 12, "age": [999.0] * 12},
            schema=self.users.schema,
        )
        return Tables(
            pa.table(dict(zip(COLUMNS, columns, strict=True))),
            pa.concat_tables([self.items, items]),
            pa.concat_tables([self.users, users]),
        )


COLUMNS = ("row", "user_id", "item_id", "timestamp", "label", "rating", "device", "amount")


def make_tables(seed: int, rows: int = 240) -> Tables:
    """Return a random world with nulls in every attribute; user, item and second are a key."""
    draw = np.random.default_rng(seed)
    amounts = np.round(draw.gamma(1.0, 15.0, rows), 2).tolist()
    amounts[::7] = [None] * len(amounts[::7])
    amounts[3::50] = [float("nan")] * len(amounts[3::50])
    rating = draw.integers(1, 11, rows) / 2
    events = pa.table(
        {
            "row": np.arange(rows),
            "user_id": draw.integers(0, 12, rows),
            "item_id": draw.integers(0, 25, rows),
            "timestamp": 1_710_000_000 + draw.integers(0, 60, rows) * 9_000,
            "label": (rating >= 4).astype(float),
            "rating": rating,
            "device": pa.array(draw.choice(["tv", "phone", "007", None], rows).tolist()),
            "amount": pa.array(amounts, pa.float64()),
        }
    )
    keys = np.stack([events[name].to_numpy() for name in ("user_id", "item_id", "timestamp")])
    events = events.take(np.sort(np.unique(keys, axis=1, return_index=True)[1]))
    items = pa.table(
        {
            "item_id": np.arange(25),
            "genres": pa.array([["a", "b|c", "a|b|c|d", "", None][i % 5] for i in range(25)]),
            "moods": pa.array([["calm:0.5|sad", "sad:2", "", None][i % 4] for i in range(25)]),
            "shares": pa.array(
                [[[1.0], [0.5, 2.0], [1.0, 1.0, 0.0, 3.0], [], None][i % 5] for i in range(25)],
                pa.list_(pa.float64()),
            ),
            "year": pa.array([None if i % 6 == 0 else 1980 + i for i in range(25)], pa.int64()),
            "title": pa.array(
                [None if i % 8 == 0 else f"The Story of {i % 4}" for i in range(25)], pa.string()
            ),
            "embedding": pa.array(
                [None if i % 9 == 0 else [i / 3, -1.0 * i, 0.1] for i in range(25)],
                pa.list_(pa.float64()),
            ),
        }
    )
    users = pa.table(
        {
            "user_id": np.arange(12),
            "country": pa.array([["DE", "FR", "JP", "US", None][u % 5] for u in range(12)]),
            "age": pa.array([None if u % 4 == 0 else 20.5 + u for u in range(12)], pa.float64()),
        }
    )
    return Tables(events, items, users)
