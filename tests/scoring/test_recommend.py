"""Recommendations against brute force in one process, from the same bundle."""

import shutil
import time
from datetime import date

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.special import expit, logit

from reclife.compression.measure import codes, top_overlap
from reclife.config.evaluation import RerankConfig
from reclife.config.scoring import ScoringConfig
from reclife.datasets.bundle import Bundle, seal
from reclife.errors import ArtifactError
from reclife.models.saved import predict
from reclife.scoring.engine import Engine
from reclife.scoring.recommend import Tables, recommend
from reclife.scoring.report import measured
from reclife.transforms.engine.requests import features_for

COLUMNS = ["user_id", "rank", "item_id", "score", "cold", "source", "model_run_id"]
TODAY = date(2021, 5, 6)
COLD = {901, 902}


def frames(spark, world, **replaced) -> Tables:
    named = {"interactions": world.interactions, "items": world.items, "users": world.users}
    return Tables(**{k: spark.createDataFrame(v) for k, v in (named | replaced).items()})


def run(spark, world, config=None, **replaced) -> pd.DataFrame:
    plan = recommend(
        Bundle.open(world.folder),
        frames(spark, world, **replaced),
        config or ScoringConfig(),
        TODAY,
    )
    return plan.frame.toPandas().sort_values(["user_id", "rank"]).reset_index(drop=True)


@pytest.fixture(scope="module")
def result(spark, world) -> pd.DataFrame:
    return run(spark, world)


def test_ten_distinct_known_unseen_items_ranked_from_one(world, result):
    assert list(result.columns) == COLUMNS
    assert result["user_id"].dtype == result["item_id"].dtype == np.int64
    events = world.interactions.to_pandas()
    seen = events.groupby("user_id")["item_id"].agg(set).to_dict()
    known = set(world.items["item_id"].to_pylist())
    assert set(result["user_id"]) == set(world.users["user_id"].to_pylist())
    for user, rows in result.groupby("user_id"):
        assert list(rows["rank"]) == list(range(1, 11))
        assert rows["item_id"].nunique() == 10
        assert set(rows["item_id"]) <= known - seen.get(user, set())
        assert rows["score"].is_monotonic_decreasing
    assert set(result["model_run_id"]) == {"run-1"}


def test_cold_users_get_the_fallback_in_its_order(world, result):
    cold = result[result["cold"]]
    assert set(cold["user_id"]) == COLD
    assert set(cold["source"]) == {"decayed_popularity"}
    best = world.source.items.to_pylist()[:10]
    for _, rows in cold.groupby("user_id"):
        assert list(rows["item_id"]) == best


def test_warm_users_get_what_brute_force_finds(world, result):
    events = world.interactions.to_pandas()
    as_of = int(events["timestamp"].max()) + 1
    engine = Engine.of(Bundle.open(world.folder))
    items = world.items["item_id"].to_pylist()
    for user in sorted(set(events["user_id"]))[:6]:
        seen = set(events[events["user_id"] == user]["item_id"])
        unseen = [item for item in items if item in set(world.source.items.to_pylist()) - seen]
        requests = pa.table(
            {
                "user_id": [user] * len(unseen),
                "item_id": unseen,
                "timestamp": [as_of] * len(unseen),
            }
        )
        rows = features_for(
            requests, world.interactions, world.items, world.users, world.state, item_cut=None
        )
        chances = expit(2.0 * logit(engine.score(rows)) - 1.0)  # the map that the bundle declares
        scores = pd.Series(chances, index=unseen).sort_values(ascending=False)[:10]
        found = result[result["user_id"] == user]
        np.testing.assert_allclose(found["score"], scores, atol=2e-6)
        assert len(set(found["item_id"]) & set(scores.index)) >= 9  # equal scores may swap the last


def test_the_source_alone_keeps_its_own_order(spark, world):
    result = run(spark, world, ScoringConfig(rerank=RerankConfig(weight=0.0)))
    warm = result[~result["cold"]]
    events = world.interactions.to_pandas()
    for user in sorted(set(events["user_id"]))[:5]:
        mine = events[events["user_id"] == user].sort_values("timestamp")
        if mine["timestamp"].duplicated().any():
            continue  # the order inside a second is the hash's
        history = pa.array([mine["item_id"].tolist()])
        expected = world.source.top(history, 10)["item_id"].to_pylist()
        assert warm[warm["user_id"] == user]["item_id"].tolist() == expected
    assert set(warm["source"]) <= {"ease", "decayed_popularity"}


def test_only_events_before_the_declared_day_count(spark, world):
    config = ScoringConfig(as_of=date(2020, 9, 13))  # before the first event: everyone is cold
    assert run(spark, world, config)["cold"].all()


