"""Holds the tasks that `training` names against those that `ingest` declares."""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from reclife.config.ingest import IngestConfig
from reclife.config.problems import hint

_Keys = tuple[tuple[str, ...], ...]
_BY_TASK: _Keys = (
    ("objective", "tasks"),
    ("objective", "weighting", "weights"),
    ("model", "outputs"),
)
_SCHEDULES: _Keys = (
    ("sparse_optimizer", "schedule", "task"),
    ("dense_optimizer", "schedule", "task"),
)
_JUDGED: _Keys = (("early_stopping", "task"), *_SCHEDULES)


def task_problems(parameters: Mapping[str, Any]) -> Iterator[str]:
    """Yield where the training names what is no task of the interactions."""
    try:
        tasks = IngestConfig.model_validate(parameters.get("ingest")).interactions.tasks
    except ValidationError:
        return
    for where, name in _named(parameters.get("training")):
        if name not in tasks:
            yield f"{where}: no task is called {name!r}{hint(name, tasks)}"


def _named(training: Any) -> Iterator[tuple[str, str]]:
    """Yield every task that is named, and where."""
    for keys in _BY_TASK:
        found = _at(training, *keys)
        for name in found if isinstance(found, Mapping) else ():
            yield ".".join(keys), str(name)
    for keys in _JUDGED:
        if name := _at(training, *keys):
            yield ".".join(keys), str(name)
    stages = _at(training, "stages")
    for place, stage in enumerate(stages if isinstance(stages, list | tuple) else ()):
        for keys in _SCHEDULES:
            if name := _at(stage, *keys):
                yield f"stages.{place}.{'.'.join(keys)}", str(name)


def _at(declared: Any, *keys: str) -> Any:
    for key in keys:
        declared = declared.get(key) if isinstance(declared, Mapping) else None
    return declared
