"""Nodes of the scoring stage."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from reclife.config.scoring import ScoringConfig
from reclife.contracts import ScoringReport, ValidationReport

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
else:
    DataFrame = object  # Kedro resolves the annotations; Spark is imported on first use


def recommend_items(
    bundle: Path,
    interactions: DataFrame,
    items: DataFrame,
    users: DataFrame,
    config: ScoringConfig,
    run_id: str,
) -> tuple[DataFrame, ScoringReport]:
    """Return every user's recommendations and the report on how they were made."""
    from datetime import UTC, datetime

    from reclife.datasets.bundle import Bundle
    from reclife.scoring.recommend import Tables, recommend
    from reclife.scoring.report import measured

    checked = Bundle.open(bundle)
    today = datetime.now(UTC).date()
    plan = recommend(checked, Tables(interactions, items, users), config, today)
    return measured(plan, checked, run_id)


def validate(
    recommendations: DataFrame,
    scoring_report: ScoringReport,  # noqa: ARG001  saved before this node may run
    items: DataFrame,
    users: DataFrame,
    expectations: dict[str, Any],
    run_id: str,
) -> ValidationReport:
    """Hold the staged recommendations against their suite, before they are published."""
    from reclife.validation.stage import validate_stage

    tables = {"recommendations": recommendations}
    references = {"items": items, "users": users}
    return validate_stage("scoring", tables, expectations, run_id, references=references)
