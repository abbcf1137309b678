"""What every kind of feature promises, held against every one of them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.transforms import examples
from tests.transforms.examples import EXAMPLES, Tables, make_tables
from tests.transforms.test_hashed_category import text_hash

from reclife.contracts import FeatureSpec, FeatureStats, IngestReport, LabelReport
from reclife.pipelines.features import nodes
from reclife.transforms.engine.plan import TRANSFORMS, build, feature_spec
from reclife.transforms.engine.requests import features_for
from reclife.transforms.state import FeatureState
from reclife.validation.features import check_features
from reclife.validation.tables import read

KINDS = sorted(TRANSFORMS)
LIKE = LabelReport(task="like", column="label", delay=0, known=1, mean=0.5)
INGESTED = IngestReport(tables=(), labels=(LIKE,))


@dataclass(frozen=True)
class Outcome:
    """One world through fit, one process and Spark; and the state of a world with another future.

    Attributes:
        requests: The requests: all events of the world with another future, unheard-of ones too.
        part: The part of each request.
        future: State fitted on that world, under another partitioning.
    """

    tables: Tables
    requests: Tables
    state: FeatureState
    future: FeatureState
    spec: FeatureSpec
    part: np.ndarray[Any, Any]
    local: pa.Table
    spark: pa.Table
    stats: FeatureStats
    cuts: tuple[int, int]

    def columns(self, kind: str) -> list[str]:
        """Return the columns that the examples of `kind` write."""
        return [n for f in self.state.config.features if f.kind == kind for n in f.outputs]

    def rows(self, kind: str, table: pa.Table) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = table.select(self.columns(kind)).to_pylist()
        return rows


@pytest.fixture(scope="module")
def outcome(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    config = examples.config()
    tables = make_tables(5)

    def fitted(world: Tables, partitions: int) -> tuple[Any, ...]:
        frames = [spark.createDataFrame(t) for t in (world.events, world.items, world.users)]
        frames = [frame.repartition(partitions) for frame in frames]
        divided, cuts = nodes.split_interactions(*frames, INGESTED, config)
        save, spec = nodes.fit_state(divided, *frames[1:], INGESTED, cuts, config)
        folder = tmp_path_factory.mktemp("state")
        save(folder)
        return frames, divided, cuts, spec, folder

    _, _, cuts, spec, folder = fitted(tables, 1)
    requests = tables.planted(cuts.validation_start)
    frames, divided, _, _, other = fitted(requests, 5)
    computed = nodes.compute_features(divided, *frames[1:], folder, cuts, config)
    state = FeatureState.load(folder)
    times = requests.events["timestamp"].to_numpy()
    result = Outcome(
        tables=tables,
        requests=requests,
        state=state,
        future=FeatureState.load(other),
        spec=spec,
        part=np.searchsorted([cuts.validation_start, cuts.test_start], times, side="right"),
        local=in_process(requests, state, cuts.test_start),
        spark=computed.toArrow().sort_by("row"),
        stats=nodes.measure_examples(computed, spec, folder, cuts),
        cuts=tuple(cuts),
    )
    computed.unpersist()
    return result


def in_process(tables: Tables, state: FeatureState, cut: int | None, **changes: Any) -> pa.Table:
    events, items, users = tables.events, tables.items, tables.users
    return features_for(changes.get("requests", events), events, items, users, state, item_cut=cut)


def test_every_kind_has_an_example() -> None:
    assert set(TRANSFORMS) == set(EXAMPLES)


@pytest.mark.parametrize("kind", KINDS)
def test_the_declared_schema_is_the_real_one(outcome: Outcome, kind: str) -> None:
    declared = [f for f in outcome.state.config.features if f.kind == kind]
    features = [feature for one in declared for feature in build(one, outcome.state).features()]
    assert [feature.name for feature in features] == outcome.columns(kind)
    for table in (outcome.local, outcome.spark):
        for feature in features:
            scalar = {"int64": pa.int64(), "float32": pa.float32()}[feature.dtype]
            real = table.schema.field(feature.name).type
            assert real == (pa.list_(real.value_field) if feature.shape else scalar)
            if feature.shape:
                assert real.value_type == scalar
                lengths = {len(row) for row in table[feature.name].to_pylist()}
                assert lengths == set(feature.shape)
            assert table[feature.name].null_count == 0


def test_validation_accepts_what_is_written(outcome: Outcome) -> None:
    for table in (outcome.local, outcome.spark):
        checks = check_features(read("examples", table), outcome.spec)
        assert [check for check in checks if not check.success] == []
        assert len(checks) == len(outcome.spec.features)


def test_ids_lie_inside_their_tables(outcome: Outcome) -> None:
    for feature in outcome.spec.features:
        if feature.table:
            ids = np.array(outcome.local[feature.name].to_pylist())
            lowest = 0 if feature.shape else 1
            assert lowest <= ids.min() <= ids.max() < outcome.spec.table(feature.table).size


@pytest.mark.parametrize("kind", KINDS)
def test_spark_and_one_process_agree_bit_for_bit(outcome: Outcome, kind: str) -> None:
    assert outcome.rows(kind, outcome.spark) == outcome.rows(kind, outcome.local)


def test_only_training_and_no_partitioning_makes_the_state(outcome: Outcome) -> None:
    late = outcome.requests.events["device"].to_pylist()
    assert late.count("new") > 0.2 * len(late)
    assert outcome.future.statistics == outcome.state.statistics
    assert {t: v.to_pylist() for t, v in outcome.future.vocabularies.items()} == {
        t: v.to_pylist() for t, v in outcome.state.vocabularies.items()
    }
    assert outcome.future.hash == outcome.state.hash == outcome.spec.state_hash


@pytest.mark.parametrize("kind", KINDS)
def test_a_loaded_state_gives_the_same(outcome: Outcome, kind: str, tmp_path: Path) -> None:
    outcome.state.save(tmp_path)
    loaded = FeatureState.load(tmp_path)
    assert loaded.hash == outcome.state.hash
    assert feature_spec(loaded, timed=True) == outcome.spec
    found = in_process(outcome.requests, loaded, outcome.cuts[1])
    assert outcome.rows(kind, found) == outcome.rows(kind, outcome.local)


def test_statistics_are_those_of_the_training_rows(outcome: Outcome) -> None:
    """By numpy; means are of whole multiples of 2^-20, hence the tolerance."""
    train = [row for row in outcome.tables.events.to_pylist() if row["timestamp"] < outcome.cuts[0]]
    ages = dict(zip(range(12), outcome.tables.users["age"].to_pylist(), strict=True))
    years = dict(zip(range(25), outcome.tables.items["year"].to_pylist(), strict=True))
    age = np.array([ages[row["user_id"]] for row in train], float)
    amount = np.array([row["amount"] for row in train], float)
    clipped = np.minimum(amount[~np.isnan(amount)], 50)
    year = np.array([years[row["item_id"]] for row in train], float)
    expected = {
        "mean:present:age": np.nanmean(age),
        "mean:feature:age": np.nanmean(age),
        "deviation:feature:age": np.nanstd(age),
        "minimum:feature:paid": clipped.min(),
        "maximum:feature:paid": clipped.max(),
    }
    found = {name: outcome.state.statistics[name] for name in expected}
    assert found == pytest.approx(expected, abs=1e-5)
    quartiles = np.unique(np.nanquantile(year, [0.25, 0.5, 0.75]))
    lower_ends = outcome.state.vocabularies["year"].to_pylist()
    assert lower_ends == [-np.inf, *quartiles]


NULL: dict[str, Any] = {
    "item": 1,
    "country": 1,
    "genres": [0, 0, 0],
    "moods": [0, 0],
    "moods_weights": [0, 0],
    "studios_weights": [0, 0],
    "device_code": 1,
    "age": pytest.approx(0, abs=1e-5),
    "paid": 0,
    "paid_missing": 1,
    "year": 1,
    "price": 1,
    "price_log": 1,
    "device_hour": 1,
    "embedding": [0, 0, 0],
    "words": [0, 0, 0],
}
"""What the documentation says of values that are missing, the user and item being unheard of."""


def unseen(state: FeatureState) -> dict[str, Any]:
    """Return what the documentation says of values that training did not see."""
    return {
        "item": 1,
        "country": 2 + text_hash("ZZ") % 3,
        "genres": [1, 0, 0],
        "moods": [1, 0],
        "moods_weights": [3, 0],
        "studios_weights": [0.5, 0],
        "device_code": 2 + text_hash("ZZ") % 11,
        "paid": 1,
        "paid_missing": 0,
        "year": state.table_size("year") - 1,
        "price": 4,
        "price_log": 6,
        "words": [2 + text_hash("quite new") % 30, 0, 0],
    }


@pytest.mark.parametrize("values", ["missing", "unseen"])
def test_missing_and_unseen_values_are_as_documented(outcome: Outcome, values: str) -> None:
    tables = outcome.tables
    item = {"item_id": 99, "genres": "zzz", "year": 3000, "title": "Quite new!", "embedding": None}
    item |= {"moods": "quiet:3", "shares": [0.5]}
    user = {"user_id": 99, "country": "ZZ", "age": None}
    request = {"user_id": 99, "item_id": 99, "timestamp": 0, "device": "ZZ", "amount": 1e9}
    if values == "missing":
        request |= {"device": None, "amount": None}
    else:
        tables = Tables(
            tables.events,
            pa.concat_tables([tables.items, pa.Table.from_pylist([item], tables.items.schema)]),
            pa.concat_tables([tables.users, pa.Table.from_pylist([user], tables.users.schema)]),
        )
    schema = pa.schema([tables.events.schema.field(name) for name in request])
    asked = pa.Table.from_pylist([request], schema)
    row = in_process(tables, outcome.state, None, requests=asked).to_pylist()[0]
    expected = NULL if values == "missing" else unseen(outcome.state)
    assert {name: row[name] for name in expected} == expected


def test_shares_of_unknown_values_are_measured(outcome: Outcome) -> None:
    for feature in outcome.spec.features:
        if not feature.table:
            continue
        vocabulary = feature.table in outcome.state.vocabularies
        known = outcome.state.first_value(feature.table) if vocabulary else 2
        ids = np.array(outcome.local[feature.name].to_pylist())
        for number, part in enumerate(("train", "validation", "test")):
            real = ids[outcome.part == number]
            real = real[real != 0]
            share = np.mean(real < known) if real.size else 0.0
            assert outcome.stats.oov_rates[feature.name][part] == pytest.approx(share)
    assert outcome.stats.oov_rates["country"]["test"] == 1.0
    assert outcome.stats.oov_rates["device_code"]["test"] == 0.0
