"""Which ranking model is trained, and its shape."""

from typing import Annotated, Literal, final

from pydantic import ConfigDict, Field, NonNegativeFloat, PositiveInt, RootModel

from reclife.config.schema import Schema

Rate = Annotated[float, Field(ge=0, lt=1)]
Units = Annotated[tuple[PositiveInt, ...], Field(min_length=1)]


class _Common(Schema):
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


class _Embedded(_Common):
    embedding_dim: PositiveInt = Field(default=8, description="Length of an embedding vector.")


class _Deep(_Embedded):
    hidden_units: Units = Field(
        default=(64, 32), description="Width of each hidden layer, first to last."
    )
    dropout: Rate = Field(default=0.2, description="Share of hidden units dropped in training.")


@final
class LogisticRegressionConfig(_Common):
    """One weight a feature value: the linear reference."""

    kind: Literal["logistic_regression"] = "logistic_regression"


@final
class FMConfig(_Embedded):
    """A factorization machine: products of all pairs of features."""

    kind: Literal["fm"] = "fm"


@final
class WideAndDeepConfig(_Deep):
    """A linear model and a multi-layer perceptron, trained jointly."""

    kind: Literal["wide_and_deep"] = "wide_and_deep"


@final
class DeepFMConfig(_Deep):
    """A factorization machine and a multi-layer perceptron over the same embeddings."""

    kind: Literal["deepfm"] = "deepfm"
    embedding_dims: dict[str, PositiveInt] = Field(
        default_factory=dict,
        description="Length for single tables, by table name; a table of another length is "
        "projected to `embedding_dim`.",
    )


@final
class DCNv2Config(_Deep):
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
class XDeepFMConfig(_Deep):
    """Explicit products of whole vectors, and a multi-layer perceptron."""

    kind: Literal["xdeepfm"] = "xdeepfm"
    interaction_maps: Units = Field(
        default=(16, 16),
        description="Maps of each layer of the compressed interaction network, first to last; "
        "each layer raises the degree by one.",
    )


@final
class AutoIntConfig(_Embedded):
    """Self-attention between the features."""

    kind: Literal["autoint"] = "autoint"
    attention_layers: PositiveInt = Field(default=2, description="Layers of self-attention.")
    heads: PositiveInt = Field(default=2, description="Attention heads of a layer.")
    head_units: PositiveInt = Field(default=8, description="Length of a vector within a head.")


@final
class DINConfig(_Deep):
    """The history weighted by its relevance to the scored item, and a multi-layer perceptron."""

    kind: Literal["din"] = "din"
    attention_units: Units = Field(
        default=(32, 16), description="Width of each hidden layer of the activation unit."
    )


@final
class BSTConfig(_Deep):
    """A transformer over the history and the scored item, and a multi-layer perceptron."""

    kind: Literal["bst"] = "bst"
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
