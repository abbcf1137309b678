"""1,000 rows have the same features, of every kind, on the training and on the scoring path."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from tests.transforms import examples
from tests.transforms.examples import Tables, make_tables

from reclife.transforms.engine.requests import features_for
from reclife.transforms.state import FeatureState

ROWS = 1_000
ASKED = ["row", "user_id", "item_id", "timestamp", "device", "amount"]
"""What a request tells; labels and ratings are of events alone."""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def tables() -> Tables:
    return make_tables(3, 1_200)


@pytest.fixture(scope="module")
def golden(tables: Tables) -> np.ndarray[Any, Any]:
    """The numbers of the golden rows."""
    numbers = tables.events["row"].to_numpy()
    return np.sort(np.random.default_rng(3).choice(numbers, ROWS, replace=False))


@pytest.fixture(scope="module")
def frames(spark: Any, tables: Tables) -> list[Any]:
    return [spark.createDataFrame(t) for t in (tables.events, tables.items, tables.users)]


@pytest.fixture(scope="module")
def state(frames: list[Any]) -> FeatureState:
    from reclife.transforms.engine.fit import fit

    events, items, users = frames
    return fit(events.where("timestamp < 1710400000"), items, users, examples.config())


@pytest.fixture(scope="module")
def trained(frames: list[Any], state: FeatureState, golden: np.ndarray[Any, Any]) -> pa.Table:
    """The golden rows as training computes them: every event is a request."""
    from reclife.transforms.engine.spark import features_for_spark

    events, items, users = frames
    rows = features_for_spark(events, events, items, users, state, item_cut=None).toArrow()
    return features_of(rows, state, golden)


def features_of(rows: pa.Table, state: FeatureState, numbers: np.ndarray[Any, Any]) -> pa.Table:
    kept = rows.filter(pc.is_in(rows["row"], pa.array(numbers))).sort_by("row")
    names = [name for feature in state.config.features for name in feature.outputs]
    return kept.select(["row", *names]).combine_chunks()


def test_spark_scores_requests_apart_from_the_events(
    frames: list[Any], state: FeatureState, golden: np.ndarray[Any, Any], trained: pa.Table
) -> None:
    from reclife.transforms.engine.spark import features_for_spark

    events, items, users = frames
    requests = events.select(*ASKED).repartition(3)
    rows = features_for_spark(requests, events, items, users, state, item_cut=None).toArrow()
    assert trained.num_rows == ROWS
    assert features_of(rows, state, golden).equals(trained)


def test_one_process_answers_a_few_requests_at_a_time(
    tables: Tables, state: FeatureState, golden: np.ndarray[Any, Any], trained: pa.Table
) -> None:
    asked = tables.events.filter(pc.is_in(tables.events["row"], pa.array(golden))).select(ASKED)
    args = (tables.events, tables.items, tables.users, state)
    rows = [features_for(asked.slice(n, 125), *args, item_cut=None) for n in range(0, ROWS, 125)]
    assert features_of(pa.concat_tables(rows), state, golden).equals(trained)


def test_a_log_that_ends_before_the_moment_of_scoring_gives_the_same(
    tables: Tables, state: FeatureState, golden: np.ndarray[Any, Any], trained: pa.Table
) -> None:
    """As of the moment of scoring: what happens later is not there yet."""
    times = tables.events["timestamp"]
    checked = 0
    for moment in np.quantile(times.to_numpy(), [0.3, 0.6, 0.95], method="nearest"):
        asked = tables.events.filter(pc.equal(times, moment)).select(ASKED)
        earlier = tables.events.filter(pc.less(times, moment))
        rows = features_for(asked, earlier, tables.items, tables.users, state, item_cut=None)
        numbers = np.intersect1d(golden, asked["row"].to_numpy())
        assert features_of(rows, state, numbers).equals(features_of(trained, state, numbers))
        checked += len(numbers)
    assert checked > 30
