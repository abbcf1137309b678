"""How a learning rate changes while training goes on."""

from typing import Annotated, Literal, final

from pydantic import Field, NonNegativeInt, PositiveInt

from reclife.config.schema import Schema

Share = Annotated[float, Field(ge=0, le=1)]
Factor = Annotated[float, Field(gt=0, lt=1)]
Metric = Literal["auc", "gauc", "logloss"]


class Judged(Schema):
    """What is looked at on the validation examples after each epoch."""

    metric: Metric = "auc"
    task: str | None = Field(
        default=None, description="The task whose metric counts; null: the first one."
    )


class _Schedule(Schema):
    warmup_steps: NonNegativeInt = Field(
        default=0, description="Steps in which the rate rises linearly to the declared one."
    )


@final
class ConstantConfig(_Schedule):
    """The declared rate throughout."""

    kind: Literal["constant"] = "constant"


@final
class CosineConfig(_Schedule):
    """Half a cosine from the declared rate down to `floor` times it."""

    kind: Literal["cosine"] = "cosine"
    decay_steps: PositiveInt | None = Field(
        default=None, description="Steps from the end of the warm-up; null: to the last epoch."
    )
    floor: Share = Field(default=0.0, description="Share of the rate that is left at the end.")


@final
class StepConfig(_Schedule):
    """`factor` times less after every `every_steps` steps."""

    kind: Literal["step"] = "step"
    every_steps: PositiveInt
    factor: Factor = 0.5


@final
class ExponentialConfig(_Schedule):
    """As `step`, but gliding: `factor` times less over `decay_steps` steps."""

    kind: Literal["exponential"] = "exponential"
    decay_steps: PositiveInt
    factor: Factor = 0.5


@final
class PlateauConfig(_Schedule, Judged):
    """`factor` times less whenever the validation metric stops getting better."""

    kind: Literal["plateau"] = "plateau"
    patience: PositiveInt = Field(
        default=1, description="Epochs without a better value before the rate falls."
    )
    factor: Factor = 0.5
    floor: Share = Field(default=0.0, description="Share of the rate below which it never falls.")


ScheduleConfig = Annotated[
    ConstantConfig | CosineConfig | StepConfig | ExponentialConfig | PlateauConfig,
    Field(discriminator="kind"),
]
