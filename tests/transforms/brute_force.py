"""The look-back features in plain Python: every event of the log is asked whether it counts."""

import math
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from reclife.config.features import FeaturesConfig
from reclife.transforms.state import FeatureState

Row = dict[str, Any]
HOUR, DAY = 3_600, 86_400
WINDOWS = {"1h": HOUR, "1d": DAY, "all": None}
KEYS = {"user": ("user_id",), "item": ("item_id",), "user_item": ("user_id", "item_id")}
TYPES = ["view", "click", "buy"]
GENRES = ["a", "b|c", "a|d", None, "never|b", "d|c|a|b"]
PRIORS = {"mean:event:label": 0.4, "mean:event:rating": 2.75}
CLICKS = {"column": "event", "equals": ["click", "buy"]}
STATISTICS: dict[str, Row] = {
    "n": {"statistic": "count"},
    "log_n": {"statistic": "count", "log1p": True},
    "clicks": {"statistic": "count", "where": CLICKS},
    "ctr": {"statistic": "rate", "where": CLICKS, "empty": 0.25},
    "sum": {"statistic": "sum", "value": "rating"},
    "mean": {"statistic": "mean", "value": "rating", "empty": -1.0},
    "clicked": {"statistic": "mean", "value": "rating", "where": CLICKS},
}


def declarations() -> Iterator[Row]:
    """Yield every kind that looks back, windows of every length by every key."""
    item = {"source": "item", "column": "item_id"}
    yield {"kind": "category", "name": "item", **item}
    genres = {"source": "item", "column": "genres", "max_length": 3}
    yield {"kind": "multi_category", "name": "genres", **genres}
    for by in KEYS:
        for window in WINDOWS:
            for name, statistic in STATISTICS.items():
                named = {"name": f"{by}_{name}_{window}", "by": by, "window": window}
                yield {"kind": "window", **named, **statistic}
        yield {"kind": "recency", "name": f"{by}_recency", "by": by, "missing": -1}
        yield {"kind": "lag", "name": f"{by}_lag", "by": by, "value": "rating", "missing": -2}
        yield {"kind": "lag", "name": f"{by}_third", "by": by, "back": 3, "missing": 9}
    for by in ("user", "item"):
        yield {"kind": "unknown", "name": f"{by}_unknown", "by": by}
        yield {"kind": "count", "name": f"{by}_count", "by": by}
        yield {"kind": "mean", "name": f"{by}_mean", "by": by, "value": "rating", "strength": 3}
        rest = {"half_life": 2, "newest": 4, "strength": 1.5}
        yield {"kind": "recent_mean", "name": f"{by}_recent", "by": by, **rest}
    yield {"kind": "affinity", "name": "affinity", "of": "genres", "strength": 2}
    yield {"kind": "sequence", "name": "history", "of": "item", "length": 6}
    event = {"source": "interaction", "column": "event"}
    yield {"kind": "category_sequence", "name": "types", "length": 6, **event}
    yield {"kind": "gap_sequence", "name": "gaps", "length": 6}
    yield {"kind": "gap_sequence", "name": "ages", "length": 4, "to": "request"}


class Log:
    """Random events: an item in 30 % of the rows, a fifth in the second of the row before."""

    def __init__(self, rows: int, seed: int, past: Row) -> None:
        draw = np.random.default_rng(seed)
        users, items = draw.integers(0, 40, rows), draw.integers(0, 30, rows)
        users[draw.random(rows) < 0.2] = 7
        items[draw.random(rows) < 0.3] = 11
        times = np.sort(draw.integers(0, 6 * DAY, rows)) + 1_700_000_000
        tied = draw.random(rows) < 0.2
        times = times[np.maximum.accumulate(np.where(tied, 0, np.arange(rows)))]
        late = np.where(draw.random(rows) < 0.3, draw.integers(0, DAY, rows), 0)
        number = draw.permutation(rows)
        self.events = pa.table(
            {
                "user_id": users,
                "item_id": items,
                "timestamp": times,
                "number": number,
                "event": pa.array(TYPES).take(draw.integers(0, 3, rows)),
                "rating": pa.array(draw.integers(1, 11, rows) / 2, mask=draw.random(rows) < 0.1),
                "label": draw.integers(0, 2, rows).astype(float),
                "written": pa.array(times + late, mask=draw.random(rows) < 0.1),
            }
        ).take(draw.permutation(rows))
        genres = [GENRES[i % len(GENRES)] for i in range(30)]
        self.items = pa.table({"item_id": np.arange(30), "genres": pa.array(genres)})
        self.users = pa.table({"user_id": np.arange(40)})
        config = FeaturesConfig.model_validate(
            {
                "split": {"kind": "global_time"},
                "past": {"ties": ["number"], **past},
                "features": list(declarations()),
            }
        )
        vocabularies = {
            "item": pa.array(np.arange(25)),
            "genres": pa.array(["c", "a", "d", "b"]),
            "types": pa.array(["buy", "view"]),
        }
        self.state = FeatureState(config, vocabularies, PRIORS)


