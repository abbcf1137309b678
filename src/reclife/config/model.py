"""Which ranking model is trained, and its shape."""

from typing import Annotated, Literal, Self, final

from pydantic import ConfigDict, Field, PositiveInt, RootModel, model_validator

from reclife.config.blocks.graph import BlocksConfig
from reclife.config.custom import CustomConfig
from reclife.config.multi_task import ESMMConfig, MMoEConfig, PLEConfig, SharedBottomConfig
from reclife.config.towers import (
    INITIAL,
    WIDE_ROWS,
    Common,
    Deep,
    Embedded,
    InitialRows,
    Tower,
    Units,
    check_heads,
)


@final
class LogisticRegressionConfig(Common):
    """One weight a feature value: the linear reference."""

    kind: Literal["logistic_regression"] = "logistic_regression"


@final
class FMConfig(Embedded):
    """A factorization machine: products of all pairs of features."""

    kind: Literal["fm"] = "fm"


@final
class WideAndDeepConfig(Deep):
    """A linear model and a multi-layer perceptron, trained jointly."""

    kind: Literal["wide_and_deep"] = "wide_and_deep"


@final
class DeepFMConfig(Deep):
    """A factorization machine and a multi-layer perceptron over the same embeddings."""

    kind: Literal["deepfm"] = "deepfm"


@final
class DCNv2Config(Deep):
    """Explicit products of bounded degree by a cross network, and a multi-layer perceptron."""

    kind: Literal["dcn_v2"] = "dcn_v2"
    cross_layers: PositiveInt = Field(
        default=2, description="Layers of the cross network; its degree is one more."
    )
    cross_rank: PositiveInt | None = Field(
        default=None, description="Rank of the matrices of the cross network; null: full."
    )
    structure: Literal["parallel", "stacked"] = Field(
        default="parallel",
        description="The perceptron beside the cross network, or on top of it.",
    )


@final
class XDeepFMConfig(Deep):
    """Explicit products of whole vectors, and a multi-layer perceptron."""

    kind: Literal["xdeepfm"] = "xdeepfm"
    interaction_maps: Units = Field(
        default=(16, 16),
        description="Maps of each layer of the compressed interaction network, first to last; "
        "each layer raises the degree by one.",
    )


@final
class AutoIntConfig(Embedded):
    """Self-attention between the features."""

    kind: Literal["autoint"] = "autoint"
    embedding_initializer: InitialRows = Field(default=WIDE_ROWS, description=INITIAL)
    attention_layers: PositiveInt = Field(default=2, description="Layers of self-attention.")
    heads: PositiveInt = Field(default=2, description="Attention heads of a layer.")
    head_units: PositiveInt = Field(default=8, description="Length of a vector within a head.")


class _Attentive(Deep):
    attention_units: Units = Field(
        default=(32, 16), description="Width of each hidden layer of the activation unit."
    )

    @property
    def attention_unit(self) -> Tower:
        """The hidden layers of the activation unit, of the same kind as the perceptron's."""
        return Tower(
            hidden_units=self.attention_units,
            dropout=0.0,
            activation=self.activation,
            dense_initializer=self.dense_initializer,
        )


@final
class DINConfig(_Attentive):
    """The history weighted by its relevance to the scored item, and a multi-layer perceptron."""

    kind: Literal["din"] = "din"


@final
class SIMConfig(_Attentive):
    """From a long history the positions of the scored item's category, weighted as by DIN."""

    kind: Literal["sim"] = "sim"
    history: str = Field(default="history", description="The sequence of past items.")
    search: str = Field(
        description="The sequence of a category of the same past items, position by position."
    )
    relevant: PositiveInt = Field(
        default=50, description="Newest positions of the scored item's category that are kept."
    )
    recent: PositiveInt = Field(
        default=20, description="Newest positions of any category that are kept beside."
    )

    @model_validator(mode="after")
    def _are_two(self) -> Self:
        """Refuse to search a sequence in itself."""
        if self.history == self.search:
            raise ValueError(
                f"history and search are both {self.search!r}: search is the sequence of a category"
            )
        return self


@final
class BSTConfig(Deep):
    """A transformer over the history and the scored item, and a multi-layer perceptron."""

    kind: Literal["bst"] = "bst"
    embedding_initializer: InitialRows = Field(default=WIDE_ROWS, description=INITIAL)
    blocks: PositiveInt = Field(default=1, description="Transformer blocks.")
    heads: PositiveInt = Field(
        default=2, description="Attention heads of a block; they divide `embedding_dim`."
    )

    @model_validator(mode="after")
    def _heads_fit(self) -> Self:
        """Refuse heads that do not divide the embedding."""
        check_heads(self.heads, self.embedding_dim)
        return self


AnyModelConfig = (
    LogisticRegressionConfig
    | FMConfig
    | WideAndDeepConfig
    | DeepFMConfig
    | XDeepFMConfig
    | DCNv2Config
    | AutoIntConfig
    | DINConfig
    | SIMConfig
    | BSTConfig
    | SharedBottomConfig
    | MMoEConfig
    | PLEConfig
    | ESMMConfig
    | BlocksConfig
    | CustomConfig
)


@final
class ModelConfig(RootModel[Annotated[AnyModelConfig, Field(discriminator="kind")]]):
    """The declared model: one of the kinds, told apart by `kind`."""

    model_config = ConfigDict(frozen=True)
