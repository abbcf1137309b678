"""Declarations of the retrievers that TensorFlow trains: model, similarity, loss, fit."""

from typing import Annotated, Literal, Self, final

from pydantic import (
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    model_validator,
)

from reclife.config import schedules
from reclife.config.clipping import ClippingConfig
from reclife.config.schema import Schema
from reclife.config.towers import check_heads

Dropout = Annotated[float, Field(ge=0, lt=1)]
Decay = Annotated[float, Field(gt=0, le=1)]


@final
class DotConfig(Schema):
    """Inner product of query and item, plus the item's bias."""

    kind: Literal["dot"] = "dot"


@final
class CosineConfig(Schema):
    """Cosine of query and item, divided by a temperature; popularity has no say."""

    kind: Literal["cosine"] = "cosine"
    temperature: PositiveFloat = Field(0.07, description="Smaller: the hardest negatives rule.")


SimilarityConfig = Annotated[DotConfig | CosineConfig, Field(discriminator="kind")]


@final
class SoftmaxConfig(Schema):
    """Cross-entropy over all items."""

    kind: Literal["softmax"] = "softmax"


@final
class SampledSoftmaxConfig(Schema):
    """Cross-entropy over sampled items, each weighed by one over its chance to be there (logQ)."""

    kind: Literal["sampled_softmax"] = "sampled_softmax"
    negatives: PositiveInt = Field(1024, description="Items drawn uniformly for each batch.")
    in_batch: bool = Field(False, description="The batch's other targets are negatives as well.")


@final
class BprConfig(Schema):
    """Bayesian personalised ranking: the target above each negative."""

    kind: Literal["bpr"] = "bpr"
    negatives: PositiveInt = Field(64, description="Items drawn uniformly for each batch.")


@final
class GbceConfig(Schema):
    """Generalised binary cross-entropy; `calibration` 0 is the plain one."""

    kind: Literal["gbce"] = "gbce"
    negatives: PositiveInt = Field(256, description="Items drawn uniformly for each batch.")
    calibration: float = Field(0.75, ge=0, le=1, description="t in [0, 1] of the paper.")


LossConfig = Annotated[
    SoftmaxConfig | SampledSoftmaxConfig | BprConfig | GbceConfig, Field(discriminator="kind")
]


@final
class LastHoldoutConfig(Schema):
    """Each user's newest event is held out."""

    kind: Literal["last"] = "last"
    users: PositiveInt = Field(5000, description="Of at most so many users, chosen by seed.")


@final
class ShareHoldoutConfig(Schema):
    """A random share of each user's events is held out."""

    kind: Literal["share"] = "share"
    share: float = Field(0.1, gt=0, lt=1)
    users: PositiveInt = Field(5000, description="Of at most so many users, chosen by seed.")


HoldoutConfig = Annotated[LastHoldoutConfig | ShareHoldoutConfig, Field(discriminator="kind")]


@final
class ValidationConfig(Schema):
    """How the number of epochs is chosen: NDCG by full ranking, seen items masked."""

    holdout: HoldoutConfig = LastHoldoutConfig()
    k: PositiveInt = 10
    every: PositiveInt = Field(1, description="Epochs from one measurement to the next.")
    patience: PositiveInt = Field(3, description="Measurements without a better one, then stop.")
    refit: bool = Field(
        True, description="Fit again on everything, for the number of epochs that was best."
    )


Schedule = Annotated[
    schedules.ConstantConfig
    | schedules.CosineConfig
    | schedules.StepConfig
    | schedules.ExponentialConfig,
    Field(discriminator="kind"),
]
"""Schedules that need no metric."""


