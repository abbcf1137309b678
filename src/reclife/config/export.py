"""Declaration of the export stage: how close the graphs must come, and what the bundle carries."""

from typing import final

from pydantic import Field, PositiveFloat, PositiveInt

from reclife.config.schema import Schema


@final
class ExportConfig(Schema):
    """The export stage. Tolerances are largest absolute differences of probabilities."""

    golden_rows: PositiveInt = Field(
        1000, description="Test rows that travel in the bundle with their scores."
    )
    tolerance: PositiveFloat = Field(
        1e-5, description="Of the float graph, held against the trained model."
    )
    execution_tolerance: PositiveFloat = Field(
        1e-5,
        description="Of the chosen graph, between batch sizes and orders of columns.",
    )
