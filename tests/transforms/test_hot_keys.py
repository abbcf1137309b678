"""Keys with too many rows for one part: the same values, and no part far larger than another."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.transforms.brute_force import Log, random_events

from reclife.transforms.engine.requests import features_for

PARTS = 8
ROWS = 2_000


@pytest.fixture
def sensitive(spark: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let small tables have hot keys, and eight parts."""
    from reclife.transforms.engine import hot_keys

    monkeypatch.setattr(hot_keys, "_SMALL", 0)
    monkeypatch.setattr(hot_keys, "_LEAST", 10)
    before = spark.conf.get("spark.sql.shuffle.partitions")
    spark.conf.set("spark.sql.shuffle.partitions", PARTS)
    yield
    spark.conf.set("spark.sql.shuffle.partitions", before)


@pytest.fixture(scope="module")
def log() -> Log:
    """Return 2,000 events, 30 % of them of item 11 and 20 % of user 7."""
    return Log(random_events(ROWS, seed=9), {"delay": "1m", "available_from": "written"})


@pytest.mark.usefixtures("sensitive")
def test_hot_keys_are_found_and_cut_as_small_as_half_a_part(spark: Any, log: Log) -> None:
    from reclife.transforms.engine.hot_keys import hot_keys

    found = hot_keys(spark.createDataFrame(log.events), ["item_id", "user_id"], PARTS)
    for name, hottest in (("item_id", 11), ("user_id", 7)):
        share = np.mean(log.events[name].to_numpy() == hottest)
        assert found[name].keys.to_pylist() == [str(hottest)]
        assert found[name].pieces == np.ceil(share * 2 * PARTS)


@pytest.mark.usefixtures("sensitive")
def test_requests_are_spread_and_each_sees_all_events_of_its_key(spark: Any, log: Log) -> None:
    from reclife.transforms.engine.exchange import Step, by_keys
    from reclife.transforms.engine.hot_keys import hot_keys

    events = spark.createDataFrame(log.events)
    schema = spark.createDataFrame([(0, 0, 0)], "requests bigint, events bigint, lacking bigint")

    def kernel(requests: pa.Table, events: pa.Table) -> pa.Table:
        asked, there = (t["item_id"].to_numpy() for t in (requests, events))
        lacking = [key for key in np.unique(asked) if np.sum(there == key) != counts[key]]
        return pa.table({"requests": [len(asked)], "events": [len(there)],
                         "lacking": [len(lacking)]})  # fmt: skip

    counts = np.bincount(log.events["item_id"].to_numpy())
    for hot in (None, hot_keys(events, ["item_id"], PARTS)["item_id"]):
        step = Step("item_id", kernel, hot)
        told = by_keys(events, lambda requests: requests, [step], schema.schema).toArrow()
        requests = told["requests"].to_numpy()
        assert requests.sum() == ROWS
        assert told["lacking"].to_pylist() == [0] * len(told)
        slowest = requests.max() / np.median(requests)
        assert (slowest > 3) if hot is None else (slowest < 3)


@pytest.mark.usefixtures("sensitive")
@pytest.mark.parametrize("alike", [True, False])
def test_no_value_changes(spark: Any, log: Log, alike: bool) -> None:
    from reclife.transforms.engine.spark import features_for_spark

    frames = [spark.createDataFrame(t) for t in (log.events, log.items, log.users)]
    events = frames[0].repartition(3)
    requests = events if alike else events.select("*")
    declared = (f for f in log.state.config.features if f.kind != "target_encoding")
    names = [name for feature in declared for name in feature.outputs]
    found = features_for_spark(
        requests, events, *frames[1:], log.state, item_cut=None, names=names
    ).toArrow()
    expected = features_for(
        log.events, log.events, log.items, log.users, log.state, item_cut=None, names=names
    )
    same = found.select(expected.column_names).sort_by("number")
    assert same.equals(expected.sort_by("number").cast(same.schema))
