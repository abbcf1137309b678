"""What moves the embedding rows, and what moves everything else."""

from typing import Annotated, Literal, final

from pydantic import Field, NonNegativeFloat, PositiveFloat

from reclife.config.schedules import ConstantConfig, ScheduleConfig
from reclife.config.schema import Schema

Decay = Annotated[float, Field(ge=0, lt=1)]


class _Optimizer(Schema):
    learning_rate: PositiveFloat = 2e-3
    schedule: ScheduleConfig = ConstantConfig()


class _Adam(_Optimizer):
    beta_1: Decay = 0.9
    beta_2: Decay = 0.999


class _Accumulating(_Optimizer):
    learning_rate: PositiveFloat = 0.05
    initial_accumulator: PositiveFloat = 0.1


@final
class LazyAdamConfig(_Adam):
    """Adam whose moments move only for the embedding rows a batch touches."""

    kind: Literal["lazy_adam"] = "lazy_adam"


@final
class AdagradConfig(_Accumulating):
    """Adagrad; the accumulator of an embedding row grows only when the row is touched."""

    kind: Literal["adagrad"] = "adagrad"


@final
class RowWiseAdagradConfig(_Accumulating):
    """Adagrad with one accumulator a row: a D-th of the memory."""

    kind: Literal["row_wise_adagrad"] = "row_wise_adagrad"


@final
class FTRLConfig(_Accumulating):
    """Follow the regularised leader: rows that say little stay exactly zero under `l1`."""

    kind: Literal["ftrl"] = "ftrl"
    l1: NonNegativeFloat = 0.0
    l2: NonNegativeFloat = 0.0


@final
class SGDConfig(_Optimizer):
    """Gradient descent; with momentum, that of a row moves only when the row is touched."""

    kind: Literal["sgd"] = "sgd"
    learning_rate: PositiveFloat = 0.1
    momentum: Decay = 0.0


@final
class AdamConfig(_Adam):
    """Adam."""

    kind: Literal["adam"] = "adam"


@final
class AdamWConfig(_Adam):
    """Adam with decoupled weight decay."""

    kind: Literal["adamw"] = "adamw"
    weight_decay: NonNegativeFloat = 4e-3


SparseOptimizerConfig = Annotated[
    LazyAdamConfig | AdagradConfig | RowWiseAdagradConfig | FTRLConfig | SGDConfig,
    Field(discriminator="kind"),
]
DenseOptimizerConfig = Annotated[
    AdamConfig | AdamWConfig | AdagradConfig | SGDConfig, Field(discriminator="kind")
]
