"""Which ranking model is trained, and its shape."""

from typing import Annotated, Literal, final

from pydantic import ConfigDict, Field, NonNegativeFloat, PositiveInt, RootModel

from reclife.config.schema import Schema

Rate = Annotated[float, Field(ge=0, lt=1)]


class _Common(Schema):
    exclude_features: tuple[str, ...] = Field(
        default=(), description="Features of the specification that the model leaves out."
    )
    embedding_l2: NonNegativeFloat = Field(
        default=0.0,
        description="Weight of the squared norm of the embedding rows a batch touches; "
        "rows that the batch does not touch are left alone.",
    )


@final
class DeepFMConfig(_Common):
    """A factorization machine and a multi-layer perceptron over the same embeddings."""

    kind: Literal["deepfm"] = "deepfm"
    embedding_dim: PositiveInt = Field(default=8, description="Length of an embedding vector.")
    embedding_dims: dict[str, PositiveInt] = Field(
        default_factory=dict,
        description="Length for single tables, by table name; a table of another length is "
        "projected to `embedding_dim`.",
    )
    hidden_units: tuple[PositiveInt, ...] = Field(
        default=(64, 32), min_length=1, description="Width of each hidden layer, first to last."
    )
    dropout: Rate = Field(default=0.2, description="Share of hidden units dropped in training.")


@final
class LogisticRegressionConfig(_Common):
    """One weight a feature value: the linear reference."""

    kind: Literal["logistic_regression"] = "logistic_regression"


AnyModelConfig = DeepFMConfig | LogisticRegressionConfig


@final
class ModelConfig(RootModel[Annotated[AnyModelConfig, Field(discriminator="kind")]]):
    """The declared model: one of the kinds, told apart by `kind`."""

    model_config = ConfigDict(frozen=True)
