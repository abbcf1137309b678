"""How the ranking model and the candidate source are trained."""

from typing import Annotated, Literal, final

from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt

from reclife.config.model import DeepFMConfig, ModelConfig
from reclife.config.retrieval import CandidatesConfig
from reclife.config.schema import Schema

Decay = Annotated[float, Field(ge=0, lt=1)]


@final
class LazyAdamConfig(Schema):
    """Adam whose moments move only for the embedding rows a batch touches."""

    kind: Literal["lazy_adam"] = "lazy_adam"
    learning_rate: PositiveFloat = 2e-3
    beta_1: Decay = 0.9
    beta_2: Decay = 0.999


@final
class AdagradConfig(Schema):
    """Adagrad for embedding rows; the accumulator of a row grows only when it is touched."""

    kind: Literal["adagrad"] = "adagrad"
    learning_rate: PositiveFloat = 0.05
    initial_accumulator: PositiveFloat = 0.1


@final
class AdamConfig(Schema):
    """Adam for the dense part."""

    learning_rate: PositiveFloat = 2e-3


SparseOptimizerConfig = Annotated[LazyAdamConfig | AdagradConfig, Field(discriminator="kind")]


@final
class EarlyStoppingConfig(Schema):
    """When to stop, judged on the validation examples after each epoch."""

    metric: Literal["auc", "logloss"] = "auc"
    patience: PositiveInt = Field(
        default=2, description="Epochs without a better value before training stops."
    )


@final
class CheckpointConfig(Schema):
    """How often the state of training is saved, besides the end of every epoch."""

    every_steps: PositiveInt | None = Field(
        default=None, description="Also save after this many steps; null: at epoch ends only."
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
    sparse_optimizer: SparseOptimizerConfig = AdagradConfig()
    dense_optimizer: AdamConfig = AdamConfig()
    checkpoint: CheckpointConfig = CheckpointConfig()
    xla: bool = Field(
        default=False,
        description="Compile forward and backward pass of the dense part; pays for long training.",
    )
    candidates: CandidatesConfig = Field(
        default=CandidatesConfig(), description="The candidate source, fitted beside it."
    )
