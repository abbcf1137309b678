"""Nodes of the evaluation stage; TensorFlow is imported when the model is loaded."""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from reclife.config.evaluation import EvaluationConfig
from reclife.contracts import (
    Calibration,
    Calibrations,
    EvaluationReport,
    FeatureSpec,
    FeatureStats,
    TrainingReport,
    ValidationReport,
)
from reclife.evaluation import (
    catalogue,
    drawn,
    gate,
    like,
    lists,
    page,
    queries,
    rankers,
    slices,
)
from reclife.metrics import calibrators
from reclife.transforms.engine.known_events import divide
from reclife.transforms.kernels.arrays import floats

_LOG = logging.getLogger(__name__)
_CHUNK = 1 << 18
"""Feature requests computed at a time."""


def evaluate_like(
    model: Path,
    spec: FeatureSpec,
    train: pa.Table,
    validation: pa.Table,
    test: pa.Table,
    interactions: pa.Table,
    items: pa.Table,
    users: pa.Table,
    training: TrainingReport,
    config: EvaluationConfig,
) -> tuple[list[like.LikeResult], pa.Table, Calibrations]:
    """Predict every test event and measure the model beside its baselines, task by task.

    Returns:
        A result a task, the scored events of all tasks, and the calibration of every task, none
        unless it is declared.
    """
    from reclife.models.saved import load_model, predict_tasks

    ranking = load_model(model, spec)
    predicted = predict_tasks(ranking, test)
    maps: dict[str, Calibration] = {}
    if config.calibration is not None:
        held = predict_tasks(ranking, validation) if validation.num_rows else predicted[:0]
        for number, task in enumerate(ranking.tasks):
            truth = floats(validation, task.label)
            known = ~np.isnan(truth)
            maps[task.name] = calibrators.fit(config.calibration, truth[known], held[known, number])
    results = [
        like.evaluate(
            config.trained_name(training.model_kind),
            predicted[:, number],
            like.Examples(train, validation, test),
            spec,
            config,
            refit=training.refitted,
            sampled=_negatives_are_drawn(spec, interactions, task.label),
            who=slices.Entities(items, users),
            task=task,
            calibration=maps.get(task.name),
        )
        for number, task in enumerate(ranking.tasks)
    ]
    for result in results:
        _LOG.info(
            "%s: %d test events with a label, %d without.",
            result.task,
            len(result.labels),
            result.unlabelled,
        )
    scored = pa.concat_tables([result.table() for result in results])
    return results, scored, Calibrations(tasks=maps)


def _negatives_are_drawn(spec: FeatureSpec, interactions: pa.Table, label: str) -> bool:
    """Tell whether negatives were drawn, or there are none but drawn ones."""
    if spec.sampling_probability is not None:
        return True
    truth = floats(interactions, label)
    return bool((truth[~np.isnan(truth)] > 0).all())


def evaluate_lists(
    model: Path,
    candidates: Path,
    spec: FeatureSpec,
    feature_state: Path,
    stats: FeatureStats,
    train: pa.Table,
    validation: pa.Table,
    test: pa.Table,
    interactions: pa.Table,
    items: pa.Table,
    users: pa.Table,
    training: TrainingReport,
    config: EvaluationConfig,
) -> tuple[lists.ListsResult, pa.Table, pa.Table]:
    """Ask for lists at the test users' moments; measure retrievers and the re-ranking model.

    Returns:
        The result, each query's values, and the drawn negatives, none unless they are declared.
    """
    from reclife.retrieval.blend import blend
    from reclife.retrieval.candidates import CandidateSource

    before, after = divide(interactions, train, validation, test, spec, stats)
    asked = queries.build(before, after, config.queries, config.seen)
    source = CandidateSource.load(candidates)
    compared = rankers.retrieval_rankers(before, asked, config, source)
    found = source.top(
        asked.histories, config.rerank.candidates, exclude_seen=asked.mask, users=asked.users
    )
    query, retrieved = np.asarray(found["query"]), np.asarray(found["score"])
    requests = asked.requests(query, found["item_id"].combine_chunks())
    scores = _model_scores(
        model, spec, feature_state, requests, interactions, items, users, stats.test_start
    )
    combined = blend(query, retrieved, scores, config.rerank.weight)
    name = f"{source.config.source.kind}+{config.trained_name(training.model_kind)}"
    compared.append(rankers.reranked(name, source, found, combined))
    negatives = drawn.draw(asked, source.items, config.sampled) if config.sampled else None
    result = lists.evaluate(
        asked,
        compared,
        config,
        catalogue.Catalogue(before, items, asked, config.diversity),
        slices.Entities(items, users),
        negatives,
    )
    _LOG.info(
        "Lists: %d queries of %d users; %.1f %% of what came next was unknown at the cut.",
        result.queries,
        result.users,
        100 * result.unknown_share,
    )
    return result, result.values, drawn.as_table(asked, negatives)


