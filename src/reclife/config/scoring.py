"""Declaration of the scoring stage: as of when, from how many candidates, ranked how."""

from datetime import date
from typing import Literal, final

from pydantic import Field, PositiveFloat, PositiveInt

from reclife.config.evaluation import RerankConfig, SeenPolicy
from reclife.config.schema import Schema


@final
class ScoringConfig(Schema):
    """The scoring stage."""

    top: PositiveInt = Field(10, description="Items recommended to each user.")
    rerank: RerankConfig = Field(
        default_factory=RerankConfig,
        description="Candidates of a user and the model's part in their order, as evaluated.",
    )
    seen: SeenPolicy = Field(
        "mask", description="Whether items that the user has met may be recommended, as evaluated."
    )
    as_of: Literal["latest"] | date = Field(
        "latest",
        description="Events before this count: one second after the newest, or midnight UTC of a "
        "day. Not used on data without time.",
    )
    batch_rows: PositiveInt = Field(8192, description="Rows handed to the graph at once.")
    threads: PositiveInt = Field(
        1, description="Threads of a session; times the Spark workers of a machine, its cores."
    )
    golden_tolerance: PositiveFloat = Field(
        1e-4,
        description="Largest difference between a golden row's score here and at export.",
    )
