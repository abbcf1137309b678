"""What a category's events had on average before the request, by hand and under any blocks."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.transforms.brute_force import DAY, START, Log, random_events

from reclife.config.features import FeaturesConfig
from reclife.transforms.engine.plan import build
from reclife.transforms.engine.requests import features_for
from reclife.transforms.kernels.frame import Frame
from reclife.transforms.state import FeatureState
from reclife.transforms.target_encoding import Sums, TargetEncoding

GENRE = {"kind": "category", "name": "genre", "source": "item", "column": "genre"}
RATE = {"kind": "target_encoding", "name": "rate", "of": "genre", "strength": 3}
ITEMS = pa.table({"item_id": [1, 2, 3, 4], "genre": ["war", "war", "new", None]})
USERS = pa.table({"user_id": [7, 8]})
EVENTS = [
    (7, 1, 10, 1.0),
    (8, 2, 12, 0.0),
    (8, 1, 12, 1.0),
    (7, 3, 13, 1.0),  # a genre that the vocabulary does not hold
    (7, 4, 13, 1.0),  # none at all
]


def state_of(past: dict[str, Any] | None = None) -> FeatureState:
    declared = {"split": {"kind": "hash"}, "past": past or {}, "features": [GENRE, RATE]}
    config = FeaturesConfig.model_validate(declared)
    return FeatureState(config, {"genre": pa.array(["war", "pop"])}, {"mean:event:label": 0.2})


def rates(
    item: int, at: list[int], past: dict[str, Any] | None = None, item_cut: int | None = None
) -> list[float]:
    names = ["user_id", "item_id", "timestamp", "label"]
    events = pa.table(dict(zip(names, map(list, zip(*EVENTS, strict=True)), strict=True)))
    asked = pa.table({"user_id": [8] * len(at), "item_id": [item] * len(at), "timestamp": at})
    found = features_for(asked, events, ITEMS, USERS, state_of(past), item_cut=item_cut)
    return found["rate"].to_pylist()  # type: ignore[no-any-return]


def smoothed(*labels: float) -> Any:
    return pytest.approx((sum(labels) + 3 * 0.2) / (len(labels) + 3), 1e-6)


def test_events_of_the_same_id_strictly_before_count_whoever_made_them() -> None:
    expected = [smoothed(), smoothed(1.0), smoothed(1.0), smoothed(1.0, 0.0, 1.0)]
    assert rates(2, [10, 11, 12, 13]) == expected


@pytest.mark.parametrize("item", [3, 4, 99])
def test_a_category_that_is_unknown_has_the_prior(item: int) -> None:
    assert rates(item, [10, 1000]) == [smoothed(), smoothed()]


def test_events_count_once_they_are_known() -> None:
    assert rates(1, [14, 15, 17, 18], {"delay": "5s"}) == [
        smoothed(),
        smoothed(),
        smoothed(1.0),
        smoothed(1.0, 0.0, 1.0),
    ]


def test_what_became_known_in_the_test_part_is_not_seen() -> None:
    assert rates(1, [12, 99], item_cut=12) == [smoothed(1.0), smoothed(1.0)]


@pytest.mark.parametrize("count", [0, 1, 7, 60])
@pytest.mark.parametrize("past", [{}, {"delay": "3h", "available_from": "written"}])
def test_no_boundaries_of_blocks_change_a_value(count: int, past: dict[str, Any]) -> None:
    log = Log(random_events(1_500, seed=3), past)
    draw = np.random.default_rng(count)
    boundaries = np.unique(START + draw.integers(-DAY, 45 * DAY, count))
    events = log.events
    cut = START + 36 * DAY
    for name in ("item_rate", "event_rate", "event_hour_rate"):
        whole = build(log.state.config.declaration(name), log.state)
        assert isinstance(whole, TargetEncoding)
        expected = whole.compute(Frame(events, events, (), cut, log.state.config.past))[name]
        parts = [
            whole.sums(events.slice(start, 400), log.state.config.past, boundaries)
            for start in range(0, 1_500, 400)
        ]
        sums = Sums(*(np.concatenate(column) for column in zip(*parts, strict=True)))
        in_blocks = whole.after(boundaries, sums)
        times = np.minimum(events["timestamp"].to_numpy(), cut)
        blocks = np.searchsorted(boundaries, times, side="right")
        seen = Frame(events, events, (), None, log.state.config.past).visible
        for block in np.unique(blocks):
            mine = pa.array(blocks == block)
            own = pa.array(np.searchsorted(boundaries, seen, side="right") == block)
            frame = Frame(events.filter(mine), events.filter(own), (), cut, log.state.config.past)
            assert in_blocks.compute(frame)[name].equals(expected.filter(mine))


@pytest.mark.parametrize("partitions", [1, 3])
def test_spark_spreads_a_category_that_all_events_have(spark: Any, partitions: int) -> None:
    """A third of the requests are of the test part: they all look back from the cut."""
    from pyspark.sql import functions as sf

    from reclife.transforms.engine.blocks import BLOCK, in_blocks
    from reclife.transforms.engine.plan import plan
    from reclife.transforms.engine.spark import features_for_spark

    rows = 3_000
    draw = np.random.default_rng(0)
    events = pa.table(
        {
            "user_id": draw.integers(0, 500, rows),
            "item_id": draw.choice([1, 2, 1, 3, 4], rows),
            "timestamp": START + np.arange(rows) * 60,
            "label": draw.integers(0, 2, rows).astype(float),
        }
    )
    cut = START + 2_000 * 60
    state = state_of()
    before = spark.conf.get("spark.sql.shuffle.partitions")
    spark.conf.set("spark.sql.shuffle.partitions", partitions)
    try:
        frames = [spark.createDataFrame(t) for t in (events, ITEMS, USERS)]
        found = features_for_spark(frames[0], *frames, state, item_cut=cut, names=["rate"])
        keys = [("timestamp", "ascending")]
        expected = features_for(events, events, ITEMS, USERS, state, item_cut=cut, names=["rate"])
        assert found.toArrow().sort_by(keys).equals(expected.sort_by(keys))
        (step,) = plan(state, ["rate"]).passes
        attached = frames[0].withColumn("_item_genre", sf.lit("war"))
        asked, seen, _ = in_blocks(attached, attached, step, cut)
        sizes = [row["count"] for row in asked.groupBy(BLOCK).count().collect()]
        assert len(sizes) == 8 * partitions + 1
        assert max(sizes) <= 3 * np.median(sizes)
        assert seen.count() == 2_000
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", before)
