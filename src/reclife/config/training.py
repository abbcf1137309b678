"""How the ranking model and the candidate source are trained."""

from typing import Annotated, Literal, Self, final

from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt, model_validator

from reclife.config.model import DeepFMConfig, ModelConfig
from reclife.config.objective import ObjectiveConfig
from reclife.config.optimizers import (
    AdagradConfig,
    AdamConfig,
    DenseOptimizerConfig,
    SparseOptimizerConfig,
)
from reclife.config.retrieval import CandidatesConfig
from reclife.config.schedules import Judged
from reclife.config.schema import Schema
from reclife.config.topology import LocalConfig, TopologyConfig


class _Limit(Schema):
    limit: PositiveFloat


@final
class ValueClippingConfig(_Limit):
    """Every number of a gradient is kept within +- `limit`."""

    kind: Literal["value"] = "value"


@final
class NormClippingConfig(_Limit):
    """The gradient of each table and of each dense weight is kept to a norm of `limit`."""

    kind: Literal["norm"] = "norm"


@final
class GlobalNormClippingConfig(_Limit):
    """The whole gradient, sparse and dense together, is kept to a norm of `limit`."""

    kind: Literal["global_norm"] = "global_norm"


ClippingConfig = Annotated[
    ValueClippingConfig | NormClippingConfig | GlobalNormClippingConfig,
    Field(discriminator="kind"),
]


@final
class WatchConfig(Schema):
    """What is written for TensorBoard, and when a layer is called vanishing or exploding."""

    every_steps: PositiveInt = Field(
        default=50, description="Steps from one look at gradients and weights to the next."
    )
    vanishing: PositiveFloat = Field(
        default=1e-9, description="Norm of a gradient over that of its weights, below which: warn."
    )
    exploding: PositiveFloat = Field(default=1e3, description="The same, above which: warn.")


@final
class EarlyStoppingConfig(Judged):
    """When to stop, judged on the validation examples after each epoch."""

    patience: PositiveInt = Field(
        default=2, description="Epochs without a better value before training stops."
    )


@final
class CheckpointConfig(Schema):
    """How often the state of training is saved, besides the end of every epoch."""

    every_steps: PositiveInt | None = Field(
        default=None, description="Also save after this many steps; null: not by steps."
    )
    every_minutes: PositiveFloat | None = Field(
        default=10.0, description="Also save when this long went by; null: not by time."
    )
    keep: PositiveInt = Field(default=2, description="Newest checkpoints that are kept.")


@final
class TrainingConfig(Schema):
    """Declaration of the training stage."""

    model: ModelConfig = ModelConfig(DeepFMConfig())
    seed: NonNegativeInt = 7
    batch_size: PositiveInt = Field(default=1024, description="Examples a step, at most.")
    epochs: PositiveInt = Field(default=10, description="Passes over the examples, at most.")
    early_stopping: EarlyStoppingConfig | None = EarlyStoppingConfig()
    refit: bool = Field(
        default=True,
        description="Train again on train and validation together, for the number of epochs "
        "that was best on validation.",
    )
    objective: ObjectiveConfig = ObjectiveConfig()
    sparse_optimizer: SparseOptimizerConfig = Field(
        default=AdagradConfig(), description="Moves the embedding rows a batch touches."
    )
    dense_optimizer: DenseOptimizerConfig = Field(
        default=AdamConfig(), description="Moves everything else."
    )
    clipping: ClippingConfig | None = Field(
        default=None, description="How gradients are bounded; null: not at all."
    )
    watch: WatchConfig = WatchConfig()
    checkpoint: CheckpointConfig = CheckpointConfig()
    topology: TopologyConfig = Field(
        default=LocalConfig(), description="Where training runs; decides no weight but by rounding."
    )
    xla: bool = Field(
        default=False,
        description="Compile forward and backward pass of the dense part; pays for long training.",
    )
    run_eagerly: bool = Field(
        default=False,
        description="Compute operation by operation, slowly, so that a debugger can stop anywhere.",
    )
    candidates: CandidatesConfig = Field(
        default=CandidatesConfig(), description="The candidate source, fitted beside it."
    )

    @model_validator(mode="after")
    def _eager_training_is_plain(self) -> Self:
        if self.run_eagerly and (self.xla or self.topology.kind != "local"):
            raise ValueError(
                "run_eagerly is for looking into training within one process: declare xla: false "
                "and topology: {kind: local}"
            )
        return self
