"""Nodes of the training stage; TensorFlow is imported when they run."""

import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from reclife.config.training import TrainingConfig
from reclife.contracts import (
    FeatureSpec,
    FeatureStats,
    ModelSummary,
    TrainingReport,
    ValidationReport,
)
from reclife.datasets.earlier_model import Earlier
from reclife.errors import ConfigError

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
    state: Path,
    earlier: Earlier | None = None,
) -> tuple[WriteFolder, TrainingReport]:
    """Train the declared model; return what writes it, and the report.

    Where `warm_start` is declared and there is an earlier model, training goes on from it.
    """
    from reclife.training.run import run
    from reclife.training.warm_start import from_earlier

    _LOG.debug("Export probed for the specification %s.", probed)
    start = None
    if config.warm_start is not None and earlier is not None:
        check_growth(earlier.state, state)
        start = from_earlier(earlier.model, spec, config)
    elif config.warm_start is not None:
        _LOG.info("There is no earlier model to start from: weights start at random.")
    write, report = run(
        config,
        spec,
        train,
        validation,
        run_id=run_id,
        checkpoints=checkpoints,
        logs=logs,
        start=start,
    )
    if report.unused_features:
        _LOG.info("Features the model does not use: %s.", ", ".join(report.unused_features))
    return write, report


def check_growth(earlier: Path, state: Path) -> None:
    """Refuse a feature state under whose ids the rows of an earlier model mean something else.

    Raises:
        ConfigError: It does not extend the earlier one.
    """
    from reclife.transforms.engine.growth import extends
    from reclife.transforms.state import FeatureState

    if not extends(FeatureState.load(earlier), FeatureState.load(state)):
        raise ConfigError(
            "training.warm_start: the vocabularies of this run do not extend those of the earlier "
            f"model ({earlier}), so that its rows would mean other values: let them grow from it "
            "(earlier_feature_state in the catalog), or declare warm_start: null."
        )


def fit_candidates(
    interactions: pa.Table,
    train: pa.Table,
    validation: pa.Table,
    test: pa.Table,
    spec: FeatureSpec,
    stats: FeatureStats,
    config: TrainingConfig,
) -> WriteFolder:
    """Fit the declared candidate source on what lies before the test part.

    Without a cut in time, `test` says which events those are not.
    """
    from reclife.retrieval.candidates import CandidateSource
    from reclife.training.retrieval.sources import fit
    from reclife.transforms.engine.known_events import divide

    events, _ = divide(interactions, train, validation, test, spec, stats)
    return CandidateSource.fit(events, config.candidates, fit).save


def write_page(report: TrainingReport, summary: ModelSummary, candidates: Path) -> str:
    """Return the page on the training, with the model and a trained candidate source drawn."""
    from reclife.pipelines.training.page import render

    return render(report, summary, describe_source(candidates))


def describe_source(candidates: Path) -> ModelSummary | None:
    """Return the candidate source part by part; None of one that is fitted by a formula."""
    from reclife.config.neural import NeuralConfig
    from reclife.models.retrieval.summary import of_declared
    from reclife.retrieval.candidates import CandidateSource
    from reclife.retrieval.vectors import UserTable, Vectors

    source = CandidateSource.load(candidates)
    declared, retriever = source.config.source, source.retriever
    if not isinstance(declared, NeuralConfig) or not isinstance(retriever, Vectors):
        return None
    encoder = retriever.encoder
    users = len(encoder.users) if isinstance(encoder, UserTable) else 0
    return of_declared(declared, users, len(retriever.index))


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
