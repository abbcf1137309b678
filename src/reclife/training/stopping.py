"""Which epoch was best, and when to stop."""

from collections.abc import Sequence

from reclife.config.training import EarlyStoppingConfig
from reclife.contracts import EpochRow


def best_epoch(rows: Sequence[EpochRow], config: EarlyStoppingConfig | None) -> int:
    """Return the number of the best epoch so far: the last one when nothing judges them.

    The first of equals wins. `rows` holds at least one epoch.
    """
    judged = [(value, row.epoch) for row in rows if (value := _value(row, config)) is not None]
    if not judged:
        return rows[-1].epoch
    return max(judged, key=lambda pair: (pair[0], -pair[1]))[1]


def should_stop(rows: Sequence[EpochRow], config: EarlyStoppingConfig | None) -> bool:
    """Return whether `patience` epochs went by without a better value."""
    if config is None or not rows:
        return False
    return rows[-1].epoch - best_epoch(rows, config) >= config.patience


def _value(row: EpochRow, config: EarlyStoppingConfig | None) -> float | None:
    """Return what is judged, the higher the better."""
    if config is None:
        return None
    if config.metric == "auc":
        return row.validation_auc
    return None if row.validation_logloss is None else -row.validation_logloss
