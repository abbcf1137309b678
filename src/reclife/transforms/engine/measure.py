"""Measures the examples: rows, base rates, values outside the vocabularies, events cut off."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from reclife.config.feature_list import LISTED_KINDS
from reclife.contracts import (
    FIRST_ID,
    LABEL,
    OOV_ID,
    PADDING_ID,
    SPLIT,
    Feature,
    FeatureSpec,
    FeatureStats,
)
from reclife.transforms.listing import cut_of
from reclife.transforms.split import PARTS, Cuts
from reclife.transforms.state import FeatureState


def measure(
    examples: DataFrame, spec: FeatureSpec, state: FeatureState, cuts: Cuts
) -> FeatureStats:
    """Return the statistics of the examples in one pass over them."""
    categorical = [feature for feature in spec.features if feature.table]
    listed = [feature.name for feature in state.config.features if feature.kind in LISTED_KINDS]
    found = examples.groupBy(SPLIT).agg(
        sf.count("*").alias("rows"),
        *(sf.avg(task.label).alias(f"rate_{task.label}") for task in spec.tasks),
        *(_oov_rate(feature, state).alias(f"oov_{feature.name}") for feature in categorical),
        *(sf.sum(cut_of(name)).alias(f"cut_{name}") for name in listed),
    )
    rows = {row[SPLIT]: row.asDict() for row in found.collect()}
    empty: dict[str, float] = {}
    measured = {part: rows.get(part, empty) for part in PARTS}

    def by_part(figure: str) -> dict[str, float]:
        return {part: found.get(figure) or 0.0 for part, found in measured.items()}

    return FeatureStats(
        validation_start=cuts.validation_start,
        test_start=cuts.test_start,
        leaking=cuts.test_start is None,
        label_mean=state.prior(LABEL),
        rows={part: int(found.get("rows", 0)) for part, found in measured.items()},
        base_rates=by_part(f"rate_{spec.label}"),
        task_rates={task.name: by_part(f"rate_{task.label}") for task in spec.tasks},
        oov_rates={feature.name: by_part(f"oov_{feature.name}") for feature in categorical},
        vocabularies={name: len(values) for name, values in state.vocabularies.items()},
        cut_events={
            name: {part: int(figure) for part, figure in by_part(f"cut_{name}").items()}
            for name in listed
        },
    )


def _oov_rate(feature: Feature, state: FeatureState) -> Column:
    """Return the share of ids that are 1 or buckets beside a vocabulary; padding does not count."""
    table = str(feature.table)
    known = state.first_value(table) if table in state.vocabularies else FIRST_ID

    def outside(value: Column) -> Column:
        return (value >= OOV_ID) & (value < known)

    ids = sf.col(feature.name)
    if not feature.shape:
        return sf.avg(outside(ids).cast("double"))
    unknown = sf.sum(sf.size(sf.filter(ids, outside)))
    real = sf.sum(sf.size(sf.filter(ids, lambda value: value != PADDING_ID)))
    return unknown / sf.nullif(real, sf.lit(0))
