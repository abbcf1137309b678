"""Every figure of the lists, by slice and with its interval, against plain loops over users."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from itertools import combinations
from math import log2
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as hs

from reclife.config.evaluation import BootstrapConfig, EvaluationConfig, QueriesConfig
from reclife.config.slices import ActivitySlice, ColumnSlice, NewUsersSlice
from reclife.evaluation import lists, queries
from reclife.evaluation.catalogue import Catalogue
from reclife.evaluation.rankers import Ranker
from reclife.evaluation.slices import Entities
from reclife.metrics.resampling import resample
from reclife.retrieval.interactions import ItemIndex

USERS, ITEMS, K, DRAWS, SEED = 9, 24, 4, 40, 5
WHO = Entities(
    pa.table({"item_id": range(ITEMS), "genre": ["a", "b", "b", "c", "d", None] * 4}),
    pa.table({"user_id": range(USERS), "age": [10, 10, 20, 30, 30, 30, 45, 45, None]}),
)
SLICES = (
    ColumnSlice(column="genre", most=2),
    ColumnSlice(source="user", column="age", bounds=(20, 40)),
    ActivitySlice(bounds=(6,)),
    NewUsersSlice(),
)
Lists = list[list[int]]


class World(NamedTuple):
    """A log in two parts, and what a ranker makes of the queries."""

    past: pa.Table
    asked: queries.Queries
    config: EvaluationConfig
    ranker: Ranker
    listed: Lists


@hs.composite
def worlds(draw: hs.DrawFn) -> World:
    rng = np.random.default_rng(draw(hs.integers(0, 2**32 - 1)))
    rows = draw(hs.integers(60, 160))
    seen = draw(hs.sampled_from(["mask", "keep"]))
    per = draw(hs.sampled_from(["moment", "user"]))
    table = pa.table(
        {
            "user_id": rng.integers(0, USERS, rows),
            "item_id": rng.integers(0, ITEMS, rows),
            "timestamp": np.sort(rng.integers(0, 40, rows)),
        }
    )
    later = np.asarray(table["timestamp"]) >= 25
    later |= np.asarray(table["user_id"]) == 2  # a new user
    past, test = table.filter(pa.array(~later)), table.filter(pa.array(later))
    targets = draw(hs.sampled_from([1, 3, "all"]))
    config = EvaluationConfig(
        k=(K,),
        seen=seen,
        slices=SLICES,
        queries=QueriesConfig(per=per, min_history=0, targets=targets, max_per_user=3),
        bootstrap=BootstrapConfig(resamples=DRAWS, seed=SEED),
    )
    asked = queries.build(past, test, config.queries, config.seen)
    index = ItemIndex(pa.array(sorted(set(past["item_id"].to_pylist()))))
    known = index.ids.to_pylist()
    scores = rng.permuted(np.tile(np.arange(len(known)), (len(asked), 1)), axis=1)
    scores = scores.astype(np.float32)
    listed = []
    for q, history in enumerate(asked.histories.to_pylist()):
        if asked.mask:
            scores[q, np.isin(known, history)] = -np.inf
        if rng.random() < 0.2:
            scores[q] = -np.inf  # nothing is listed
        order = np.argsort(-scores[q])[:K]
        listed.append([known[i] for i in order if scores[q, i] > -np.inf])
    ranker = Ranker("drawn", index, lambda part: scores[part].copy())
    return World(past, asked, config, ranker, listed)


def of_query(items: list[int], right: set[int]) -> dict[str, float]:
    """Every metric of one list, by its definition."""
    hits = [item in right for item in items]
    best = min(K, len(right))
    first = hits.index(True) + 1 if any(hits) else 0
    precise = [sum(hits[: r + 1]) / (r + 1) for r, hit in enumerate(hits) if hit]
    gain = sum(1 / log2(rank + 2) for rank, hit in enumerate(hits) if hit)
    return {
        "ndcg": gain / sum(1 / log2(rank + 2) for rank in range(best)),
        "recall": sum(hits) / len(right),
        "precision": sum(hits) / K,
        "hit_rate": float(any(hits)),
        "mrr": 1 / first if first else 0.0,
        "map": sum(precise) / best,
    }


def looks(world: World) -> Iterator[tuple[int, dict[str, float]]]:
    """Yield what each list is like, right or not."""
    met = defaultdict(set)
    for row in world.past.to_pylist():
        met[row["item_id"]].add(row["user_id"])
    everyone = len(set(world.past["user_id"].to_pylist()))
    times = np.asarray(world.asked.times).tolist()
    owners = world.asked.owners.tolist()
    for q, items in enumerate(world.listed):
        found = {}
        if items:
            found["novelty"] = np.mean([-log2(len(met[i]) / everyone) for i in items])
            found["popularity"] = np.mean([len(met[i]) for i in items])
        pairs = [
            1 - len(met[i] & met[j]) / (len(met[i]) * len(met[j])) ** 0.5
            for i, j in combinations(items, 2)
        ]
        if pairs:
            found["diversity"] = np.mean(pairs)
        before = [o for o in range(len(owners)) if owners[o] == owners[q] and times[o] < times[q]]
        if world.config.queries.per == "moment" and before and items:
            last = max(before, key=lambda o: times[o])
            found["repetition"] = np.mean([item in world.listed[last] for item in items])
        yield q, {name: float(value) for name, value in found.items()}


def members(world: World) -> dict[str, dict[int, set[int]]]:
    """Return by slice the targets of each query that are in it."""
    asked = world.asked
    counted = asked.upcoming if asked.per_user else asked.known
    genres = dict(zip(range(ITEMS), WHO.items["genre"].to_pylist(), strict=True))
    targets = list(zip(counted.query.tolist(), counted.items.to_pylist(), strict=True))
    # the most frequent genres are those of all that is asked for
    everything = [*asked.known.items.to_pylist(), *counted.items.to_pylist()]
    frequent = Counter(genres[item] or "missing" for item in everything)
    most = [g for g, _ in sorted(frequent.items(), key=lambda pair: (-pair[1], pair[0]))][:2]
    found: dict[str, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    lengths = asked.histories.value_lengths().to_pylist()
    for q, item in targets:
        age = WHO.users["age"][asked.users[q].as_py()].as_py()
        genre = genres[item] or "missing"
        names = [
            "all",
            f"genre:{genre if genre in most else 'other'}",
            "age:missing"
            if age is None
            else f"age:{'below 20' if age < 20 else '20-39' if age < 40 else '40+'}",
            f"earlier_events:{'0-5' if lengths[q] < 6 else '6+'}",
            f"user:{'known' if lengths[q] else 'unknown'}",
        ]
        for name in names:
            found[name][q].add(item)
    return found


def averaged(values: Mapping[int, float], owners: list[int]) -> dict[int, float]:
    """Return the mean of each user's queries."""
    by_user = defaultdict(list)
    for q, value in values.items():
        by_user[owners[q]].append(value)
    return {user: float(np.mean(some)) for user, some in by_user.items()}


