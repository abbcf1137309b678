"""The look-back features in plain Python: every event of the log is asked whether it counts."""

import math
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow as pa

from reclife.config.features import FeaturesConfig
from reclife.transforms.date_part import values_of
from reclife.transforms.state import FeatureState

Row = dict[str, Any]
MINUTE, HOUR, DAY = 60, 3_600, 86_400
START = 1_700_000_000
WINDOWS = {"1h": HOUR, "7d": 7 * DAY, "30d": 30 * DAY, "all": None}
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
LISTS: dict[str, tuple[int, bool, int | None]] = {
    "history": (6, False, None),
    "history_clicks": (3, True, None),
    "history_now": (4, False, HOUR),
    "types": (6, False, None),
    "types_now": (2, True, 2 * HOUR),
    "gaps": (6, False, None),
    "gaps_clicks": (4, True, 12 * HOUR),
    "ages": (4, False, None),
    "dwell": (6, False, None),
    "dwell_clicks": (3, True, None),
    "dwell_now": (3, False, HOUR),
}
"""Sequence -> its length, whether it lists clicks only, and the gap that ends a session."""
ROW_FEATURES = ("item", "genres", "event_code", "hour", "event_hour")


def declarations() -> Iterator[Row]:
    """Yield every kind that looks back, windows of every length by every key."""
    event = {"source": "interaction", "column": "event"}
    yield {"kind": "category", "name": "item", "source": "item", "column": "item_id"}
    genres = {"source": "item", "column": "genres", "max_length": 3}
    yield {"kind": "multi_category", "name": "genres", **genres}
    yield {"kind": "hashed_category", "name": "event_code", **event, "buckets": 2**20}
    yield {"kind": "date_part", "name": "hour", "part": "hour", "time_zone": "UTC"}
    yield {"kind": "cross", "name": "event_hour", "of": ["event_code", "hour"], "buckets": 2**30}
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
    encoding = {"kind": "target_encoding", "strength": 5}
    yield {**encoding, "name": "item_rate", "of": "item", "value": "rating"}
    yield {**encoding, "name": "event_rate", "of": "event_code"}
    yield {**encoding, "name": "event_hour_rate", "of": "event_hour"}
    kinds: dict[str, Row] = {
        "history": {"kind": "sequence", "of": "item"},
        "types": {"kind": "category_sequence", "table": "types", **event},
        "gaps": {"kind": "gap_sequence"},
        "ages": {"kind": "gap_sequence", "to": "request"},
        "dwell": {"kind": "dwell_sequence", "cap": "20m", "unknown": -1},
    }
    for name, (length, clicks, gap) in LISTS.items():
        kind = kinds[name.split("_")[0]]
        where = CLICKS if clicks else None
        session = f"{gap // HOUR}h" if gap else None
        yield {**kind, "name": name, "length": length, "where": where, "session": session}


def random_events(rows: int, seed: int) -> pa.Table:
    """Return a log with an item in 30 % of the rows, a fifth in the second of the row before.

    Half of it lies in one of forty days.
    """
    draw = np.random.default_rng(seed)
    users, items = draw.integers(0, 40, rows), draw.integers(0, 30, rows)
    users[draw.random(rows) < 0.2] = 7
    items[draw.random(rows) < 0.3] = 11
    busy = draw.random(rows) < 0.5
    times = np.where(busy, 33 * DAY + draw.integers(0, DAY, rows), draw.integers(0, 40 * DAY, rows))
    times = np.sort(times) + START
    tied = draw.random(rows) < 0.2
    times = times[np.maximum.accumulate(np.where(tied, 0, np.arange(rows)))]
    late = np.where(draw.random(rows) < 0.3, draw.integers(0, DAY, rows), 0)
    return events_of(
        {
            "user_id": users,
            "item_id": items,
            "timestamp": times,
            "event": np.array(TYPES)[draw.integers(0, 3, rows)],
            "rating": pa.array(draw.integers(1, 11, rows) / 2, mask=draw.random(rows) < 0.1),
            "label": draw.integers(0, 2, rows).astype(float),
            "written": pa.array(times + late, mask=draw.random(rows) < 0.1),
            "number": draw.permutation(rows),
        }
    ).take(draw.permutation(rows))


def events_of(columns: Row) -> pa.Table:
    """Return columns in the types of the canonical interactions."""
    whole = ("user_id", "item_id", "timestamp", "written", "number")
    kinds = {name: pa.int64() for name in whole} | {"event": pa.string()}
    return pa.table({n: pa.array(v, kinds.get(n, pa.float64())) for n, v in columns.items()})


