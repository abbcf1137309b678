"""Features as a stage: nothing of the test part reaches training."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from kedro.validation.type_extractor import TypeExtractor
from tests.transforms.toy_world import FEATURES, World

from reclife.config.features import FeaturesConfig
from reclife.config.ingest import IngestConfig
from reclife.contracts import FeatureSpec, FeatureStats, IngestReport, LabelReport, Task
from reclife.pipelines.features import nodes
from reclife.pipelines.features.pipeline import create_pipeline
from reclife.pipelines.ingest.pipeline import create_pipeline as create_ingest

Stage = Callable[..., dict[str, Any]]
LIKE = LabelReport(task="like", column="label", delay=0, known=1, mean=0.5)


@pytest.fixture
def run_stage(spark: Any, tmp_path: Path) -> Stage:
    def run(
        events: pa.Table, world: Any, labels: tuple[LabelReport, ...] = (LIKE,), **changes: Any
    ) -> dict[str, Any]:
        declared = {"split": {"kind": "global_time"}, "features": FEATURES, **changes}
        config = FeaturesConfig.model_validate(declared)
        frames = [spark.createDataFrame(t) for t in (events, world.items, world.users)]
        ingested = IngestReport(tables=(), labels=labels)
        divided, cuts = nodes.split_interactions(*frames, ingested, config)
        save, spec = nodes.fit_state(divided, *frames[1:], ingested, cuts, config)
        save(tmp_path)
        examples = nodes.compute_features(divided, *frames[1:], tmp_path, cuts, config)
        stats = nodes.measure_examples(examples, spec, tmp_path, cuts)
        parts = nodes.write_examples(examples, stats)
        tables = [part.toArrow() for part in parts]
        names = ("train", "validation", "test")
        return {"spec": spec, "stats": stats, **dict(zip(names, tables, strict=True))}

    return run


def test_parts_are_in_time_order_and_complete(run_stage: Stage) -> None:
    world = World(21)
    found = run_stage(world.events, world)
    train, validation, test = (found[part] for part in ("train", "validation", "test"))
    times = [part["timestamp"].to_pylist() for part in (train, validation, test)]
    stats: FeatureStats = found["stats"]
    assert max(times[0]) < min(times[1]) == stats.validation_start
    assert max(times[1]) < min(times[2]) == stats.test_start
    assert sum(map(len, times)) == world.events.num_rows
    assert all(part == sorted(part) for part in times)
    assert stats.rows == {
        "train": len(times[0]),
        "validation": len(times[1]),
        "test": len(times[2]),
    }
    assert stats.base_rates["test"] == pytest.approx(sum(test["label"].to_pylist()) / test.num_rows)
    spec: FeatureSpec = found["spec"]
    expected = [*world.events.column_names, *(f.name for f in spec.features)]
    assert sorted(train.column_names) == sorted(expected)
    for feature in spec.features:
        kind = "list<" if feature.shape else {"int64": "int64", "float32": "float"}[feature.dtype]
        assert str(train.schema.field(feature.name).type).startswith(kind)
        if feature.shape:
            assert {len(row) for row in train[feature.name].to_pylist()} == {feature.shape[0]}


def test_what_happens_in_the_test_part_does_not_reach_training(run_stage: Stage) -> None:
    """Other labels, items and genres after the cut leave training, cuts and state as they were."""
    world = World(22)
    plain = run_stage(world.events, world)
    cut = plain["stats"].test_start
    rows = world.events.to_pylist()
    planted = [
        {**row, "label": 1 - row["label"], "rating": 0.5, "item_id": 24}
        if row["timestamp"] >= cut
        else row
        for row in rows
    ]
    other = run_stage(pa.Table.from_pylist(planted, world.events.schema), world)
    assert other["stats"].test_start == cut
    assert other["spec"] == plain["spec"]
    assert other["train"].equals(plain["train"])
    assert other["validation"].equals(plain["validation"])


def test_items_are_frozen_at_the_cut_and_users_are_not(run_stage: Stage) -> None:
    world = World(23)
    found = run_stage(world.events, world)
    per_item: dict[Any, set[float]] = {}
    for row in found["test"].to_pylist():
        per_item.setdefault(row["item_id"], set()).add(row["item_count"])
    assert all(len(values) == 1 for values in per_item.values())
    per_user: dict[Any, set[float]] = {}
    for row in found["test"].to_pylist():
        per_user.setdefault(row["user_id"], set()).add(row["user_count"])
    assert any(len(values) > 1 for values in per_user.values())


def test_clicks_get_negatives_in_every_part(run_stage: Stage) -> None:
    world = World(24)
    clicks = world.events.set_column(4, "label", pa.array([1.0] * world.events.num_rows))
    found = run_stage(clicks, world, negatives={"kind": "uniform", "per_positive": 2})
    known = {row["item_id"] for row in found["train"].to_pylist() if row["label"] == 1}
    for part in ("train", "validation", "test"):
        negatives = [row for row in found[part].to_pylist() if row["label"] == 0]
        assert negatives
        assert {row["item_id"] for row in negatives} <= known
    positives = [row for row in found["train"].to_pylist() if row["label"] == 1]
    assert {row["user_mean"] for row in positives} == {1.0}  # a negative is never an event


def with_tasks(events: pa.Table) -> pa.Table:
    """Every third event is no example; a second label; weights; event types."""
    rows = []
    for number, row in enumerate(events.to_pylist()):
        view = number % 3 == 0
        second = None if view else float(number % 5 == 0)
        more = {"event": "view" if view else "click", "label_buy": second, "weight": 1.0 + number}
        rows.append({**row, **more, "label": None if view else row["label"]})
    fields = [("event", pa.string()), ("label_buy", pa.float64()), ("weight", pa.float64())]
    return pa.Table.from_pylist(rows, pa.schema([*events.schema, *fields]))


def test_examples_carry_every_label_and_the_weight(run_stage: Stage) -> None:
    world = World(26)
    events = with_tasks(world.events)
    delay = 3
    buy = LabelReport(task="buy", column="label_buy", delay=delay, known=1, mean=None)
    found = run_stage(events, world, labels=(LIKE, buy))
    spec: FeatureSpec = found["spec"]
    assert spec.tasks == (Task(name="like", label="label"), Task(name="buy", label="label_buy"))
    assert spec.weight == "weight"
    stats: FeatureStats = found["stats"]
    ends = {"train": stats.validation_start, "validation": stats.test_start, "test": 2**40}
    keys = ("user_id", "item_id", "timestamp")
    truth = {tuple(row[k] for k in keys): row for row in events.to_pylist()}
    examples = 0
    for part, end in ends.items():
        rows = found[part].to_pylist()
        examples += len(rows)
        for row in rows:
            event = truth[tuple(row[k] for k in keys)]
            assert row["event"] == "click"
            assert (row["label"], row["weight"]) == (event["label"], event["weight"])
            known = row["timestamp"] + delay < (end or 0)
            assert row["label_buy"] == (event["label_buy"] if known else None)
        known_labels = [row["label_buy"] for row in rows if row["label_buy"] is not None]
        mean = sum(known_labels) / len(known_labels)
        assert stats.task_rates["buy"][part] == pytest.approx(mean)
    assert examples == sum(row["event"] == "click" for row in events.to_pylist())


def test_events_that_are_no_examples_are_looked_back_on(run_stage: Stage) -> None:
    world = World(27)
    found = run_stage(with_tasks(world.events), world)
    plain = run_stage(world.events, world, split={"kind": "hash"})
    counts = {}
    for part in ("train", "validation", "test"):
        for row in plain[part].to_pylist():
            counts[row["user_id"], row["item_id"], row["timestamp"]] = row["user_count"]
    assert found["train"].num_rows
    for row in found["train"].to_pylist():
        assert row["user_count"] == counts[row["user_id"], row["item_id"], row["timestamp"]]


def test_data_without_time(run_stage: Stage) -> None:
    world = World(25)
    allowed = [f for f in FEATURES if f["kind"] in ("category", "multi_category", "numeric")]
    found = run_stage(
        world.events.drop_columns("timestamp"), world, split={"kind": "hash"}, features=allowed
    )
    assert found["stats"].leaking
    assert found["spec"].leaking
    assert found["stats"].test_start is None
    assert found["spec"].time is None
    assert sum(found["stats"].rows.values()) == world.events.num_rows


def test_kedro_knows_the_types_of_the_parameters() -> None:
    pipelines = {"ingest": create_ingest(), "features": create_pipeline()}
    found = TypeExtractor(pipelines).extract_types_from_pipelines()
    assert found == {"ingest": IngestConfig, "features": FeaturesConfig}
