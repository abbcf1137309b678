"""The nodes of the evaluation stage, with a model whose chances are a column."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import log_loss
from tests.measured import feature_stats, training_report

from reclife.config.evaluation import EvaluationConfig, QueriesConfig, SampledConfig
from reclife.config.retrieval import CandidatesConfig, ItemKnnConfig, PopularityConfig
from reclife.contracts import FeatureSpec, Task
from reclife.errors import DataError
from reclife.metrics.calibrators import calibrated
from reclife.models import saved
from reclife.pipelines.evaluation import nodes
from reclife.retrieval.candidates import CandidateSource

TASKS = (Task(name="like", label="label"), Task(name="buy", label="label_buy"))
SPEC = FeatureSpec(features=(), tables=(), state_hash="", tasks=TASKS)
ITEMS, USERS = pa.table({"item_id": range(9)}), pa.table({"user_id": range(6)})
TRAINING = training_report("mmoe", run_id="r")
STATS = feature_stats()


def part(seed: int, rows: int = 300, positive: float = 0.4) -> pa.Table:
    rng = np.random.default_rng(seed)
    labels = (rng.random(rows) < positive).astype(float)
    buys = pa.array((rng.random(rows) < 0.5).astype(float), mask=rng.random(rows) < 0.3)
    return pa.table(
        {
            "user_id": rng.integers(0, 6, rows),
            "item_id": rng.integers(0, 9, rows),
            "label": labels,
            "label_buy": buys,
            "chance": np.clip(0.3 * labels + rng.random(rows), 0.01, 0.99).astype(np.float32),
        }
    )


TRAIN, VALIDATION, TEST = part(0, 24), part(1), part(2)


@pytest.fixture(autouse=True)
def column_as_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved, "load_model", lambda *_: SimpleNamespace(tasks=TASKS))
    monkeypatch.setattr(
        saved, "predict_tasks", lambda _, table: np.stack([np.asarray(table["chance"])] * 2, axis=1)
    )


def evaluated(config: EvaluationConfig, **parts: Any) -> tuple[Any, ...]:
    tables = {"train": TRAIN, "validation": VALIDATION, "test": TEST} | parts
    spec = tables.pop("spec", SPEC)
    interactions = tables.pop("interactions", TRAIN)
    return nodes.evaluate_like(
        Path(),
        spec,
        *tables.values(),
        interactions=interactions,
        items=ITEMS,
        users=USERS,
        training=TRAINING,
        config=config,
    )


def test_chances_are_calibrated_by_the_known_labels_of_the_validation_part() -> None:
    config = EvaluationConfig(calibration="isotonic", like_baselines=(), slices=())
    results, scored, maps = evaluated(config)
    assert [result.task for result in results] == ["like", "buy"]
    for result, task in zip(results, TASKS, strict=True):
        truth = VALIDATION[task.label].to_numpy()
        known = ~np.isnan(truth)
        chances = VALIDATION["chance"].to_numpy()[known].astype(float)
        expected = IsotonicRegression(out_of_bounds="clip").fit(chances, truth[known])
        where = np.linspace(0, 1, 301)
        found = calibrated(maps.tasks[task.name], where)
        np.testing.assert_allclose(found, expected.predict(where), atol=1e-9)
        own = TEST[task.label].to_numpy()
        known = ~np.isnan(own)
        mapped = np.clip(expected.predict(TEST["chance"].to_numpy()[known]), 1e-7, 1 - 1e-7)
        loss = {r.model: r.value for r in result.rows if (r.metric, r.slice) == ("logloss", "all")}
        assert loss["mmoe+isotonic"] == pytest.approx(log_loss(own[known], mapped), abs=1e-6)
        assert result.unlabelled == (~known).sum()
    assert scored.num_rows == sum(len(result.labels) for result in results)


def test_without_held_back_rows_nothing_is_calibrated() -> None:
    config = EvaluationConfig(calibration="platt", like_baselines=())
    with pytest.raises(DataError, match="calibration: the validation part has 0 labelled events"):
        evaluated(config, validation=VALIDATION.slice(0, 0))
    plain = config.model_copy(update={"calibration": None})
    assert evaluated(plain, validation=VALIDATION.slice(0, 0))[2].tasks == {}


def test_without_observed_negatives_every_figure_says_that_they_were_drawn() -> None:
    """Among interactions that are all positive, an area says nothing about what users dislike."""
    config = EvaluationConfig(like_baselines=(), slices=())
    slices = {row.slice for result in evaluated(config)[0] for row in result.rows}
    assert slices == {"all"}
    likes = part(3, positive=1.0)
    like, buy = evaluated(config, interactions=likes)[0]
    assert {row.slice for row in like.rows} == {"sampled_negatives"}
    assert {row.slice for row in buy.rows} == {"all"}
    drawn = SPEC.model_copy(update={"sampling_probability": "sampling_probability"})
    assert {row.slice for row in evaluated(config, spec=drawn)[0][0].rows} == {"sampled_negatives"}


def listed(test: pa.Table, folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, ...]:
    source = CandidateSource.fit(TRAIN, CandidatesConfig(source=ItemKnnConfig()))
    source.save(folder)
    monkeypatch.setattr(
        nodes,
        "_model_scores",
        lambda *arguments: np.asarray(arguments[3]["item_id"]).astype(np.float32),
    )
    config = EvaluationConfig(
        k=(3,),
        slices=(),
        seen="keep",
        queries=QueriesConfig(per="user", min_history=0, targets="all"),
        list_baselines=(PopularityConfig(),),
        sampled=SampledConfig(negatives=2),
    )
    return nodes.evaluate_lists(
        Path(),
        folder,
        SPEC,
        Path(),
        STATS,
        TRAIN,
        VALIDATION.slice(0, 0),
        test,
        pa.concat_tables([TRAIN, test]),
        ITEMS,
        USERS,
        TRAINING,
        config,
    )


def test_lists_by_the_model_are_those_of_its_scores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    met = set(zip(TRAIN["user_id"].to_pylist(), TRAIN["item_id"].to_pylist(), strict=True))
    later = [(u, i) for u in range(6) for i in range(2, 8) if (u, i) not in met]
    test = VALIDATION.slice(0, len(later))
    for name, values in zip(("user_id", "item_id"), zip(*later, strict=True), strict=True):
        test = test.set_column(test.column_names.index(name), name, pa.array(values))
    result, values, drawn = listed(test, tmp_path, monkeypatch)
    recall = {r.model: r.value for r in result.rows if (r.metric, r.slice) == ("recall", "all")}
    best = {6, 7, 8}  # whose score is their number
    owners = {user for user, _ in later}
    hits = [np.mean([item in best for owner, item in later if owner == user]) for user in owners]
    assert recall["item_knn+mmoe"] == pytest.approx(np.mean(hits), abs=1e-9)
    assert values.num_rows == len(owners)
    assert set(drawn.column_names) == {"user_id", "item_id"}
    pairs = zip(drawn["user_id"].to_pylist(), drawn["item_id"].to_pylist(), strict=True)
    assert not set(pairs) & (met | set(later))
    assert len(owners) < drawn.num_rows <= 2 * len(owners)


def test_an_empty_test_part_asks_for_no_lists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result, values, drawn = listed(TRAIN.slice(0, 0), tmp_path, monkeypatch)
    assert [(row.metric, row.value) for row in result.rows] == [("count", 0)]
    assert (values.num_rows, drawn.num_rows) == (0, 0)
