"""Several trainings side by side: what differs between them, and what they may use."""

import itertools
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, Self, final

from pydantic import Field, PositiveFloat, PositiveInt, ValidationError, model_validator

from reclife.config.schedules import Metric
from reclife.config.schema import Schema
from reclife.config.training import TrainingConfig
from reclife.errors import ConfigError

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.=,+-]+$")]


@final
class ShareConfig(Schema):
    """What one training may use."""

    cores: PositiveInt = 1
    memory: PositiveFloat = Field(default=2.0, description="Gigabytes.")


@final
class TrialConfig(Schema):
    """A training that differs from the declared one: `epochs`, `model.embedding_dim`, ..."""

    name: Name
    training: dict[str, Any] = Field(description="Value by key of `training`, dots between levels.")


@final
class TrialsConfig(Schema):
    """Trainings on the examples of the current run, as many at a time as fit."""

    kind: Literal["trials"] = "trials"
    cores: PositiveInt
    memory: PositiveFloat = Field(description="Gigabytes.")
    each: ShareConfig = ShareConfig()
    metric: Metric = Field(default="auc", description="What they are ordered by; of the main task.")
    trials: tuple[TrialConfig, ...] = ()
    grid: dict[str, Annotated[tuple[Any, ...], Field(min_length=1)]] = Field(
        default_factory=dict,
        description="Values by key of `training`; every combination is one trial more.",
    )

    @model_validator(mode="after")
    def _something_fits(self) -> Self:
        """Refuse trials of which not one fits, or that share a name."""
        if self.each.cores > self.cores or self.each.memory > self.memory:
            raise ValueError(
                f"each trial may use {self.each.cores} cores and {self.each.memory:g} GB, more "
                f"than the {self.cores} cores and {self.memory:g} GB of all of them"
            )
        names = [trial.name for trial in self.all]
        if not names:
            raise ValueError("nothing is to be tried: declare `trials` or a `grid`")
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"the trial {', '.join(twice)} is there twice")
        return self

    @property
    def all(self) -> tuple[TrialConfig, ...]:
        """The listed trials, then those of the grid."""
        if not self.grid:
            return self.trials
        drawn = (
            dict(zip(self.grid, values, strict=True))
            for values in itertools.product(*self.grid.values())
        )
        named = (TrialConfig(name=_name(different), training=different) for different in drawn)
        return (*self.trials, *named)

    @property
    def at_a_time(self) -> int:
        """How many fit side by side."""
        return min(self.cores // self.each.cores, int(self.memory // self.each.memory))


def different(config: TrainingConfig, trial: TrialConfig) -> TrainingConfig:
    """Return `config` with what `trial` declares in its place.

    Raises:
        ConfigError: The result is no training.
    """
    declared = config.model_dump(mode="json")
    for key, value in trial.training.items():
        *levels, last = key.split(".")
        place = declared
        for level in levels:
            place = place.get(level) if isinstance(place, dict) else None  # type: ignore[assignment]
        if not isinstance(place, dict):
            raise ConfigError(f"trial {trial.name}: training has no {key!r}.")
        place[last] = value
    try:
        return TrainingConfig.model_validate(declared)
    except ValidationError as error:
        raise ConfigError(f"trial {trial.name}: {'; '.join(_lines(error))}") from error


def _lines(error: ValidationError) -> Iterator[str]:
    for problem in error.errors():
        yield f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}"


def _name(different: Mapping[str, Any]) -> str:
    def text(value: Any) -> str:
        shown = value.get("kind", "") if isinstance(value, dict) else str(value)
        return "".join(c if c.isalnum() or c in "._+-" else "-" for c in str(shown))

    return ",".join(f"{key}={text(value)}" for key, value in different.items())
