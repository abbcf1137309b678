"""The declared floors that fail the run."""

from reclife.config.evaluated import LISTS
from reclife.config.gate import FloorConfig, GateConfig
from reclife.contracts import EvaluationReport, EvaluationRow
from reclife.errors import GateFailed

ABSENT = "was not measured, or is not defined on this test part"


def check(report: EvaluationReport, config: GateConfig, trained: str, place: str) -> None:
    """Compare the report with the gate.

    Args:
        report: What was measured.
        config: The gate.
        trained: The trained model's name, meant by a floor without a model.
        place: Where the report lies, for the message.

    Raises:
        GateFailed: A floor is not reached, a baseline not beaten, or a figure is not there. The
            message names every failure.
    """
    failures = [f for floor in config.floors if (f := _below(report, floor, trained))]
    for rule in config.must_beat:
        ours = _value(report, trained, rule.metric, None)
        for baseline in rule.baselines:
            theirs = _value(report, baseline, rule.metric, None)
            if ours is None or theirs is None:
                missing = trained if ours is None else baseline
                failures.append(f"{rule.metric} of {missing} {ABSENT}")
            elif ours <= theirs:
                failures.append(
                    f"{rule.metric} of {trained} is {ours:.4f}, not above {baseline} ({theirs:.4f})"
                )
    if failures:
        raise GateFailed(f"The quality gate failed: {'; '.join(failures)}. Report: {place}.")


def _below(report: EvaluationReport, floor: FloorConfig, trained: str) -> str | None:
    model = floor.model or (_of_lists(report, trained) if floor.of_lists else trained)
    value = _value(report, model, floor.metric, floor.k, floor.task)
    at = f"@{floor.k}" if floor.k else ""
    if value is None:
        return f"{floor.metric}{at} of {model} {ABSENT}"
    if value < floor.at_least:
        return f"{floor.metric}{at} of {model} is {value:.4f}, below the floor {floor.at_least}"
    return None


def _of_lists(report: EvaluationReport, trained: str) -> str:
    """Return what lists by the trained model are called: `<candidate source>+<model>`."""
    names = (row.model for row in report.rows if row.task == LISTS)
    return next((name for name in names if name.endswith(f"+{trained}")), trained)


def _value(
    report: EvaluationReport, model: str, metric: str, k: int | None, task: str | None = None
) -> float | None:
    """Return the figure over everything; on drawn negatives where nothing else was measured.

    Without a task, that of the first one that has the metric: the main task, or the lists.
    """

    def fits(row: EvaluationRow) -> bool:
        whole = row.slice in ("all", "sampled_negatives") and task in (None, row.task)
        return whole and (row.model, row.metric, row.k) == (model, metric, k)

    return next((row.value for row in report.rows if fits(row)), None)
