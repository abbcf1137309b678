"""In which numbers the dense part computes, and the check that this pays on the machine."""

from typing import Annotated, Literal, final

from pydantic import Field, PositiveInt

from reclife.config.schema import Schema


@final
class Float32Config(Schema):
    """Everything in float32."""

    kind: Literal["float32"] = "float32"


@final
class BFloat16Config(Schema):
    """Layers compute in bfloat16: the range of float32, 8 bits of precision."""

    kind: Literal["bfloat16"] = "bfloat16"


@final
class Float16Config(Schema):
    """Layers compute in float16: 11 bits of precision, but a small range, so the loss is scaled.

    A step whose gradient overflows is left out and halves the scale; many good steps double it.
    """

    kind: Literal["float16"] = "float16"
    initial_scale: float = Field(
        default=2.0**15, ge=1, description="What the loss is multiplied by at first."
    )
    growth_steps: PositiveInt = Field(
        default=2000, description="Steps without an overflow after which the scale doubles."
    )


PrecisionConfig = Annotated[
    Float32Config | BFloat16Config | Float16Config, Field(discriminator="kind")
]


@final
class ProbeConfig(Schema):
    """The check, before training starts, that the declared precision and XLA are no slower."""

    steps: PositiveInt = Field(
        default=5, description="Steps that are timed, of float32 and of what is declared."
    )
    force: bool = Field(
        default=False, description="Train as declared, however slow; nothing is timed."
    )
