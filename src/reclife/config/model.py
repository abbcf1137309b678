"""Which ranking model is trained, and its shape."""

from typing import Annotated, Literal, final

from pydantic import ConfigDict, Field, NonNegativeFloat, PositiveInt, RootModel

from reclife.config.schema import Schema
from reclife.config.towers import HiddenLayers, InitialRows, NormalRows, Tower, Units

WIDE_ROWS = NormalRows(deviation=0.05)
"""For models that normalise what they look up: with tiny rows all attention weights are equal."""

INITIAL = "Where the rows start; those of padding and unknown values start at zero."


class Common(Schema):
    """What every model of our own declares."""

    exclude_features: tuple[str, ...] = Field(
        default=(), description="Features of the specification that the model leaves out."
    )
    embedding_l2: NonNegativeFloat = Field(
        default=0.0,
        description="Weight of the squared norm of the embedding rows a batch touches; "
        "rows that the batch does not touch are left alone.",
    )
    dense_l2: NonNegativeFloat = Field(
        default=0.0,
        description="Weight of the squared norm of the matrices of the dense part.",
    )


class Embedded(Common):
    """What every model of embeddings declares."""

    embedding_dim: PositiveInt = Field(default=8, description="Length of an embedding vector.")
    embedding_initializer: InitialRows = Field(default=NormalRows(), description=INITIAL)


class Deep(Embedded, HiddenLayers):
    """What every model with one perceptron declares."""


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
    embedding_dims: dict[str, PositiveInt] = Field(
        default_factory=dict,
        description="Length for single tables, by table name; a table of another length is "
        "projected to `embedding_dim`.",
    )


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


@final
class DINConfig(Deep):
    """The history weighted by its relevance to the scored item, and a multi-layer perceptron."""

    kind: Literal["din"] = "din"
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
class BSTConfig(Deep):
    """A transformer over the history and the scored item, and a multi-layer perceptron."""

    kind: Literal["bst"] = "bst"
    embedding_initializer: InitialRows = Field(default=WIDE_ROWS, description=INITIAL)
    blocks: PositiveInt = Field(default=1, description="Transformer blocks.")
    heads: PositiveInt = Field(
        default=2, description="Attention heads of a block; they divide `embedding_dim`."
    )


AnyModelConfig = (
    LogisticRegressionConfig
    | FMConfig
    | WideAndDeepConfig
    | DeepFMConfig
    | XDeepFMConfig
    | DCNv2Config
    | AutoIntConfig
    | DINConfig
    | BSTConfig
)


@final
class ModelConfig(RootModel[Annotated[AnyModelConfig, Field(discriminator="kind")]]):
    """The declared model: one of the kinds, told apart by `kind`."""

    model_config = ConfigDict(frozen=True)
