"""Stages: what each moves and sees, and a resume in the middle of the second one."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pydantic import ValidationError
from tests.training import toy

from reclife.config.stages import RowsConfig
from reclife.config.training import TrainingConfig
from reclife.errors import ConfigError
from reclife.models.saved import read_weights
from reclife.training.outcome import Outcome
from reclife.training.run import run
from reclife.training.stage_rows import chosen
from reclife.training.synchronous import SynchronousTrainer

Array = np.ndarray[Any, Any]


def staged(**changes: object) -> TrainingConfig:
    """Embeddings first, then everything in bfloat16, then the bias alone."""
    first = {"name": "embeddings", "trainable": ["table/*"], "epochs": 1}
    second = {
        "name": "all",
        "precision": {"kind": "bfloat16"},
        "batch_size": 32,
        "dense_optimizer": {"kind": "adam", "learning_rate": 0.01},
    }
    third = {
        "name": "calibration",
        "trainable": ["dense/bias/*"],
        "rows": {"kind": "sample", "share": 0.5},
        "epochs": 1,
    }
    base = {
        "model": {"kind": "deepfm", "hidden_units": [8]},
        "refit": False,
        "checkpoint": {"every_steps": 2},
        "probe": {"force": True},
        "stages": [first, second, third],
    }
    return toy.config(**(base | changes))


def trained(root: Path, config: TrainingConfig) -> Outcome:
    data = toy.table(200, seed=1), toy.table(60, seed=2)
    return run(config, toy.SPEC, *data, run_id="r", **toy.folders(root))


def weights(root: Path, number: int, name: str) -> dict[str, Array]:
    return read_weights(root / "checkpoints/stages" / f"{number}-{name}" / "model")[0]


def changed(before: dict[str, Array], after: dict[str, Array]) -> set[str]:
    return {name for name, array in before.items() if not np.array_equal(array, after[name])}


class Killed(BaseException):
    """Stands for the end of the process."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Outcome]:
    root = tmp_path_factory.mktemp("whole")
    return root, trained(root, staged())


def test_each_stage_moves_its_parts_from_where_the_one_before_left_them(whole, tmp_path):
    root, outcome = whole
    first, second, third = (
        weights(root, i, name) for i, name in enumerate(("embeddings", "all", "calibration"))
    )
    outcome.write(tmp_path)
    assert changed(third, read_weights(tmp_path)[0]) == set()
    assert changed(second, third) == {"dense/bias/0"}
    assert {"table/items", "dense/perceptron/0"} <= changed(first, second)


def test_the_report_lists_the_stages(whole):
    report = whole[1].report
    assert [row.stage for row in report.stages] == ["embeddings", "all", "calibration"]
    assert [row.precision for row in report.stages] == ["float32", "bfloat16", "float32"]
    assert [row.steps for row in report.stages] == [4, 14, 2]  # 200 / 64, 2 x 200 / 32, ~100 / 64
    assert report.steps == 20
    assert [epoch.stage for epoch in report.epochs] == ["embeddings", "all", "all", "calibration"]


def test_killed_within_the_second_stage_it_goes_on_at_its_exact_step(whole, tmp_path, monkeypatch):
    done, real = [], SynchronousTrainer.step

    def dying(self: SynchronousTrainer, *arguments: Any, **options: Any) -> Any:
        done.append(1)
        if len(done) == 10:  # the sixth step of stage two; four are saved
            raise Killed
        return real(self, *arguments, **options)

    with monkeypatch.context() as patched:
        patched.setattr(SynchronousTrainer, "step", dying)
        with pytest.raises(Killed):
            trained(tmp_path, staged())
        again = trained(tmp_path, staged())
    assert len(done) - 10 == 20 - 4 - 4
    assert (
        changed(weights(whole[0], 2, "calibration"), weights(tmp_path, 2, "calibration")) == set()
    )
    losses = [[epoch.loss for epoch in o.report.epochs] for o in (again, whole[1])]
    assert losses[0] == losses[1]


