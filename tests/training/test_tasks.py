"""What is learnt is what the model predicts, of all that the examples have labels of."""

import pyarrow as pa
import pytest
from tests.models import zoo
from tests.training import toy

from reclife.errors import ConfigError
from reclife.training.train import Trained, train


def trained(tmp_path, kind: str, **changes: object) -> Trained:
    model = {"kind": kind, **zoo.DECLARED[kind]}
    config = toy.config(model=model, epochs=1, refit=False, **changes)
    tables = [
        rows.append_column("user_id", pa.array([row % 5 for row in range(len(rows))]))
        for rows in (zoo.table(128, seed=1), zoo.table(64, seed=2))
    ]
    return train(config, zoo.SPEC, *tables, run_id="run", **toy.folders(tmp_path))


@pytest.mark.parametrize(
    ("kind", "tasks"), [("logistic_regression", ["like"]), ("shared_bottom", ["like", "buy"])]
)
def test_a_model_learns_the_tasks_it_predicts(tmp_path, kind, tasks):
    report = trained(tmp_path, kind).report
    assert list(report.validation) == tasks
    assert report.spec_hash == zoo.SPEC.hash


def test_a_loss_for_a_task_that_the_model_does_not_predict_is_refused(tmp_path):
    objective = {"tasks": {"buy": {"kind": "focal"}}}
    with pytest.raises(ConfigError, match="names the task buy; the model predicts like"):
        trained(tmp_path, "logistic_regression", objective=objective)
