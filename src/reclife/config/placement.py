"""Parts of one model on different devices."""

from typing import Annotated, final

from pydantic import Field, NonNegativeInt, PositiveFloat, model_validator

from reclife.config.schema import Schema


@final
class PartConfig(Schema):
    """Tables and layers that lie, and compute, on one device."""

    parts: Annotated[tuple[str, ...], Field(min_length=1)] = Field(
        description="Patterns: `table/<table>`, `dense/<layer>`; the first that fits decides."
    )
    device: NonNegativeInt


@final
class PlacementConfig(Schema):
    """What lies where; the rest is on device 0.

    Devices are GPUs where there are enough, else parts of the processor, which run side by side.
    """

    devices: Annotated[int, Field(ge=2)] = Field(description="How many devices.")
    placed: Annotated[tuple[PartConfig, ...], Field(min_length=1)]
    link: PositiveFloat = Field(
        default=10.0, description="Gigabytes a second between devices, for the plan only."
    )

    @model_validator(mode="after")
    def _devices_exist(self) -> "PlacementConfig":
        """Refuse a part on a device that is not there."""
        if wrong := sorted({part.device for part in self.placed if part.device >= self.devices}):
            raise ValueError(
                f"device {', '.join(map(str, wrong))} is not among the {self.devices} devices "
                f"0 to {self.devices - 1}"
            )
        return self