class Log:
    """Events, the items and users that they may name, and a state fitted by hand."""

    def __init__(self, events: pa.Table, past: Row) -> None:
        self.events = events
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
            "hour": values_of("hour"),
        }
        self.state = FeatureState(config, vocabularies, PRIORS)


def reference(log: Log, delay: int, *, written: bool, item_cut: int | None) -> list[Row]:
    """Return the features of every event as a request, by the definitions.

    Beside them, under `_cut_<name>`, how many events a sequence had no room for.
    """
    events = log.events.to_pylist()
    for event in events:
        event["genres"] = GENRES[event["item_id"] % len(GENRES)]
        event["visible"] = event["timestamp"] + delay
        if written and event["written"] is not None:
            event["visible"] = max(event["visible"], event["written"])
    events.sort(key=lambda e: (e["visible"], e["timestamp"], e["number"]))
    of_key: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for event in events:
        for key in _keys(event).values():
            of_key[key].append(event)
    return [_features(request, of_key, item_cut) for request in log.events.to_pylist()]


def _keys(row: Row) -> dict[str, tuple[Any, ...]]:
    """Return, by what looks at it, the key whose events it looks at."""
    hour = datetime.fromtimestamp(row["timestamp"], UTC).hour
    keys = {by: (by, *(row[name] for name in names)) for by, names in KEYS.items()}
    if row["event"] is not None:
        keys["event_rate"] = ("event", row["event"])
        keys["event_hour_rate"] = ("event_hour", row["event"], hour)
    return keys


def _features(request: Row, of_key: dict[tuple[Any, ...], list[Row]], item_cut: int | None) -> Row:
    keys = _keys(request)
    now = dict.fromkeys(keys, request["timestamp"])
    if item_cut is not None:
        now = {by: t if "user" in by else min(t, item_cut) for by, t in now.items()}
    seen = {
        by: [e for e in of_key[key] if e["visible"] < now[by] and e["timestamp"] < now[by]]
        for by, key in keys.items()
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
        row[f"{by}_mean"] = _smoothed(_ratings(seen[by]), 2.75, 3)
        row[f"{by}_recent"] = _recent([e["label"] for e in seen[by]])
    known = seen["item"] if request["item_id"] < 25 else []
    row["item_rate"] = _smoothed(_ratings(known), 2.75, 5)
    for name in ("event_rate", "event_hour_rate"):
        row[name] = _smoothed([e["label"] for e in seen.get(name, [])], 0.4, 5)
    return row | _affinity(request, seen["user"]) | _sequences(seen["user"], now["user"])


def _windows(by: str, seen: list[Row], now: int) -> Row:
    row: Row = {}
    for window, length in WINDOWS.items():
        inside = [e for e in seen if length is None or now - length <= e["timestamp"]]
        clicks = [e for e in inside if e["event"] in CLICKS["equals"]]
        ratings, clicked = _ratings(inside), _ratings(clicks)
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


def _ratings(events: list[Row]) -> list[float]:
    return [e["rating"] for e in events if e["rating"] is not None]


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
    types = {"buy": 2, "view": 3}
    row: Row = {}
    for name, (length, clicks, gap) in LISTS.items():
        places = _session(seen, now, gap) if gap else list(range(len(seen)))
        if clicks:
            places = [p for p in places if seen[p]["event"] in CLICKS["equals"]]
        row[f"_cut_{name}"] = len(places[:-length])
        events = [seen[p] for p in places]
        times = [e["timestamp"] for e in events]
        values: dict[str, list[float]] = {
            "history": [e["item_id"] + 2 if e["item_id"] < 25 else 1 for e in events],
            "types": [types.get(e["event"], 1) for e in events],
            "gaps": [
                math.log1p(max(later - t, 0))
                for t, later in zip(times, [*times[1:], now], strict=False)
            ],
            "ages": [math.log1p(now - t) for t in times],
            "dwell": [_dwell(seen, p) for p in places],
        }
        newest = values[name.split("_")[0]][-length:]
        row[name] = [0] * (length - len(newest)) + newest
    return row


def _session(seen: list[Row], now: int, gap: int) -> list[int]:
    """Return the places of the events of the session that goes on now."""
    opened, newest = -math.inf, -math.inf
    for event in seen:
        if event["timestamp"] > newest + gap:
            opened = event["timestamp"]
        newest = max(newest, event["timestamp"])
    if now > newest + gap:
        return []
    first = next(p for p, e in enumerate(seen) if e["timestamp"] == opened)
    return [p for p, e in enumerate(seen) if p >= first and e["timestamp"] >= opened]


def _dwell(seen: list[Row], place: int) -> float:
    if place + 1 == len(seen):
        return -1
    stayed = seen[place + 1]["timestamp"] - seen[place]["timestamp"]
    return math.log1p(min(max(stayed, 0), 20 * MINUTE))


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
