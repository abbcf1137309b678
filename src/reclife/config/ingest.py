"""What `ingest` reads: the source columns behind the canonical tables, labels, weights, limits.

::

    ingest:
      interactions:
        columns:
          user_id: {from: userId, type: int64}
          item_id: {from: movieId, type: int64}
          rating: {from: rating, type: float64, minimum: 0.5, maximum: 5}
        time: {from: timestamp, format: epoch_seconds}
        label: {kind: threshold, column: rating, at_least: 4}
      items:
        source: raw_interactions
        columns:
          item_id: {from: movieId, type: int64}
          title: {from: title, type: string, missing: keep}
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal, Self, final

from pydantic import Field, StringConstraints, model_validator

from reclife.config.columns import Column, EventColumn, TimeColumn, Weight
from reclife.config.labels import LabelRule, label_problems
from reclife.config.schema import Schema

RESERVED = ("timestamp", "label", "sampling_probability", "source_day")
"""Canonical columns that are written by the stages themselves."""
FIRST_TASK = "like"
"""What the single `label` predicts."""


TaskName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]


def _check_ids(columns: Mapping[str, Column], names: tuple[str, ...]) -> None:
    for name in names:
        if name not in columns:
            raise ValueError(f"columns must declare {name}")
        if columns[name].type not in ("int64", "string"):
            raise ValueError(f"{name} must be int64 or string: ids never pass through a float")
        if columns[name].missing != "reject":
            raise ValueError(f"{name} cannot be missing: leave `missing` at reject")
    spelled: dict[str, str] = {}
    for name in columns:
        if name.lower() in RESERVED or name.startswith("_") or not name.isidentifier():
            raise ValueError(f"{name!r} cannot be the name of a canonical column")
        if name.lower() in spelled:
            raise ValueError(f"{name!r} and {spelled[name.lower()]!r} differ in case only")
        spelled[name.lower()] = name


@final
class InteractionsSource(Schema):
    """How raw interactions become canonical ones."""

    columns: dict[str, Column]
    time: TimeColumn | None = Field(None, description="Leave out when the data has no time.")
    event: EventColumn | None = Field(None, description="Leave out when all events are alike.")
    weight: Weight | None = Field(None, description="Leave out when all examples weigh the same.")
    label: LabelRule | None = Field(None, description="What the model predicts, if one thing.")
    labels: dict[TaskName, LabelRule] | None = Field(
        None, min_length=1, description="What the model predicts: task -> rule, the main one first."
    )
    examples: tuple[str, ...] | None = Field(
        None,
        min_length=1,
        description="Event types that become examples, all by default; the others are only seen "
        "by features that look back.",
    )
    duplicates: Literal["reject", "drop"] = Field(
        "reject",
        description="A repeated (user, item, time, event) goes to the quarantine; `drop` does not "
        "count it towards the declared rate.",
    )

    @property
    def tasks(self) -> dict[str, LabelRule]:
        """The rule of every task, the main one first."""
        return self.labels or ({FIRST_TASK: self.label} if self.label else {})

    @property
    def label_columns(self) -> dict[str, str]:
        """Task -> its column: `label` for the first, `label_<task>` for the others."""
        return {
            task: f"label_{task}" if number else "label" for number, task in enumerate(self.tasks)
        }

    @property
    def canonical(self) -> tuple[str, ...]:
        """The columns of the canonical interactions."""
        said = {"timestamp": self.time, "event": self.event, "weight": self.weight}
        own = [name for name, source in said.items() if source is not None]
        return (*self.columns, *own, *self.label_columns.values())

    @property
    def delays(self) -> dict[str, int]:
        """Label column -> seconds from an event to its label's being known, where it is later."""
        return {
            self.label_columns[task]: rule.seconds
            for task, rule in self.tasks.items()
            if rule.kind == "conversion"
        }

    @property
    def answers(self) -> frozenset[str]:
        """Columns that say, of their own event, what a model is to predict."""
        behind = {
            rule.column for rule in self.tasks.values() if rule.kind in ("threshold", "event")
        }
        return frozenset({*self.label_columns.values(), *behind, "weight"})

    @model_validator(mode="after")
    def _complete(self) -> Self:
        _check_ids(self.columns, ("user_id", "item_id"))
        if (self.label is None) == (self.labels is None):
            raise ValueError("declare either `label`, for one thing to predict, or `labels`")
        problems = [*self._taken_names(), *self._weight_problems()]
        for task, rule in self.tasks.items():
            where = "label" if self.labels is None else f"labels.{task}"
            found = label_problems(rule, self.columns, self.event, timed=self.time is not None)
            problems += [f"{where}: {problem}" for problem in found]
        if self.examples and self.event is None:
            problems.append("examples: types of events need interactions.event")
        elif self.examples and self.event:
            problems += [f"examples: {problem}" for problem in self.event.unknown(self.examples)]
        if problems:
            raise ValueError("; ".join(problems))
        return self

    def _taken_names(self) -> Iterator[str]:
        """Yield own columns whose names ingest needs itself."""
        for name in self.columns:
            if name.lower() == "weight":
                yield "columns.weight: a weight is declared as interactions.weight"
            elif name.lower() == "event" and self.event is not None:
                yield "columns.event: interactions.event writes this column already"
            elif name.lower().startswith("label_"):
                yield f"columns.{name}: names that begin with label_ are those of further tasks"

    def _weight_problems(self) -> Iterator[str]:
        if self.weight is None:
            return
        if self.weight.by_event and self.event is None:
            yield "weight.by_event: types of events need interactions.event"
        elif self.weight.by_event and self.event:
            yield from (
                f"weight.by_event: {problem}"
                for problem in self.event.unknown(tuple(self.weight.by_event))
            )
            absent = sorted(self.event.types.keys() - self.weight.by_event.keys())
            if absent:
                yield f"weight.by_event: no weight for {', '.join(absent)}"
        column = self.columns.get(self.weight.column) if self.weight.column else None
        if self.weight.column and (column is None or column.type not in ("int64", "float64")):
            yield f"weight.column: {self.weight.column!r} is not among the numeric columns"


