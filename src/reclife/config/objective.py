"""What training minimises."""

from typing import Annotated, Literal, final

from pydantic import Field, NonNegativeFloat

from reclife.config.schema import Schema

Unit = Annotated[float, Field(gt=0, lt=1)]


@final
class BinaryCrossEntropyConfig(Schema):
    """Minus the log of the probability given to what happened."""

    kind: Literal["binary_cross_entropy"] = "binary_cross_entropy"


@final
class FocalConfig(Schema):
    """Binary cross-entropy in which rows that are already well told apart count less."""

    kind: Literal["focal"] = "focal"
    gamma: NonNegativeFloat = Field(default=2.0, description="0 is binary cross-entropy.")
    alpha: Unit | None = Field(
        default=None, description="Weight of positives, 1 - alpha of negatives; null: 1 for both."
    )


@final
class PairwiseConfig(Schema):
    """The logistic loss of every positive against every negative of its group (BPR)."""

    kind: Literal["pairwise"] = "pairwise"


@final
class ListwiseConfig(Schema):
    """The cross-entropy of a softmax over the rows of a group."""

    kind: Literal["listwise"] = "listwise"


LossConfig = Annotated[
    BinaryCrossEntropyConfig | FocalConfig | PairwiseConfig | ListwiseConfig,
    Field(discriminator="kind"),
]


@final
class DeclaredWeightsConfig(Schema):
    """The loss of a task counts as declared; 1 where nothing is."""

    kind: Literal["declared"] = "declared"
    weights: dict[str, NonNegativeFloat] = Field(default_factory=dict)


@final
class UncertaintyWeightsConfig(Schema):
    """The loss of a task counts by a learnt uncertainty."""

    kind: Literal["uncertainty"] = "uncertainty"


WeightingConfig = Annotated[
    DeclaredWeightsConfig | UncertaintyWeightsConfig, Field(discriminator="kind")
]


@final
class ObjectiveConfig(Schema):
    """The sum over the tasks of weighted losses."""

    loss: LossConfig = Field(
        default=BinaryCrossEntropyConfig(), description="The loss of every task."
    )
    tasks: dict[str, LossConfig] = Field(
        default_factory=dict, description="Task -> its own loss, where it is another."
    )
    weighting: WeightingConfig = DeclaredWeightsConfig()
    group: str = Field(
        default="user_id",
        description="Column of the examples: rows with one value are a group of the losses "
        "`pairwise` and `listwise`, and of the metric `gauc`.",
    )
    sampled: Literal["as_drawn", "inverse_probability"] = Field(
        default="as_drawn",
        description="A sampled negative counts as one row, or as one over the probability with "
        "which it was drawn.",
    )

    def loss_of(self, task: str) -> LossConfig:
        """Return the loss of `task`."""
        return self.tasks.get(task, self.loss)

    def weight_of(self, task: str) -> float:
        """Return the declared weight of `task`; 1 where it is learnt."""
        return self.weighting.weights.get(task, 1.0) if self.weighting.kind == "declared" else 1.0

    @property
    def named(self) -> set[str]:
        """The tasks that something is declared for."""
        weights = self.weighting.weights if self.weighting.kind == "declared" else {}
        return {*self.tasks, *weights}
