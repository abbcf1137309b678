"""Holds the declared features against the tables before any work is done."""

from collections.abc import Collection

from reclife.config.feature_columns import column_problems, row_problems
from reclife.config.features import FeaturesConfig
from reclife.errors import ConfigError


def check_declaration(
    config: FeaturesConfig,
    interactions: Collection[str],
    items: Collection[str],
    users: Collection[str],
) -> None:
    """Check `config` against the columns of the canonical tables.

    Raises:
        ConfigError: Features or a split need what the data lacks; all problems are listed.
    """
    problems = [
        *column_problems(config.features, config.past, interactions, items, users),
        *row_problems(config, interactions, items),
    ]
    if problems:
        raise ConfigError("parameters/features.yml does not fit the data: " + "; ".join(problems))