def reference(log: Log, delay: int, *, written: bool, item_cut: int | None) -> list[Row]:
    """Return the features of every event as a request, by the definitions."""
    events = log.events.to_pylist()
    for event in events:
        event["genres"] = GENRES[event["item_id"] % len(GENRES)]
        event["visible"] = event["timestamp"] + delay
        if written and event["written"] is not None:
            event["visible"] = max(event["visible"], event["written"])
    events.sort(key=lambda e: (e["visible"], e["timestamp"], e["number"]))
    of_key: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for event in events:
        for by in KEYS:
            of_key[_key(by, event)].append(event)
    return [_features(request, of_key, item_cut) for request in log.events.to_pylist()]


def _key(by: str, row: Row) -> tuple[Any, ...]:
    return (by, *(row[name] for name in KEYS[by]))


def _features(request: Row, of_key: dict[tuple[Any, ...], list[Row]], item_cut: int | None) -> Row:
    now = dict.fromkeys(KEYS, request["timestamp"])
    if item_cut is not None:
        now["item"] = min(now["item"], item_cut)
    seen = {
        by: [
            e
            for e in of_key[_key(by, request)]
            if e["visible"] < now[by] and e["timestamp"] < now[by]
        ]
        for by in KEYS
    }
    row: Row = {"number": request["number"]}
    for by in KEYS:
        row |= _windows(by, seen[by], now[by])
        ages = [now[by] - e["timestamp"] for e in seen[by]]
        row[f"{by}_recency"] = math.log1p(min(ages)) if ages else -1
        newest = seen[by][-1]["rating"] if seen[by] else None
        row[f"{by}_lag"] = -2 if newest is None else newest
        row[f"{by}_third"] = seen[by][-3]["label"] if len(seen[by]) >= 3 else 9
    for by in ("user", "item"):
        row[f"{by}_unknown"] = float(not seen[by])
        row[f"{by}_count"] = math.log1p(len(seen[by]))
        ratings = [e["rating"] for e in seen[by] if e["rating"] is not None]
        row[f"{by}_mean"] = _smoothed(ratings, 2.75, 3)
        row[f"{by}_recent"] = _recent([e["label"] for e in seen[by]])
    return row | _affinity(request, seen["user"]) | _sequences(seen["user"], now["user"])


def _windows(by: str, seen: list[Row], now: int) -> Row:
    row: Row = {}
    for window, length in WINDOWS.items():
        inside = [e for e in seen if length is None or now - length <= e["timestamp"]]
        clicks = [e for e in inside if e["event"] in CLICKS["equals"]]
        ratings, clicked = (
            [e["rating"] for e in among if e["rating"] is not None] for among in (inside, clicks)
        )
        figures = {
            "n": len(inside),
            "log_n": math.log1p(len(inside)),
            "clicks": len(clicks),
            "ctr": len(clicks) / len(inside) if inside else 0.25,
            "sum": sum(ratings),
            "mean": sum(ratings) / len(ratings) if ratings else -1.0,
            "clicked": sum(clicked) / len(clicked) if clicked else 0.0,
        }
        row |= {f"{by}_{name}_{window}": value for name, value in figures.items()}
    return row


def _smoothed(values: list[float], prior: float, strength: float) -> float:
    return (sum(values) + strength * prior) / (len(values) + strength)


def _recent(values: list[float]) -> float:
    total, weight = 1.5 * 0.4, 1.5
    for rank, value in enumerate(values[:-5:-1]):
        total += 2.0 ** (-rank / 2) * value
        weight += 2.0 ** (-rank / 2)
    return total / weight


def _affinity(request: Row, seen: list[Row]) -> Row:
    def genres(item: int) -> list[str]:
        return [g for g in (GENRES[item % len(GENRES)] or "").split("|")[:3] if g in "abcd" and g]

    overall = _smoothed([e["label"] for e in seen], 0.4, 2)
    rates = [
        _smoothed([e["label"] for e in seen if genre in genres(e["item_id"])], overall, 2)
        for genre in genres(request["item_id"])
    ] or [overall]
    return {"affinity_mean": sum(rates) / len(rates), "affinity_max": max(rates)}


def _sequences(seen: list[Row], now: int) -> Row:
    def padded(values: list[float], length: int) -> list[float]:
        return [0] * (length - len(values[-length:])) + values[-length:]

    times = [e["timestamp"] for e in seen]
    gaps = [max(later - t, 0) for t, later in zip(times, [*times[1:], now], strict=False)]
    types = {"buy": 2, "view": 3}
    return {
        "history": padded([e["item_id"] + 2 if e["item_id"] < 25 else 1 for e in seen], 6),
        "types": padded([types.get(e["event"], 1) for e in seen], 6),
        "gaps": padded([math.log1p(gap) for gap in gaps], 6),
        "ages": padded([math.log1p(now - t) for t in times], 4),
    }


def differences(found: pa.Table, expected: list[Row]) -> list[str]:
    """Return what differs; numbers must be the float32 next to the expected one."""
    rows = {row["number"]: row for row in found.to_pylist()}
    return [
        f"{name} of {row['number']}: {rows[row['number']][name]}, not {value}"
        for row in expected
        for name, value in row.items()
        if not _same(rows[row["number"]][name], value)
    ]


def _same(found: Any, expected: Any) -> bool:
    return np.array_equal(np.asarray(found, np.float32), np.asarray(expected, np.float32))
