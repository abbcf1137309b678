"""`kind: date_part`: the hour, day or month of a request in a declared time zone."""

from collections.abc import Callable, Mapping
from typing import Any, final

import pyarrow as pa
import pyarrow.compute as pc

from reclife.config.encodings import DatePartFeature
from reclife.contracts import TIME, Feature
from reclife.transforms.base import Transform, category_of
from reclife.transforms.kernels.arrays import ints
from reclife.transforms.kernels.frame import Frame
from reclife.transforms.state import FeatureState

SATURDAY = 5
_VALUES = {
    "hour": range(24),
    "day_of_week": range(7),
    "day_of_month": range(1, 32),
    "month": range(1, 13),
    "is_weekend": range(2),
}
_READ: Mapping[str, Callable[[pa.Array], Any]] = {
    "hour": pc.hour,
    "day_of_week": pc.day_of_week,  # Monday is 0
    "day_of_month": pc.day,
    "month": pc.month,
    "is_weekend": lambda times: pc.greater_equal(pc.day_of_week(times), SATURDAY),
}


@final
class DatePart(Transform):
    """The id of the local value in the list of all its values."""

    request_attributes = frozenset({("interaction", TIME)})

    def __init__(self, declaration: DatePartFeature, state: FeatureState) -> None:
        self._declaration = declaration
        self._state = state

    def features(self) -> tuple[Feature, ...]:
        """Return one int64 scalar."""
        return (category_of(self._declaration.name, "context"),)

    def compute(self, frame: Frame) -> Mapping[str, pa.Array]:
        """Return the ids, [M]."""
        seconds = pa.array(ints(frame.requests, TIME))
        local = seconds.cast(pa.timestamp("s", tz=self._declaration.time_zone))
        values = _READ[self._declaration.part](local).cast(pa.int64())
        return {
            self._declaration.name: pa.array(self._state.encode(self._declaration.name, values))
        }


def values_of(part: str) -> pa.Array:
    """Return all values of a part, in their order."""
    return pa.array(_VALUES[part], pa.int64())
