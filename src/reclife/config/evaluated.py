"""Holds what `evaluation` declares against the columns, tasks and models that there are."""

from collections.abc import Collection, Iterator
from typing import Any

from reclife.config.columns import Column
from reclife.config.evaluation import EvaluationConfig, names_of
from reclife.config.gate import FloorConfig
from reclife.config.ingest import IngestConfig
from reclife.config.problems import hint, nearest
from reclife.config.slices import ColumnSlice

LISTS = "lists"
"""The task of the lists; every other task is something that is predicted of an event."""


def evaluation_problems(
    config: EvaluationConfig, ingest: IngestConfig, model: Any, source: Any
) -> Iterator[str]:
    """Yield what is asked for and not there.

    Args:
        config: The declaration.
        ingest: Says which columns and tasks there are.
        model: The declared kind of the trained model.
        source: The declared kind of the candidate source.
    """
    yield from _columns(config, ingest)
    if LISTS in ingest.interactions.tasks:
        yield f"the figures of the lists are called {LISTS!r}; rename the task in ingest"
    tasks = [*ingest.interactions.tasks, LISTS]
    own = config.trained_name(str(model))
    events = [own, *names_of(config.like_baselines)]
    if config.calibration:
        events.append(f"{own}+{config.calibration}")
    lists = [f"{source}+{own}", *names_of(config.list_baselines)]
    for floor in config.gate.floors:
        yield from _unknown(floor, tasks, lists if floor.of_lists else events)


def _columns(config: EvaluationConfig, ingest: IngestConfig) -> Iterator[str]:
    items = ingest.items.columns if ingest.items else {}
    users = ingest.users.columns if ingest.users else {}
    tables = {"item": {"item_id": None, **items}, "user": {"user_id": None, **users}}
    for one in config.slices:
        if not isinstance(one, ColumnSlice) or one.source == "examples":
            continue
        columns: dict[str, Column | None] = tables[one.source]
        if one.column not in columns:
            yield f"slices: {_no_column(one.column, one.source, columns)}"
        elif (found := columns[one.column]) and one.bounds and found.type == "string":
            yield f"slices: bounds need numbers, but {one.column!r} holds texts"
    if config.diversity.kind == "category" and config.diversity.column not in tables["item"]:
        yield f"diversity: {_no_column(config.diversity.column, 'item', tables['item'])}"
    gain, known = config.queries.gain, ingest.interactions.canonical
    if gain is not None and gain not in known:
        yield f"queries.gain: {_no_column(gain, 'interaction', known)}"
    elif gain in ingest.interactions.columns and ingest.interactions.columns[gain].type == "string":
        yield f"queries.gain: grades are numbers, but {gain!r} holds texts"


def _no_column(name: str, table: str, columns: Collection[str]) -> str:
    there = ", ".join(columns)
    return f"{name!r} is not a column of the {table}s ({there}){nearest(name, columns)}"


def _unknown(floor: FloorConfig, tasks: list[str], models: list[str]) -> Iterator[str]:
    where = f"gate.floors: {floor.metric}"
    if floor.task is not None and floor.task not in tasks:
        yield f"{where}: no task is called {floor.task!r}{hint(floor.task, tasks)}"
    if floor.model is not None and floor.model not in models:
        yield f"{where}: no model is called {floor.model!r}{hint(floor.model, models)}"
