"""Holds the shares of unknown ids against the declared limits."""

from reclife.config.features import FeaturesConfig
from reclife.contracts import FeatureStats
from reclife.errors import ConfigError, DataError


def check_rates(stats: FeatureStats, config: FeaturesConfig) -> None:
    """Check every feature with a vocabulary, in every part.

    Raises:
        ConfigError: A limit is declared for a feature that has no ids.
        DataError: A share is above its limit; all of them are listed.
    """
    limits = config.out_of_vocabulary
    if strange := sorted(limits.max_rates.keys() - stats.oov_rates.keys()):
        raise ConfigError(
            f"out_of_vocabulary.max_rates: {', '.join(strange)} has no vocabulary; "
            f"features with one: {', '.join(stats.oov_rates)}"
        )
    problems = [
        f"{name}{_column(config, name)} in {part}: {rate:.2%}, at most {limit:.2%}"
        for name, rates in stats.oov_rates.items()
        if (limit := limits.max_rates.get(name, limits.default)) is not None
        for part, rate in rates.items()
        if rate > limit
    ]
    if problems:
        raise DataError(
            f"out_of_vocabulary: too many ids are unknown: {'; '.join(problems)}. Admit more "
            "values (min_count, max_size), fit on newer events, mend the source, or allow more"
        )


def _column(config: FeaturesConfig, name: str) -> str:
    """Return which column a feature reads, where it reads one."""
    found = next((f for f in config.features if name in f.outputs), None)
    column, source = getattr(found, "column", None), getattr(found, "source", None)
    return f" (column {column} of the {source}s)" if column and source else ""