def test_an_item_no_longer_listed_is_not_recommended(spark, world):
    gone = world.source.items.to_pylist()[:3]
    keep = [item not in gone for item in world.items["item_id"].to_pylist()]
    result = run(spark, world, items=world.items.filter(pa.array(keep)))
    assert not set(result["item_id"]) & set(gone)
    assert (result.groupby("user_id").size() == 10).all()


def test_the_same_rows_under_any_partitioning_and_driver_time_zone(
    spark, world, result, monkeypatch
):
    for zone, parts in (("Asia/Tokyo", 1), ("America/New_York", 7)):
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        tables = frames(spark, world)
        shuffled = Tables(
            *(t.repartition(parts) for t in (tables.interactions, tables.items, tables.users))
        )
        plan = recommend(Bundle.open(world.folder), shuffled, ScoringConfig(), TODAY)
        again = plan.frame.toPandas().sort_values(["user_id", "rank"]).reset_index(drop=True)
        pd.testing.assert_frame_equal(again, result)
        assert plan.date == "2020-09-13"
    monkeypatch.undo()
    time.tzset()


def test_the_report_counts(spark, world):
    bundle = Bundle.open(world.folder)
    plan = recommend(bundle, frames(spark, world), ScoringConfig(), TODAY)
    frame, report = measured(plan, bundle, "run-2")
    assert frame.count() == report.rows == 260
    assert (report.users, report.cold_users) == (26, 2)
    assert report.candidates > report.rows
    assert report.date == "2020-09-13"
    assert report.path.endswith("date=2020-09-13")
    assert report.rows_per_second > 0
    assert (report.run_id, report.model_run_id) == ("run-2", bundle.manifest.run_id)
    assert not report.leaking


def test_a_model_of_a_leaking_split_is_marked(spark, world, monkeypatch):
    bundle = Bundle.open(world.folder)
    leaking = bundle.spec().model_copy(update={"leaking": True})
    monkeypatch.setattr(bundle, "spec", lambda: leaking)
    plan = recommend(bundle, frames(spark, world), ScoringConfig(), TODAY)
    assert measured(plan, bundle, "run-2")[1].leaking


def test_another_type_of_item_ids_is_refused(spark, world):
    texts = world.items.set_column(0, "item_id", world.items["item_id"].cast(pa.string()))
    with pytest.raises(ArtifactError, match="item ids of type bigint, today's are string"):
        run(spark, world, items=texts)


def test_a_bundle_with_a_foreign_feature_state_is_refused(spark, world, tmp_path):
    folder = tmp_path / "bundle"
    shutil.copytree(world.folder, folder)
    vocabulary = folder / "feature_state" / "vocabularies" / "item.parquet"
    pq.write_table(pq.read_table(vocabulary).slice(1), vocabulary)
    with pytest.raises(ArtifactError, match=r"feature_state/vocabularies/item.parquet"):
        Bundle.open(folder)
    (folder / "manifest.json").unlink()
    old = Bundle.open(world.folder).manifest
    from reclife.contracts import Origin

    origin = Origin(**{k: getattr(old, k) for k in Origin.model_fields})
    seal(folder, origin, old.model_kind, old.graph, old.spec_hash)
    with pytest.raises(ArtifactError, match="feature state is not the one"):
        recommend(Bundle.open(folder), frames(spark, world), ScoringConfig(), TODAY)


def test_golden_rows_agree_through_trainer_graphs_and_batch_job(spark, world, monkeypatch):
    """Float forms within 1e-5; int8 keeps the ten best; columns permuted, three time zones."""
    golden = pq.read_table(world.folder / "golden.parquet").drop_columns(["timestamp"])
    trainer = predict(world.model, golden)
    np.testing.assert_allclose(golden["original_score"].to_numpy(), trainer, atol=1e-5)
    users = codes(golden, "user_id")
    assert top_overlap(users, trainer, golden["score"].to_numpy(), 10) >= 0.99
    engine = Engine.of(Bundle.open(world.folder))
    numbered = golden.append_column("row", pa.array(np.arange(golden.num_rows)))

    def score(batches):
        for batch in batches:
            table = pa.Table.from_batches([batch])
            yield pa.record_batch([batch["row"], engine.score(table)], names=["row", "again"])

    for zone in ("UTC", "Asia/Tokyo", "America/New_York"):
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        columns = np.random.default_rng(len(zone)).permutation(numbered.column_names).tolist()
        frame = spark.createDataFrame(numbered.select(columns)).repartition(3)
        found = frame.mapInArrow(score, "row bigint, again float").toPandas().sort_values("row")
        np.testing.assert_allclose(found["again"], golden["score"].to_numpy(), atol=1e-5)
    monkeypatch.undo()
    time.tzset()
