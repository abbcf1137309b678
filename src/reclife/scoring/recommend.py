"""From a bundle and today's tables to every user's best unseen items."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, final

from reclife.config.scoring import ScoringConfig
from reclife.contracts import ITEM, TIME
from reclife.datasets.bundle import Bundle
from reclife.errors import ArtifactError, DataError
from reclife.retrieval.candidates import CandidateSource
from reclife.scoring.candidates import COLD, KEPT, histories, retrieve
from reclife.scoring.engine import Engine, check_golden
from reclife.scoring.ranking import PROBABILITY, ranked
from reclife.transforms.engine.spark import features_for_spark
from reclife.transforms.state import FeatureState

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame


@final
@dataclass(frozen=True)
class Tables:
    """Today's canonical tables."""

    interactions: "DataFrame"
    items: "DataFrame"
    users: "DataFrame"


@final
@dataclass(frozen=True)
class Recommendations:
    """The plan of the recommendations, and of the scored candidates behind them."""

    frame: "DataFrame"
    candidates: "DataFrame"
    date: str


def recommend(
    bundle: Bundle, tables: Tables, config: ScoringConfig, today: date
) -> Recommendations:
    """Return the best `config.top` unseen items of every user as a Spark plan.

    The features come from the bundle's fitted state alone, never from today's declaration.

    Args:
        bundle: A checked bundle.
        tables: Today's tables.
        config: The declaration of scoring.
        today: The day to publish under where the data has no time.

    Raises:
        ArtifactError: The bundle's parts do not fit one another or score otherwise here.
        DataError: No event lies before the declared day.
    """
    state, engine = _load(bundle, config)
    _check_id_type(bundle, tables)
    as_of = _as_of(tables.interactions, config)
    events = _before(tables.interactions, as_of)
    found = retrieve(
        histories(tables.users, events),
        tables.items,
        bundle.candidates,
        config.rerank.candidates,
        config.seen,
    ).persist()
    scored = _scored(found, Tables(events, tables.items, tables.users), state, engine, as_of)
    day = today if as_of is None else datetime.fromtimestamp(as_of - 1, UTC).date()
    frame = ranked(scored, found, bundle, config)
    return Recommendations(frame=frame, candidates=found, date=day.isoformat())


def _load(bundle: Bundle, config: ScoringConfig) -> tuple[FeatureState, Engine]:
    state, spec = FeatureState.load(bundle.state), bundle.spec()
    if state.hash != spec.state_hash:
        raise ArtifactError(
            f"Bundle {bundle.folder}: its feature state is not the one that its specification "
            "names; export again: `kedro run --pipelines export`."
        )
    engine = Engine.of(bundle, config.threads, config.batch_rows)
    check_golden(engine, bundle, config.golden_tolerance)
    return state, engine


def _check_id_type(bundle: Bundle, tables: Tables) -> None:
    from pyspark.sql.pandas.types import from_arrow_type

    trained = from_arrow_type(CandidateSource.load(bundle.candidates).items.type)
    today = tables.items.schema[ITEM].dataType
    if trained != today:
        raise ArtifactError(
            f"Bundle {bundle.folder} was trained on item ids of type {trained.simpleString()}, "
            f"today's are {today.simpleString()}; train on today's data."
        )


def _as_of(interactions: "DataFrame", config: ScoringConfig) -> int | None:
    """Return the second before which events count, or None on data without time."""
    from pyspark.sql import functions as F  # noqa: N812

    if TIME not in interactions.columns:
        return None
    if config.as_of != "latest":
        return int(datetime.combine(config.as_of, datetime.min.time(), UTC).timestamp())
    newest = interactions.agg(F.max(TIME)).first()
    if newest is None or newest[0] is None:
        raise DataError("The interactions are empty: there is nobody to recommend to.")
    return int(newest[0]) + 1


def _before(interactions: "DataFrame", as_of: int | None) -> "DataFrame":
    from pyspark.sql import functions as F  # noqa: N812

    return interactions if as_of is None else interactions.where(F.col(TIME) < as_of)


def _scored(
    found: "DataFrame", tables: Tables, state: FeatureState, engine: Engine, as_of: int | None
) -> "DataFrame":
    """Return the candidates of users with a history, with the model's `probability`."""
    from pyspark.sql import functions as F  # noqa: N812
    from pyspark.sql import types as T  # noqa: N812

    requests = found.where(~F.col(COLD))
    if as_of is not None:
        requests = requests.withColumn(TIME, F.lit(as_of).cast("bigint"))
    rows = features_for_spark(
        requests,
        tables.interactions,
        tables.items,
        tables.users,
        state,
        item_cut=None,
        names=[feature.name for feature in engine.features],
    )
    kept = [found.schema[name] for name in KEPT]
    schema = T.StructType([*kept, T.StructField(PROBABILITY, T.FloatType())])

    def batches(parts: "Iterator[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        for part in parts:
            yield from score_batch(part, engine)

    return rows.mapInArrow(batches, schema)


def score_batch(batch: "pa.RecordBatch", engine: Engine) -> "list[pa.RecordBatch]":
    """Return the identity of the batch's rows with their `probability`."""
    import pyarrow as pa

    table = pa.Table.from_batches([batch])
    scores = pa.array(engine.score(table), pa.float32())
    return table.select(list(KEPT)).append_column(PROBABILITY, scores).combine_chunks().to_batches()
