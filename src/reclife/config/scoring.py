"""Declaration of the scoring stage: as of when, from how many candidates, ranked by what."""

from datetime import date
from typing import Literal, final

from pydantic import Field, PositiveFloat, PositiveInt

from reclife.config.schema import Schema


@final
class ScoringConfig(Schema):
    """The scoring stage."""

    top: PositiveInt = Field(10, description="Items recommended to each user.")
    candidates: PositiveInt = Field(
        200, description="Items retrieved for each user, which the model ranks."
    )
    as_of: Literal["latest"] | date = Field(
        "latest",
        description="Events before this count: one second after the newest, or midnight UTC of a "
        "day. Not used on data without time.",
    )
    model_weight: float = Field(
        1.0,
        ge=0,
        le=1,
        description="Weight of the model's probability; the rest goes to the candidate's score, "
        "scaled to the user's best.",
    )
    batch_rows: PositiveInt = Field(8192, description="Rows handed to the graph at once.")
    threads: PositiveInt = Field(
        1, description="Threads of a session; times the Spark workers of a machine, its cores."
    )
    golden_tolerance: PositiveFloat = Field(
        1e-4,
        description="Largest difference between a golden row's score here and at export.",
    )
