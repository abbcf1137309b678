"""Declaration of the compression stage: the methods, and the budget they must keep."""

from typing import Annotated, Literal, Self, final

from pydantic import Field, PositiveFloat, PositiveInt, model_validator

from reclife.config.schema import Schema

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", description="Of variant and file.")]
Part = Literal["embeddings", "dense"]


@final
class StaticInt8Config(Schema):
    """Weights and activations as 8-bit integers, their ranges fixed beforehand on training rows."""

    name: Name = "int8"
    kind: Literal["static_int8"] = "static_int8"
    parts: tuple[Part, ...] = Field(
        ("embeddings", "dense"),
        min_length=1,
        description="The tables are most of the bytes; the dense layers cost most of the drift.",
    )
    calibration_rows: PositiveInt = Field(
        4096,
        description="Training rows, evenly spread, on which the activations' ranges are taken.",
    )
    per_channel: bool = Field(
        True, description="One scale per output column of a dense layer instead of one per layer."
    )


@final
class RowInt8Config(Schema):
    """Embedding tables only: 8-bit integers with one scale per row; the dense layers stay float."""

    name: Name = "int8_rows"
    kind: Literal["row_int8"] = "row_int8"
    min_rows: PositiveInt = Field(64, description="Tables with fewer rows stay as they are.")


MethodConfig = Annotated[StaticInt8Config | RowInt8Config, Field(discriminator="kind")]


@final
class BudgetConfig(Schema):
    """What compression may cost, judged on the validation rows; beyond it the original is kept."""

    min_ratio: PositiveFloat = Field(1.2, description="Bytes of the original over the variant's.")
    max_auc_drop: float = Field(0.002, ge=0, description="AUC that may be lost.")
    max_abs_diff: float = Field(
        0.15, ge=0, le=1, description="Largest change of one row's probability."
    )
    min_top10_overlap: float = Field(
        0.99, ge=0, le=1, description="Mean share of a user's ten best rows that stay."
    )


@final
class CompressionConfig(Schema):
    """The compression stage."""

    methods: tuple[MethodConfig, ...] = Field(
        (StaticInt8Config(), StaticInt8Config(name="int8_embeddings", parts=("embeddings",))),
        min_length=1,
        description="Tried in this order; the first within the budget is shipped.",
    )
    budget: BudgetConfig = Field(default_factory=BudgetConfig)

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        names = ["original", *(method.name for method in self.methods)]
        if len(set(names)) < len(names):
            raise ValueError(f"methods need names that differ, also from original: {names[1:]}")
        return self