class NeuralConfig(Schema):
    """What every trained retriever declares."""

    embedding_dim: PositiveInt = 64
    similarity: SimilarityConfig = DotConfig()
    seed: NonNegativeInt = 7
    epochs: PositiveInt = Field(20, description="Passes over the events, at most.")
    batch_size: PositiveInt = Field(128, description="Users or sequences a step.")
    learning_rate: PositiveFloat = 1e-3
    weight_decay: NonNegativeFloat = Field(
        0.0, description="Share of every weight taken away at each step, times the learning rate."
    )
    schedule: Schedule | None = Field(
        None,
        description="How the learning rate changes; null: it falls linearly to zero, after a "
        "warm-up of a hundredth of all steps.",
    )
    clipping: ClippingConfig | None = Field(None, description="Bound of the gradients.")
    validation: ValidationConfig | None = Field(
        None, description="null: all epochs are done, on all events."
    )


@final
class MatrixFactorizationConfig(NeuralConfig):
    """A vector for each user and each item, with a declared loss."""

    kind: Literal["mf"] = "mf"
    loss: LossConfig = SoftmaxConfig()


@final
class BprMatrixFactorizationConfig(NeuralConfig):
    """Matrix factorisation as Rendle et al. 2009 train it."""

    kind: Literal["bpr"] = "bpr"
    loss: BprConfig = BprConfig()


@final
class LightGCNConfig(NeuralConfig):
    """User and item vectors smoothed over the graph of interactions (He et al. 2020)."""

    kind: Literal["lightgcn"] = "lightgcn"
    layers: PositiveInt = 3
    loss: LossConfig = SoftmaxConfig()


@final
class TwoTowerConfig(NeuralConfig):
    """The pooled history against the item."""

    kind: Literal["two_tower"] = "two_tower"
    max_length: PositiveInt = Field(50, description="Newest items of the history that are read.")
    decay: Decay = Field(0.8, description="Weight of a history item per step of age; newest 1.")
    targets: Literal["next", "others"] = Field(
        "others", description="Predict the next item, or each item from all others around it."
    )
    dropout: Dropout = 0.2
    loss: LossConfig = SampledSoftmaxConfig(in_batch=True)

    @model_validator(mode="after")
    def _others_are_there(self) -> Self:
        """Refuse to predict an item from the others of a window of one."""
        if self.targets == "others" and self.max_length == 1:
            raise ValueError("targets: others needs max_length: 2 at least, or declare next")
        return self


class TransformerConfig(NeuralConfig):
    """What the transformers share."""

    max_length: PositiveInt = Field(50, description="Newest items of the history that are read.")
    blocks: PositiveInt = 2
    heads: PositiveInt = Field(1, description="Attention heads; they divide `embedding_dim`.")
    dropout: Dropout = 0.2

    @model_validator(mode="after")
    def _heads_fit(self) -> Self:
        """Refuse heads that do not divide the embedding."""
        check_heads(self.heads, self.embedding_dim)
        return self


@final
class SASRecConfig(TransformerConfig):
    """Self-attention over what came before (Kang and McAuley 2018)."""

    kind: Literal["sasrec"] = "sasrec"
    loss: LossConfig = SoftmaxConfig()


@final
class GSASRecConfig(TransformerConfig):
    """SASRec with many negatives and the calibrated loss (Petrov and Macdonald 2023)."""

    kind: Literal["gsasrec"] = "gsasrec"
    loss: GbceConfig = GbceConfig()


@final
class BERT4RecConfig(TransformerConfig):
    """Self-attention in both directions over partly masked sequences (Sun et al. 2019)."""

    kind: Literal["bert4rec"] = "bert4rec"
    masked: float = Field(0.2, gt=0, lt=1, description="Share of positions masked in training.")
    loss: LossConfig = SoftmaxConfig()


UserModelConfig = MatrixFactorizationConfig | BprMatrixFactorizationConfig | LightGCNConfig
SequenceModelConfig = TwoTowerConfig | SASRecConfig | GSASRecConfig | BERT4RecConfig
NeuralSourceConfig = Annotated[UserModelConfig | SequenceModelConfig, Field(discriminator="kind")]
"""Every retriever that TensorFlow trains."""