def bounds(by_user: Mapping[int, float], users: int) -> tuple[float, float] | None:
    """Return the interval of the mean by writing out every resample of the users."""
    if len(by_user) < 2:
        return None
    means = []
    for counts in resample(users, DRAWS, SEED).counts:
        copies = [by_user[u] for u in by_user for _ in range(int(counts[u]))]
        if copies:
            means.append(np.mean(copies))
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(worlds())
def test_every_row_equals_plain_loops(world: World) -> None:
    asked, owners = world.asked, world.asked.owners.tolist()
    catalogue = Catalogue(world.past, WHO.items, asked, world.config.diversity)
    found = lists.evaluate(asked, [world.ranker], world.config, catalogue, WHO)
    rows = {(r.slice, r.metric): r for r in found.rows if r.model == "drawn"}
    expected: dict[tuple[str, str], dict[int, float]] = defaultdict(dict)
    for part, right_of in members(world).items():
        for q, right in right_of.items():
            for metric, value in of_query(world.listed[q], right).items():
                expected[part, metric][q] = value
    for q, values in looks(world):
        for metric, value in values.items():
            expected["all", metric][q] = value
    ignored = {"coverage", "gini"}
    assert {key for key in rows if key[1] not in ignored and key[0] != "unknown_as_miss"} == set(
        expected
    )
    for key, by_query in expected.items():
        by_user, row = averaged(by_query, owners), rows[key]
        assert row.value == pytest.approx(np.mean([*by_user.values()]), abs=1e-9), key
        assert row.users == len(by_user), key
        interval = bounds(by_user, asked.n_users)
        own = None if row.ci_low is None else (row.ci_low, row.ci_high)
        assert own == (interval if interval is None else pytest.approx(interval, abs=1e-9)), key
    if world.listed and ("all", "coverage") in rows:
        every = {item for items in world.listed for item in items}
        assert rows["all", "coverage"].value == len(every) / len(world.ranker.index)
