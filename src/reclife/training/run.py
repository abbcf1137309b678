"""A declared training from examples to a model: stages, the probe, and where the steps are done."""

import logging
from functools import partial
from pathlib import Path

import pyarrow as pa

from reclife.config.training import TrainingConfig
from reclife.contracts import FeatureSpec
from reclife.models import build
from reclife.models.saved import save_model
from reclife.training.examples import Examples
from reclife.training.launchers.launch import launch
from reclife.training.learnable import learnt_by
from reclife.training.outcome import Outcome
from reclife.training.plan import plan
from reclife.training.probe import check_speed
from reclife.training.stages import Staged
from reclife.training.train import Trained, train
from reclife.training.warm_start import Start, save_optimizer

_LOG = logging.getLogger(__name__)


def run(
    config: TrainingConfig,
    spec: FeatureSpec,
    table: pa.Table,
    validation: pa.Table,
    *,
    run_id: str,
    checkpoints: Path,
    logs: Path,
    start: Start | None = None,
) -> Outcome:
    """Train as declared; the arguments are those of `train`.

    Raises:
        ReclifeError: The declaration does not fit, or training cannot go on.
    """

    def one(
        declared: TrainingConfig, rows: pa.Table, start: Start | None, kept: Path, logs: Path
    ) -> Outcome:
        model = build(declared.model, spec, declared.seed)
        learnt = learnt_by(model, spec)
        batch = rows.slice(0, declared.batch_size)
        first = Examples.from_table(batch, model.features, learnt, declared.objective)
        _LOG.info("%s", plan(declared, model, first))
        del model  # its tables may be large
        if not any(kept.glob("*/step-*")):
            check_speed(declared, learnt, first)
        given = (declared, spec, rows, validation)
        if declared.topology.kind == "local" and declared.placement is None:
            trained = train(*given, run_id=run_id, checkpoints=kept, logs=logs, start=start)
            return Outcome(partial(_write, trained, declared, spec), trained.report)
        return launch(*given, run_id=run_id, checkpoints=kept, logs=logs, start=start)

    if not config.stages:
        return one(config, table, start, checkpoints, logs)
    return Staged(config, spec, checkpoints / "stages", logs, one).train(table, start)


def _write(trained: Trained, config: TrainingConfig, spec: FeatureSpec, folder: Path) -> None:
    save_model(trained.model, config.model, spec, folder)
    save_optimizer(trained.optimizer, folder)