def _model_scores(
    model: Path,
    spec: FeatureSpec,
    feature_state: Path,
    requests: pa.Table,
    interactions: pa.Table,
    items: pa.Table,
    users: pa.Table,
    cut: int | None,
) -> npt.NDArray[np.float32]:
    """Return the model's score of each request `[N]`, the item side frozen at the cut."""
    from reclife.models.saved import load_model, predict
    from reclife.transforms.engine.requests import features_for
    from reclife.transforms.state import FeatureState

    ranking, state = load_model(model, spec), FeatureState.load(feature_state)
    names = {feature.name for feature in ranking.features}
    parts = [np.zeros(0, np.float32)]
    for start in range(0, requests.num_rows, _CHUNK):
        some = requests.slice(start, _CHUNK)
        rows = features_for(some, interactions, items, users, state, item_cut=cut, names=names)
        parts.append(predict(ranking, rows))
    return np.concatenate(parts)


def write_report(
    like_results: list[like.LikeResult],
    lists_result: lists.ListsResult,
    stats: FeatureStats,
    config: EvaluationConfig,
    run_id: str,
) -> tuple[EvaluationReport, str]:
    """Put the rows of all tasks into one report and one page."""
    predicted = tuple(row for result in like_results for row in result.rows)
    rows = (*predicted, *lists_result.rows)
    report = EvaluationReport(run_id=run_id, rows=rows, leaking=stats.leaking)
    return report, page.render(report, like_results, lists_result, stats, config)


def check_gate(
    report: EvaluationReport,
    evaluation_page: str,
    training: TrainingReport,
    config: EvaluationConfig,
    run_id: str,
) -> str:
    """Fail the run when a declared floor is not reached; the report is saved by then.

    Returns:
        The run's id, for the closing node to wait for.
    """
    del evaluation_page  # only waited for
    place = f"data/08_reporting/runs/{run_id}/evaluation.html"
    gate.check(report, config.gate, config.trained_name(training.model_kind), place)
    return run_id


def validate(
    report: EvaluationReport,
    evaluation_page: str,
    scored_events: pa.Table,
    scored_lists: pa.Table,
    drawn_negatives: pa.Table,
    calibrations: Calibrations,
    passed: str,
    expectations: Mapping[str, Any],
    run_id: str,
) -> ValidationReport:
    """Validate the report's rows; everything else that the stage leaves behind is waited for."""
    from reclife.validation.stage import validate_stage

    _LOG.debug(
        "Gate passed by run %s: page of %d characters, %d events, %d queries, %d drawn negatives, "
        "%d calibrated tasks.",
        passed,
        len(evaluation_page),
        scored_events.num_rows,
        scored_lists.num_rows,
        drawn_negatives.num_rows,
        len(calibrations.tasks),
    )
    return validate_stage("evaluation", {"evaluation": report.rows}, expectations, run_id)
