"""Nodes of the training stage; TensorFlow is imported when they run."""

import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from reclife.config.training import TrainingConfig
from reclife.contracts import (
    TIME,
    FeatureSpec,
    FeatureStats,
    ModelSummary,
    TrainingReport,
    ValidationReport,
)

WriteFolder = Callable[[Path], None]

_LOG = logging.getLogger(__name__)


def probe_export(spec: FeatureSpec, config: TrainingConfig) -> str:
    """Lower the untrained model, so that one that cannot be exported fails before training.

    Returns:
        The hash of the specification that was probed: training waits for it.
    """
    from reclife.export.probe import check_exportable
    from reclife.models import build

    check_exportable(build(config.model, spec, config.seed), spec)
    return spec.hash


def describe_model(spec: FeatureSpec, config: TrainingConfig) -> ModelSummary:
    """Return the declared model part by part, with shapes, and log it."""
    from reclife.models import build
    from reclife.models.summary import summarise
    from reclife.pipelines.training.page import text

    kind = config.model.root.kind
    summary = summarise(build(config.model, spec, config.seed), kind)
    _LOG.info("The model, %s, %s numbers:\n%s", kind, f"{summary.numbers:,}", text(summary))
    return summary


def train_model(
    train: pa.Table,
    validation: pa.Table,
    spec: FeatureSpec,
    config: TrainingConfig,
    checkpoints: Path,
    logs: Path,
    run_id: str,
    probed: str,
) -> tuple[WriteFolder, TrainingReport]:
    """Train the declared model; return what writes it, and the report."""
    from functools import partial

    from reclife.models.saved import save_model
    from reclife.training.train import train as run

    _LOG.debug("Export probed for the specification %s.", probed)
    model, report = run(
        config, spec, train, validation, run_id=run_id, checkpoints=checkpoints, logs=logs
    )
    if report.unused_features:
        _LOG.info("Features the model does not use: %s.", ", ".join(report.unused_features))
    return partial(save_model, model, config.model, spec), report


def fit_candidates(
    interactions: pa.Table,
    train: pa.Table,
    validation: pa.Table,
    stats: FeatureStats,
    config: TrainingConfig,
) -> WriteFolder:
    """Fit the declared candidate source on what lies before the test part."""
    from reclife.retrieval.candidates import CandidateSource
    from reclife.training.retrieval.sources import fit

    events = outside_test(interactions, train, validation, stats)
    return CandidateSource.fit(events, config.candidates, fit).save


def write_page(report: TrainingReport, summary: ModelSummary) -> str:
    """Return the page on the training, with the model drawn."""
    from reclife.pipelines.training.page import render

    return render(report, summary)


def validate(
    model: Path,
    candidates: Path,
    report: TrainingReport,
    page: str,
    expectations: Mapping[str, Any],
    run_id: str,
) -> ValidationReport:
    """Validate what the stage wrote; `model`, `candidates` and `page` are waited for."""
    from reclife.validation.stage import validate_stage

    _LOG.info("Trained %s in %s, candidates in %s.", report.model_kind, model, candidates)
    _LOG.debug("The page on it has %d characters.", len(page))
    return validate_stage("training", {"training_report": report.epochs}, expectations, run_id)


def outside_test(
    interactions: pa.Table, train: pa.Table, validation: pa.Table, stats: FeatureStats
) -> pa.Table:
    """Return the events before the cut, or, without one, those among train and validation."""
    import pyarrow.compute as pc

    from reclife.transforms.known_events import among

    if stats.test_start is not None:
        return interactions.filter(pc.less(interactions[TIME], stats.test_start))
    known = among(interactions, train) | among(interactions, validation)
    return interactions.filter(pa.array(known))
