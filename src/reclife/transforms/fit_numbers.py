"""Fits statistics of numbers: exact sums of scaled integers and ranges, in one or two jobs."""

from collections.abc import Iterable, Mapping
from functools import reduce

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as sf

from reclife.config.attributes import NumericFeature
from reclife.config.features import FeaturesConfig
from reclife.contracts import LABEL
from reclife.transforms.state import deviation_of, maximum_of, mean_of, minimum_of
from reclife.transforms.timeline import SCALE


def fit_numbers(sources: Mapping[str, DataFrame], config: FeaturesConfig) -> dict[str, float]:
    """Return the statistics that `config` needs, by name.

    Means and deviations are exact, so they do not depend on the partitioning. A number imputed by
    the mean is scaled by what it is then, so its scale takes a second job.
    """
    numbers = [f for f in config.features if f.kind == "numeric"]
    imputed = [f for f in numbers if f.missing == "mean"]
    scaled = [f for f in numbers if f.standardize or f.min_max]
    rows = [moments(sources["interaction"], ("event", v), sf.col(v)) for v in _values(config)]
    rows += [moments(sources[f.source], ("present", f.name), present(f.column)) for f in imputed]
    rows += [_scale(sources[f.source], f, f.missing) for f in scaled if f.missing != "mean"]
    statistics = _collected(rows, scaled)
    later = [
        _scale(sources[f.source], f, statistics[mean_of("present", f.name)])
        for f in scaled
        if f.missing == "mean"
    ]
    return statistics | (_collected(later, scaled) if later else {})


def present(column: str) -> Column:
    """Return a column as a double, null where it is NaN or infinite."""
    value = sf.col(column).cast("double")
    return sf.when(sf.abs(value) < float("inf"), value)


def moments(frame: DataFrame, name: tuple[str, str], value: Column) -> DataFrame:
    """Return one row: names, count, sum and sum of squares in units of 1 / SCALE, and no range."""
    scaled = sf.rint(value.cast("double") * SCALE).cast("decimal(18,0)")
    nothing = sf.lit(None).cast("double")
    return frame.select(
        *map(sf.lit, name),
        sf.count(scaled),
        sf.sum(scaled),
        sf.sum((scaled * scaled).cast("decimal(38,0)")),
        sf.max(nothing),
        sf.max(nothing),
    ).toDF("source", "name", "rows", "total", "squares", "smallest", "largest")


def _range(frame: DataFrame, name: tuple[str, str], value: Column) -> DataFrame:
    """Return one row shaped like that of `moments` with nothing but the range."""
    nothing = sf.sum(sf.lit(None).cast("decimal(18,0)"))
    return frame.select(
        *map(sf.lit, name), sf.count(value), nothing, nothing, sf.min(value), sf.max(value)
    ).toDF("source", "name", "rows", "total", "squares", "smallest", "largest")


def _scale(frame: DataFrame, feature: NumericFeature, missing: float | str) -> DataFrame:
    """Return the row that a feature is scaled by; a range is taken before log1p, being monotone."""
    value = sf.coalesce(present(feature.column), sf.lit(missing))
    if feature.clip and feature.clip.minimum is not None:
        value = sf.greatest(value, sf.lit(feature.clip.minimum))
    if feature.clip and feature.clip.maximum is not None:
        value = sf.least(value, sf.lit(feature.clip.maximum))
    if feature.min_max:
        return _range(frame, ("feature", feature.name), value)
    logged = sf.log1p(sf.greatest(value, sf.lit(0.0))) if feature.log1p else value
    return moments(frame, ("feature", feature.name), logged)


def _collected(rows: Iterable[DataFrame], scaled: Iterable[NumericFeature]) -> dict[str, float]:
    ranges = {f.name for f in scaled if f.min_max}
    statistics: dict[str, float] = {}
    for row in reduce(DataFrame.unionAll, rows).collect():
        source, name = row["source"], row["name"]
        if source == "feature" and name in ranges:
            statistics[minimum_of(source, name)] = row["smallest"] or 0.0
            statistics[maximum_of(source, name)] = row["largest"] or 0.0
            continue
        statistics[mean_of(source, name)] = _mean(row)
        if source == "feature":
            statistics[deviation_of(source, name)] = _deviation(row)
    return statistics


def _values(config: FeaturesConfig) -> list[str]:
    """Return the event values that need a prior; the label always."""
    looking = (
        f.value
        for f in config.features
        if f.kind in ("mean", "recent_mean", "affinity", "target_encoding")
    )
    return sorted({LABEL, *looking})


def _mean(row: Row) -> float:
    return int(row["total"]) / SCALE / row["rows"] if row["rows"] else 0.0


def _deviation(row: Row) -> float:
    """Return the population standard deviation, 1 for a constant."""
    count = row["rows"]
    if not count:
        return 1.0
    variance = (int(row["squares"]) * count - int(row["total"]) ** 2) / (count * SCALE) ** 2
    return float(variance**0.5) if variance > 0 else 1.0
