"""Maps from a model's chance to one that comes true."""

from typing import Annotated, Literal

from pydantic import Field

from reclife.contracts.base import Contract


class Platt(Contract):
    """A calibration that stretches and moves the logit: `sigmoid(slope logit(p) + intercept)`."""

    kind: Literal["platt"] = "platt"
    slope: float
    intercept: float


class Isotonic(Contract):
    """A calibration that is linear between its ascending knots `[K]` and constant outside."""

    kind: Literal["isotonic"] = "isotonic"
    knots: tuple[float, ...]
    values: tuple[float, ...]


Calibration = Annotated[Platt | Isotonic, Field(discriminator="kind")]
"""A monotone map from a model's chance to one that comes true."""


class Calibrations(Contract):
    """`calibration.json`: the map of each task's chance; no task where none is declared."""

    tasks: dict[str, Calibration]
