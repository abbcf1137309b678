"""Which epoch was best, and when to stop."""

from collections.abc import Sequence

from reclife.config.schedules import Judged
from reclife.config.training import EarlyStoppingConfig
from reclife.contracts import EpochRow


def best_epoch(rows: Sequence[EpochRow], config: EarlyStoppingConfig | None) -> int:
    """Return the number of the best epoch so far: the last one when nothing judges them.

    The first of equals wins. `rows` holds at least one epoch.
    """
    judged = [] if config is None else [(value(row, config), row.epoch) for row in rows]
    known = [(found, epoch) for found, epoch in judged if found is not None]
    if not known:
        return rows[-1].epoch
    return max(known, key=lambda pair: (pair[0], -pair[1]))[1]


def should_stop(rows: Sequence[EpochRow], config: EarlyStoppingConfig | None) -> bool:
    """Return whether `patience` epochs went by without a better value."""
    if config is None or not rows:
        return False
    return rows[-1].epoch - best_epoch(rows, config) >= config.patience


def value(row: EpochRow, judged: Judged) -> float | None:
    """Return what is judged, the higher the better; None where it could not be measured."""
    if not row.validation:
        return None
    found = row.validation[judged.task or next(iter(row.validation))].get(judged.metric)
    return -found if found is not None and judged.metric == "logloss" else found
