"""Runs the plan of the recommendations once and reports on it."""

import logging
import time
from typing import TYPE_CHECKING

from reclife.contracts import ITEM, USER, ScoringReport
from reclife.datasets.bundle import Bundle
from reclife.errors import DataError
from reclife.scoring.candidates import COLD
from reclife.scoring.recommend import Recommendations

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

log = logging.getLogger(__name__)


def measured(
    plan: Recommendations, bundle: Bundle, run_id: str
) -> tuple["DataFrame", ScoringReport]:
    """Compute the recommendations, keep them cached for the write, and count.

    `rows_per_second` is scored candidates over the wall time of histories, retrieval, features,
    scores and ranks together.

    Raises:
        DataError: No user is left with anything to recommend.
    """
    from pyspark.sql import functions as F  # noqa: N812

    started = time.perf_counter()
    frame = plan.frame.persist()
    counts = frame.agg(
        F.countDistinct(USER).alias("users"),
        F.countDistinct(F.when(F.col(COLD), F.col(USER))).alias("cold"),
        F.count(ITEM).alias("rows"),
    ).first()
    seconds = time.perf_counter() - started
    if counts is None or counts["rows"] == 0:
        raise DataError(
            "There is nothing to recommend: no user is known, or all of them have seen every item."
        )
    candidates = plan.candidates.count()
    log.info("Scoring: %d users, %d candidates in %.1f s.", counts["users"], candidates, seconds)
    return frame, ScoringReport(
        run_id=run_id,
        model_run_id=bundle.manifest.run_id,
        date=plan.date,
        users=counts["users"],
        cold_users=counts["cold"],
        rows=counts["rows"],
        candidates=candidates,
        rows_per_second=round(candidates / seconds, 1),
        path=f"data/07_model_output/recommendations/date={plan.date}",
        leaking=bundle.spec().leaking,
    )