@final
class ItemsSource(Schema):
    """Where item attributes come from; one row per item is kept."""

    source: Literal["raw_interactions", "raw_items"]
    columns: dict[str, Column]

    @model_validator(mode="after")
    def _complete(self) -> Self:
        _check_ids(self.columns, ("item_id",))
        return self


@final
class UsersSource(Schema):
    """Where user attributes come from; one row per user is kept."""

    source: Literal["raw_interactions", "raw_users"]
    columns: dict[str, Column]

    @model_validator(mode="after")
    def _complete(self) -> Self:
        _check_ids(self.columns, ("user_id",))
        return self


@final
class Incremental(Schema):
    """Interactions lie in one folder a day: only days that are new or have changed are read.

    A day that is there again replaces what was read of it before. A day that is no longer there
    stays.
    """

    day: str = Field("date", description="`<day>=YYYY-MM-DD` is the name of a day's folder.")
    min_rows: int = Field(1, ge=0, description="A day read with fewer rows stops the run.")


@final
class IngestConfig(Schema):
    """`conf/<env>/parameters/ingest.yml`."""

    interactions: InteractionsSource
    items: ItemsSource | None = Field(None, description="Leave out for bare item ids.")
    users: UsersSource | None = Field(None, description="Leave out for bare user ids.")
    incremental: Incremental | None = Field(None, description="Leave out to read everything.")
    max_quarantine_rate: float = Field(
        0.01, ge=0, le=1, description="Share of a source's rows that may break the contract."
    )

    @model_validator(mode="after")
    def _entities_have_their_own_source(self) -> Self:
        for name, entity in (("items", self.items), ("users", self.users)):
            if self.incremental and entity and entity.source == "raw_interactions":
                raise ValueError(
                    f"incremental: {name} cannot come from raw_interactions, of which only new "
                    f"days are read; give them a source of their own, raw_{name}"
                )
        return self

    @model_validator(mode="after")
    def _same_id_types(self) -> Self:
        for name, entity in (("item_id", self.items), ("user_id", self.users)):
            if entity is None:
                continue
            expected, found = self.interactions.columns[name].type, entity.columns[name].type
            if expected != found:
                raise ValueError(f"{name} is {expected} in interactions but {found} elsewhere")
        return self
