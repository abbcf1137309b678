"""Whether what the declaration is judged by is there: tasks, metrics, steps of a schedule."""

import logging
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from reclife.config.schedules import CosineConfig, Judged, ScheduleConfig, StepConfig
from reclife.config.training import EarlyStoppingConfig, TrainingConfig
from reclife.contracts import Task
from reclife.errors import ConfigError
from reclife.training.examples import Examples
from reclife.training.schedules import Moment, factor
from reclife.training.validation import validate

_LOG = logging.getLogger(__name__)


def check_tasks(config: TrainingConfig, tasks: Sequence[Task]) -> None:
    """Refuse a declaration about tasks that are not learnt.

    Raises:
        ConfigError: There is one.
    """
    judged = {judge.task for judge in _judges(config).values() if judge.task}
    names = [task.name for task in tasks]
    if unknown := sorted((config.objective.named | judged) - set(names)):
        raise ConfigError(
            f"training names the task {', '.join(unknown)}; the model predicts {', '.join(names)}."
        )


def check_judges(config: TrainingConfig, validation: Examples, tasks: Sequence[Task]) -> None:
    """Refuse a plateau that nothing will show; warn where nothing can end the training early.

    Raises:
        ConfigError: The metric of a plateau cannot be measured.
    """
    scores = np.full((len(validation), len(tasks)), 0.5)  # what is measured depends on labels only
    measured = validate(scores, validation, tasks)
    for where, judge in _judges(config).items():
        task = judge.task or tasks[0].name
        if judge.metric in measured[task]:
            continue
        why = (
            f"{judge.metric} of {task} cannot be measured on the {len(validation)} validation "
            "examples: it needs known labels"
            + (", of both kinds" if judge.metric == "auc" else "")
            + (f", of both kinds in one {config.objective.group}" if judge.metric == "gauc" else "")
        )
        if isinstance(judge, EarlyStoppingConfig):
            _LOG.warning("training.%s: %s; all %d epochs are done.", where, why, config.epochs)
        else:
            raise ConfigError(f"training.{where}: {why}; declare another metric or schedule.")


def check_schedules(config: TrainingConfig, steps: int) -> None:
    """Refuse a warm-up that is not over in `steps`; warn of a decay that is not.

    Raises:
        ConfigError: A rate would never be the declared one.
    """
    for where, schedule in _schedules(config).items():
        if schedule.warmup_steps >= steps:
            raise ConfigError(
                f"training.{where}: {_unfinished(schedule, steps)}; declare fewer of them, or "
                "more epochs."
            )
        if _goes_on(schedule, steps):
            share = factor(schedule, Moment(steps - 1, steps, ()))
            _LOG.warning(
                "training.%s: the training has %d steps at most, and at the last of them the rate "
                "is still %.3g times the declared one.",
                where,
                steps,
                share,
            )


def warm_ups(config: TrainingConfig, steps: int) -> Iterator[str]:
    """Yield what is to be said of each warm-up that is not over in `steps`."""
    for where, schedule in _schedules(config).items():
        if schedule.warmup_steps >= steps:
            yield f"training.{where}: {_unfinished(schedule, steps)}"


def _unfinished(schedule: ScheduleConfig, steps: int) -> str:
    return (
        f"a warm-up of {schedule.warmup_steps} steps is not over in the {steps} steps of the "
        "training"
    )


def _goes_on(schedule: ScheduleConfig, steps: int) -> bool:
    left = steps - schedule.warmup_steps
    if isinstance(schedule, StepConfig):
        return schedule.every_steps >= left
    return isinstance(schedule, CosineConfig) and (schedule.decay_steps or 0) > left


def _schedules(config: TrainingConfig) -> Mapping[str, ScheduleConfig]:
    return {
        "sparse_optimizer.schedule": config.sparse_optimizer.schedule,
        "dense_optimizer.schedule": config.dense_optimizer.schedule,
    }


def _judges(config: TrainingConfig) -> Mapping[str, Judged]:
    declared = {"early_stopping": config.early_stopping, **_schedules(config)}
    return {where: judge for where, judge in declared.items() if isinstance(judge, Judged)}