@pytest.mark.slow
def test_a_topology_may_change_between_stages(tmp_path):
    """The second stage on two devices, in a process of its own: the weights are those of one."""
    # without dropout: each copy of a model drops units of its own
    model = {"kind": "deepfm", "hidden_units": [8], "dropout": 0.0}
    stages = [stage.model_dump(exclude_unset=True) for stage in staged().stages]
    stages[1] |= {"topology": {"kind": "mirrored", "devices": 2}, "precision": None}
    alone = [stage | {"topology": None, "precision": None} for stage in stages]
    trained(tmp_path / "a", staged(stages=alone, model=model))
    report = trained(tmp_path / "b", staged(stages=stages, model=model)).report
    assert [row.topology for row in report.stages] == ["local", "mirrored", "local"]
    one, two = (weights(tmp_path / part, 2, "calibration") for part in "ab")
    for name, array in one.items():
        np.testing.assert_allclose(two[name], array, rtol=1e-4, atol=1e-6, err_msg=name)


TIMES = pa.table(
    {
        "timestamp": [5, 1, 4, 2, 3],
        "event": ["a", "b", "a", "c", "b"],
        "parts": [[1], [2], [3], [4], [5]],
    }
)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ({"kind": "all"}, [5, 1, 4, 2, 3]),
        ({"kind": "newest", "share": 0.4}, [5, 4]),
        ({"kind": "where", "column": "event", "equals": ["b", "c"]}, [1, 2, 3]),
    ],
)
def test_the_rows_of_a_stage(rows, expected):
    assert _chosen(rows)["timestamp"].to_pylist() == expected


def test_a_column_that_is_not_there_is_named():
    with pytest.raises(ConfigError, match="column source, which the examples do not have: time"):
        _chosen({"kind": "where", "column": "source", "equals": [1]})


@pytest.mark.parametrize(
    ("column", "equals", "message"),
    [
        ("timestamp", ["newest"], r"\['newest'\] in the column timestamp, which holds int64"),
        ("timestamp", [1, "newest"], "which holds int64: declare values of that type"),
        ("timestamp", [1.5], "which holds int64"),
        ("parts", [1], "which holds list"),
    ],
    ids=str,
)
def test_values_of_another_type_than_the_column_are_named(column, equals, message):
    with pytest.raises(ConfigError, match=message):
        _chosen({"kind": "where", "column": column, "equals": equals})


def _chosen(rows: dict[str, object]) -> pa.Table:
    from pydantic import TypeAdapter

    declared = TypeAdapter(RowsConfig).validate_python(rows)
    return chosen(TIMES, declared, toy.SPEC, seed=1)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"stages": [{"name": "a"}, {"name": "a"}]}, "'a' is there twice"),
        ({"refit": True}, "stages and refit exclude one another"),
        (
            {
                "topology": {
                    "kind": "multi_worker",
                    "workers": 2,
                    "launcher": {"kind": "env", "folder": "f"},
                }
            },
            "stage embeddings: the tasks of an operator end with one stage",
        ),
        (
            {"topology": {"kind": "multi_worker", "workers": 2}, "precision": {"kind": "float16"}},
            "topology multi_worker cannot: declare precision: {kind: bfloat16}",
        ),
    ],
)
def test_stages_that_cannot_be_are_refused(changes, message):
    with pytest.raises(ValidationError, match=message):
        staged(**changes)


def test_a_pattern_that_fits_nothing_is_refused(tmp_path):
    config = staged(stages=[{"name": "a", "trainable": ["table/itms"]}])
    with pytest.raises(
        ConfigError, match=r"'table/itms', and no part .* did you mean 'table/items'"
    ):
        trained(tmp_path, config)


def test_a_stage_that_sees_no_example_is_named(tmp_path):
    rows = {"kind": "where", "column": "user_id", "equals": [999]}
    config = staged(stages=[{"name": "strangers", "rows": rows}])
    with pytest.raises(ConfigError, match=r"stage 'strangers' has none of the \d+ examples"):
        trained(tmp_path, config)
