"""The learning rate of a step, as a function of what is behind: nothing to save for a resume."""

import math
from collections.abc import Sequence
from typing import NamedTuple, final

from reclife.config.schedules import (
    CosineConfig,
    ExponentialConfig,
    Judged,
    PlateauConfig,
    ScheduleConfig,
    StepConfig,
)
from reclife.contracts import EpochRow
from reclife.training.stopping import value


@final
class Moment(NamedTuple):
    """When a step is: `step` steps of `total` are done, after the judged epochs `rows`."""

    step: int
    total: int
    rows: Sequence[EpochRow]


def factor(config: ScheduleConfig, moment: Moment) -> float:
    """Return what the declared rate is multiplied by at `moment`, in [0, 1].

    The warm-up ends at factor 1 in step `warmup_steps`; a decay starts there.
    """
    if moment.step < config.warmup_steps:
        return (moment.step + 1) / (config.warmup_steps + 1)
    return _decayed(config, moment, moment.step - config.warmup_steps)


def _decayed(config: ScheduleConfig, moment: Moment, done: int) -> float:
    if isinstance(config, CosineConfig):
        # Loshchilov and Hutter, "SGDR", ICLR 2017, equation 5, without restarts.
        steps = config.decay_steps or max(moment.total - config.warmup_steps, 1)
        share = min(done / steps, 1.0)
        return config.floor + (1 - config.floor) * (1 + math.cos(math.pi * share)) / 2
    if isinstance(config, StepConfig):
        return float(config.factor ** (done // config.every_steps))
    if isinstance(config, ExponentialConfig):
        return float(config.factor ** (done / config.decay_steps))
    if isinstance(config, PlateauConfig):
        return float(max(config.factor ** _plateaus(config, moment.rows), config.floor))
    return 1.0


def _plateaus(config: PlateauConfig, rows: Sequence[EpochRow]) -> int:
    """Return how often `patience` epochs went by without a better value."""
    best, waited, plateaus = -math.inf, 0, 0
    for row in rows:
        found = value(row, Judged(metric=config.metric, task=config.task))
        if found is None or found > best:
            best, waited = found if found is not None else best, 0
        else:
            waited += 1
        if waited == config.patience:
            waited, plateaus = 0, plateaus + 1
    return plateaus
