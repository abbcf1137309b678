"""The stages of a lifecycle, in the order of the data."""

from typing import Literal

Stage = Literal["ingest", "features", "training", "evaluation", "compression", "export", "scoring"]


STAGES: tuple[Stage, ...] = (
    "ingest",
    "features",
    "training",
    "evaluation",
    "compression",
    "export",
    "scoring",
)
