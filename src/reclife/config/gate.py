"""Figures that fail the run where they are not reached."""

from typing import Literal, final, get_args

from pydantic import Field, PositiveInt

from reclife.config.schema import Schema

EventMetric = Literal["auc", "gauc", "pr_auc"]
GateMetric = Literal[
    EventMetric,
    "ndcg",
    "graded_ndcg",
    "recall",
    "precision",
    "hit_rate",
    "mrr",
    "map",
    "coverage",
    "novelty",
    "diversity",
]
"""Metrics of which more is better."""


@final
class FloorConfig(Schema):
    """A figure that must be reached."""

    metric: GateMetric
    at_least: float
    k: PositiveInt | None = Field(None, description="Cut-off of a list metric, one of those at k.")
    task: str | None = Field(None, description="As the report names it; null: the main one.")
    model: str | None = Field(None, description="As the report names it; null: the trained one.")

    @property
    def of_lists(self) -> bool:
        """Whether it is a metric of lists, not of events."""
        return self.metric not in get_args(EventMetric)


@final
class MustBeatConfig(Schema):
    """Baselines that the trained model must exceed."""

    metric: Literal["auc", "gauc"]
    baselines: tuple[str, ...] = Field(min_length=1)


@final
class GateConfig(Schema):
    """What fails the run."""

    floors: tuple[FloorConfig, ...] = ()
    must_beat: tuple[MustBeatConfig, ...] = ()
