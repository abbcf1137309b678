"""Orders every user's candidates and keeps the best, on Spark."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from reclife.config.scoring import ScoringConfig
from reclife.contracts import ITEM, USER, Calibration
from reclife.datasets.bundle import SCORE, Bundle
from reclife.metrics.calibrators import calibrated
from reclife.retrieval.blend import blend
from reclife.retrieval.candidates import CandidateSource
from reclife.scoring.candidates import CANDIDATE_SCORE, COLD, KEPT, RANK, RETRIEVED

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

PROBABILITY = "probability"
POSITION, SOURCE, MODEL_RUN = "rank", "source", "model_run_id"


def ranked(
    scored: "DataFrame", found: "DataFrame", bundle: Bundle, config: ScoringConfig
) -> "DataFrame":
    """Return the best `config.top` rows of every user, with rank, score and where they come from.

    Args:
        scored: Candidates of users with a history, with `probability`.
        found: Candidates of all users.
        bundle: Names the source, the fallback and the run of the model.
        config: How many to keep, and the model's part in the order.
    """
    from pyspark.sql import functions as F  # noqa: N812

    together = scored.select(*KEPT, PROBABILITY).unionByName(
        found.where(F.col(COLD)).select(*KEPT, F.lit(0.0).cast("float").alias(PROBABILITY))
    )
    parts = int(found.sparkSession.conf.get("spark.sql.shuffle.partitions") or 1)
    kept = f"{USER} {found.schema[USER].dataType.simpleString()}, {POSITION} int, "
    kept += f"{ITEM} {found.schema[ITEM].dataType.simpleString()}, {SCORE} float, "
    kept += f"{COLD} boolean, {RETRIEVED} boolean"
    top, weight, calibration = config.top, config.rerank.weight, bundle.calibration()

    def run(batches: "Iterator[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        import pyarrow as pa

        rows = list(batches)
        if rows:
            yield from best(pa.Table.from_batches(rows), top, weight, calibration).to_batches()

    declared = CandidateSource.load(bundle.candidates).config
    source = F.when(F.col(RETRIEVED), declared.source.kind).otherwise(declared.fallback.kind)
    return (
        together.repartition(parts, USER)
        .mapInArrow(run, kept)
        .withColumn(SOURCE, source)
        .withColumn(MODEL_RUN, F.lit(bundle.manifest.run_id))
        .drop(RETRIEVED)
    )


def best(
    table: "pa.Table", top: int, weight: float, calibration: Calibration | None = None
) -> "pa.Table":
    """Return the `top` best rows of each user of `table`, which holds all rows of its users.

    The order of a user with a history is that of `blend`; a cold user keeps the order of the
    fallback, with the reciprocal of the rank there as score. Scores are rounded to 1e-6, below
    which the shape of a batch may show; ties go to the better candidate. At weight 1 a score is a
    chance, and shown calibrated; the order is that of the model's own.
    """
    import pyarrow as pa

    users = table[USER].combine_chunks().dictionary_encode().indices.to_numpy()
    place = table[RANK].to_numpy()
    cold = np.asarray(table[COLD])
    mixed = blend(users, table[CANDIDATE_SCORE].to_numpy(), table[PROBABILITY].to_numpy(), weight)
    scores = np.where(cold, 1.0 / place, mixed).round(6).astype(np.float32)
    order = np.lexsort((place, -scores, users))
    first = np.searchsorted(users[order], np.arange(users.max(initial=-1) + 1))
    position = np.arange(len(order)) - first[users[order]]
    order, position = order[position < top], position[position < top]
    chosen = table.take(pa.array(order))
    if weight == 1.0:
        scores = np.where(cold, scores, calibrated(calibration, scores)).astype(np.float32)
    return pa.table(
        {
            USER: chosen[USER],
            POSITION: pa.array(position + 1, pa.int32()),
            ITEM: chosen[ITEM],
            SCORE: pa.array(scores[order], pa.float32()),
            COLD: chosen[COLD],
            RETRIEVED: chosen[RETRIEVED],
        }
    )
