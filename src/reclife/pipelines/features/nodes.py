"""What the nodes of `features` do."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from reclife.config.features import FeaturesConfig
from reclife.contracts import (
    ITEM,
    SPLIT,
    TIME,
    USER,
    WEIGHT,
    FeatureSpec,
    FeatureStats,
    IngestReport,
    ValidationReport,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from reclife.transforms.split import Cuts
else:
    DataFrame = Cuts = object  # Kedro resolves the annotations; Spark is imported on first use


def split_interactions(
    interactions: DataFrame,
    items: DataFrame,
    users: DataFrame,
    ingested: IngestReport,
    config: FeaturesConfig,
) -> tuple[DataFrame, Cuts]:
    """Check the declaration against the data, then say which part each event belongs to."""
    from reclife.transforms.engine.check import check_declaration
    from reclife.transforms.engine.scan import scan_of
    from reclife.transforms.labels import known_by
    from reclife.transforms.splits import divide

    check_declaration(config, interactions.columns, items.columns, users.columns)
    plain = scan_of(interactions) is not None  # then workers read what they need, each time
    divided, cuts = divide(interactions if plain else interactions.persist(), config.split)
    return known_by(divided, cuts, ingested.delays), cuts


def fit_state(
    divided: DataFrame,
    items: DataFrame,
    users: DataFrame,
    ingested: IngestReport,
    cuts: Cuts,
    config: FeaturesConfig,
    earlier: Path | None = None,
) -> tuple[Callable[[Path], None], FeatureSpec]:
    """Fit vocabularies and statistics on the training events alone.

    Where there is an earlier state, its vocabularies grow.
    """
    from reclife.transforms.engine.fit import fit
    from reclife.transforms.engine.growth import grow
    from reclife.transforms.engine.plan import feature_spec
    from reclife.transforms.state import FeatureState

    state = fit(divided.where(f"{SPLIT} = 'train'"), items, users, config)
    if earlier is not None:
        state = grow(FeatureState.load(earlier), state)
    spec = feature_spec(state, timed=TIME in divided.columns)
    weight = WEIGHT if WEIGHT in divided.columns else None
    known = {"tasks": ingested.tasks, "weight": weight, "leaking": cuts.test_start is None}
    return state.save, spec.model_copy(update=known)


def compute_features(
    divided: DataFrame,
    items: DataFrame,
    users: DataFrame,
    state_folder: Path,
    cuts: Cuts,
    config: FeaturesConfig,
) -> DataFrame:
    """Return one row per example, and per negative, with its part and its features."""
    from reclife.transforms.engine.plan import plan
    from reclife.transforms.engine.spark import features_for_spark
    from reclife.transforms.engine.written import scratch
    from reclife.transforms.labels import is_example
    from reclife.transforms.sampling import with_negatives
    from reclife.transforms.sampling.down_sampling import down_sample
    from reclife.transforms.state import FeatureState

    state = FeatureState.load(state_folder)
    request_columns = plan(state).request_columns
    requests = with_negatives(divided, items, config.negatives, request_columns)
    requests = requests.where(is_example(requests.columns))
    if config.down_sampling:
        requests = down_sample(requests, config.down_sampling)
    events, into = divided.drop(SPLIT), scratch(divided.sparkSession)
    examples = features_for_spark(
        requests, events, items, users, state, item_cut=cuts.test_start, into=into
    )
    return examples if into else examples.persist()


def measure_examples(
    examples: DataFrame, spec: FeatureSpec, state_folder: Path, cuts: Cuts
) -> FeatureStats:
    """Count rows, base rates and values outside the vocabularies, which may not be too many."""
    from reclife.transforms.engine.measure import measure
    from reclife.transforms.engine.out_of_vocabulary import check_rates
    from reclife.transforms.state import FeatureState

    state = FeatureState.load(state_folder)
    stats = measure(examples, spec, state, cuts)
    check_rates(stats, state.config)
    return stats


def write_examples(
    examples: DataFrame, stats: FeatureStats
) -> tuple[DataFrame, DataFrame, DataFrame]:
    """Return the three parts in a fixed order, in few files."""
    from reclife.datasets.layout import ordered
    from reclife.transforms.listing import cut_of

    examples = examples.drop(*map(cut_of, stats.cut_events))
    order = [name for name in (TIME, USER, ITEM) if name in examples.columns]

    def part(name: str) -> DataFrame:
        rows = examples.where(f"{SPLIT} = '{name}'").drop(SPLIT)
        return ordered(rows, stats.rows[name], order)

    return part("train"), part("validation"), part("test")


def validate(
    train: DataFrame,
    validation: DataFrame,
    test: DataFrame,
    spec: FeatureSpec,
    state_folder: Path,
    stats: FeatureStats,
    expectations: Mapping[str, object],
    run_id: str,
) -> ValidationReport:
    """Check the written examples against their suites, once."""
    from reclife.validation.stage import validate_stage

    del state_folder, stats  # inputs only so that this node is the last
    tables = {
        "train_examples": train,
        "validation_examples": validation,
        "test_examples": test,
    }
    return validate_stage("features", tables, expectations, run_id, spec=spec)
