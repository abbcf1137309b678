"""What the declarations of models have in common: penalties, embeddings, perceptrons."""

from typing import Annotated, Literal, final

from pydantic import Field, NonNegativeFloat, PositiveInt

from reclife.config.schema import Schema

Rate = Annotated[float, Field(ge=0, lt=1)]
Units = Annotated[tuple[PositiveInt, ...], Field(min_length=1)]
Activation = Literal["relu", "leaky_relu", "prelu", "dice", "gelu", "silu", "tanh"]


@final
class NormalRows(Schema):
    """Embedding rows are drawn from a normal distribution around zero."""

    kind: Literal["normal"] = "normal"
    deviation: NonNegativeFloat = Field(0.01, description="Standard deviation.")


@final
class UniformRows(Schema):
    """Embedding rows are drawn evenly from around zero."""

    kind: Literal["uniform"] = "uniform"
    bound: NonNegativeFloat = Field(0.05, description="Largest absolute value.")


InitialRows = Annotated[NormalRows | UniformRows, Field(discriminator="kind")]

WIDE_ROWS = NormalRows(deviation=0.05)
"""For models that normalise what they look up: with tiny rows all attention weights are equal."""

INITIAL = "Where the rows start; those of padding and unknown values start at zero."


def check_heads(heads: int, dim: int) -> None:
    """Refuse attention heads that do not divide the vector of length `dim` among them."""
    if dim % heads:
        raise ValueError(f"{heads} heads do not divide embedding_dim {dim} among them evenly")


class HiddenLayers(Schema):
    """The hidden layers of a perceptron: matrix, normalisation, activation, dropout, each time."""

    hidden_units: Units = Field(
        default=(64, 32), description="Width of each hidden layer, first to last."
    )
    dropout: Rate = Field(default=0.2, description="Share of hidden units dropped in training.")
    activation: Activation = Field(
        default="relu",
        description="`dice` is that of DIN; `gelu` is its approximation by tanh, which can be "
        "exported.",
    )
    normalization: Literal["none", "batch", "layer"] = Field(
        default="none", description="What comes before the activation."
    )
    dense_initializer: Literal["glorot", "he"] = Field(
        default="glorot",
        description="Uniform start of the hidden matrices: `glorot` keeps the variance of both "
        "directions, `he` suits rectified units.",
    )


@final
class Tower(HiddenLayers):
    """The hidden layers of one part of a model that has several."""


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
    embedding_dims: dict[str, PositiveInt] = Field(
        default_factory=dict,
        description="Length for single tables, by table name; rows of another length are "
        "projected to that of the others.",
    )
    embedding_initializers: dict[str, InitialRows] = Field(
        default_factory=dict, description="Where the rows of single tables start, by table name."
    )


class Deep(Embedded, HiddenLayers):
    """What every model with one perceptron declares."""
