"""The declared model over three seeds, beside the `like` baselines, on the current run's examples.

Also the list baselines, as the current run's evaluation reported them.
"""

import tempfile
from pathlib import Path
from typing import Any

from kedro.framework.session.session import KedroSession
from kedro.framework.startup import bootstrap_project

from reclife.contracts import EvaluationReport, EvaluationRow
from reclife.evaluation import like
from reclife.evaluation.slices import Entities
from tests.benchmarks.lines import Line

SEEDS = (0, 1, 2)
AUC, GAUC = 0.825, 0.68
LISTS = {"ease": 0.085, "item_knn": 0.077}


def measure(scale: str) -> list[Line]:
    """Train and evaluate once a seed."""
    del scale  # the embedded data has one size
    project = Path.cwd()
    bootstrap_project(project)
    with KedroSession.create(project_path=project) as session:
        context = session.load_context()
        catalog, parameters = context.catalog, context.params
        lines = [line for seed in SEEDS for line in _seed(seed, catalog, parameters)]
        report: EvaluationReport = catalog.load("evaluation")
    found = {
        row.model: row.value
        for row in report.rows
        if (row.task, row.slice, row.metric, row.k) == ("lists", "all", "ndcg", 10)
    }
    return lines + [
        Line("quality", f"{name}_ndcg@10", found[name], "-", goal, "higher")
        for name, goal in LISTS.items()
    ]


def _seed(seed: int, catalog: Any, parameters: dict[str, Any]) -> list[Line]:
    from reclife.models.saved import predict  # TensorFlow, once the session has set it up
    from reclife.training.train import train

    training = parameters["training"].model_copy(update={"seed": seed})
    spec = catalog.load("feature_spec")
    parts = [catalog.load(f"{name}_examples@arrow") for name in ("train", "validation", "test")]
    examples = like.Examples(*parts)
    with tempfile.TemporaryDirectory() as folder:
        places = {"checkpoints": Path(folder) / "checkpoints", "logs": Path(folder) / "logs"}
        model, report, _ = train(training, spec, *parts[:2], run_id=f"seed-{seed}", **places)
    result = like.evaluate(
        report.model_kind,
        predict(model, examples.test),
        examples,
        spec,
        parameters["evaluation"],
        refit=report.refitted,
        sampled=False,
        who=Entities(catalog.load("items@arrow"), catalog.load("users@arrow")),
    )
    return list(_lines(seed, report.model_kind, result.rows))


def _lines(seed: int, model: str, rows: tuple[EvaluationRow, ...]) -> list[Line]:
    value = {(r.model, r.metric): r.value for r in rows if r.slice == "all"}
    lines = [
        Line("quality", f"seed{seed}_auc", value[model, "auc"], "-", AUC, "higher"),
        Line("quality", f"seed{seed}_gauc", value[model, "gauc"], "-", GAUC, "higher"),
    ]
    for row in rows:
        if row.metric == "auc_difference":
            other = row.slice.removeprefix("over:")
            lines.append(
                Line("quality", f"seed{seed}_auc_over_{other}", row.value, "-", 0, "higher")
            )
            low = row.ci_low if row.ci_low is not None else float("nan")
            goal = 0.0 if other == "user_item_bias" else None
            name = f"seed{seed}_auc_over_{other}_ci_low"
            lines.append(Line("quality", name, low, "-", goal, "higher"))
    return lines
