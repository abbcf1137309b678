"""Staged training: what one stage trains, on which rows, how and where."""

from typing import Annotated, Literal, final

from pydantic import Field, PositiveInt

from reclife.config.optimizers import DenseOptimizerConfig, SparseOptimizerConfig
from reclife.config.precision import PrecisionConfig
from reclife.config.schema import Schema
from reclife.config.topology import TopologyConfig

Patterns = Annotated[tuple[str, ...], Field(min_length=1)]
Share = Annotated[float, Field(gt=0, le=1)]

TRAINABLE = (
    "Patterns of the parts that move; `table/<table>`, `dense/<layer>/<weight>` and "
    "`objective/<weight>`, `*` for anything."
)


@final
class AllRowsConfig(Schema):
    """All training examples."""

    kind: Literal["all"] = "all"


@final
class NewestRowsConfig(Schema):
    """The newest examples."""

    kind: Literal["newest"] = "newest"
    share: Share


@final
class SampledRowsConfig(Schema):
    """A random part of the examples; the seed of the training decides which."""

    kind: Literal["sample"] = "sample"
    share: Share


@final
class WhereRowsConfig(Schema):
    """The examples whose `column` holds one of the values."""

    kind: Literal["where"] = "where"
    column: str
    equals: Annotated[tuple[str | int | float, ...], Field(min_length=1)]


RowsConfig = Annotated[
    AllRowsConfig | NewestRowsConfig | SampledRowsConfig | WhereRowsConfig,
    Field(discriminator="kind"),
]


@final
class StageConfig(Schema):
    """One stage: it starts from the weights of the one before, its optimisers start anew.

    What is null is as the training declares it.
    """

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]+$")]
    trainable: Patterns = Field(default=("*",), description=TRAINABLE)
    rows: RowsConfig = Field(default=AllRowsConfig(), description="The examples it sees.")
    epochs: PositiveInt | None = None
    batch_size: PositiveInt | None = None
    sparse_optimizer: SparseOptimizerConfig | None = None
    dense_optimizer: DenseOptimizerConfig | None = None
    precision: PrecisionConfig | None = None
    xla: bool | None = None
    topology: TopologyConfig | None = None
