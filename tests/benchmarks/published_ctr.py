"""Ranking models on MovieLens 100k's published split of ratings, on the current run's examples.

    RECLIFE_DATA=<folder> kedro run --env ml100k_ctr --pipelines ingest,features
    RECLIFE_DATA=<folder> python -m tests.benchmarks.published_ctr [--model deepfm]

`published_ctr.yml` declares the models, their features and their goals.
"""

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any, final

import numpy as np
import yaml
from kedro.framework.session.session import KedroSession
from kedro.framework.startup import bootstrap_project
from pydantic import Field, TypeAdapter

from reclife.config.schema import Schema
from reclife.config.training import TrainingConfig
from reclife.metrics.classification import auc, logloss
from tests.benchmarks.lines import Line

ENVIRONMENT = "ml100k_ctr"
DECLARED = Path(__file__).with_suffix(".yml")


@final
class Model(Schema):
    """A training and what it is to reach; the figures are means over the seeds."""

    seeds: tuple[int, ...] = (0, 1, 2)
    auc: float | None = Field(None, description="Least mean AUC.")
    logloss: float | None = Field(None, description="Largest mean logloss.")
    training: TrainingConfig


def declared() -> dict[str, Model]:
    """Return the models by name."""
    content = yaml.safe_load(DECLARED.read_text(encoding="utf-8"))
    return TypeAdapter(dict[str, Model]).validate_python(content["models"])


def measure(scale: str) -> list[Line]:
    """Train and test every model, once a seed."""
    del scale  # the data has one size
    with _session() as session:
        catalog = session.load_context().catalog
        return [line for name in declared() for line in lines(name, catalog)]


def lines(name: str, catalog: Any) -> Iterator[Line]:
    """Yield the figures of each seed, and their means."""
    model = declared()[name]
    found = [_figures(model.training.model_copy(update={"seed": s}), catalog) for s in model.seeds]
    for seed, (area, loss) in zip(model.seeds, found, strict=True):
        yield Line("published", f"ml-100k-ctr_{name}_seed{seed}_auc", area, "-", better="higher")
        yield Line("published", f"ml-100k-ctr_{name}_seed{seed}_logloss", loss, "-")
    areas, losses = zip(*found, strict=True)
    yield Line("published", f"ml-100k-ctr_{name}_auc", fmean(areas), "-", model.auc, "higher")
    yield Line("published", f"ml-100k-ctr_{name}_logloss", fmean(losses), "-", model.logloss)


def _figures(config: TrainingConfig, catalog: Any) -> tuple[float, float]:
    from reclife.models.saved import predict  # TensorFlow, once the session has set it up
    from reclife.training.train import train

    train_part, validation, test = (
        catalog.load(f"{part}_examples@arrow") for part in ("train", "validation", "test")
    )
    with tempfile.TemporaryDirectory() as folder:
        trained = train(
            config,
            catalog.load("feature_spec"),
            train_part,
            validation,
            run_id=f"seed-{config.seed}",
            checkpoints=Path(folder) / "checkpoints",
            logs=Path(folder) / "logs",
        )
    truth = np.asarray(test["label"], np.float64)
    chances = predict(trained.model, test).astype(np.float64)
    return auc(truth, chances), logloss(truth, chances)


def _session() -> KedroSession:
    project = Path.cwd()
    bootstrap_project(project)
    return KedroSession.create(project_path=project, env=ENVIRONMENT)


def main() -> None:
    """Train and test the models."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.published_ctr")
    parser.add_argument("--model", choices=declared())
    chosen = parser.parse_args()
    with _session() as session:
        catalog = session.load_context().catalog
        for name in [chosen.model] if chosen.model else declared():
            for line in lines(name, catalog):
                print(line, flush=True)  # noqa: T201 - this is what the command is for


if __name__ == "__main__":
    main()
