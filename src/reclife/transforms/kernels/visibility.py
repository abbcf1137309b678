"""From when on an event may be seen: not before it was written."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reclife.config.windows import Past, seconds_of
from reclife.contracts import TIME
from reclife.errors import DataError
from reclife.transforms.kernels.arrays import Ints, column, ints


def visible_from(events: pa.Table, past: Past) -> Ints:
    """Return max(time + delay, available_from) per event, [N]; a null says nothing.

    Raises:
        DataError: The column holds something other than whole seconds.
    """
    times = ints(events, TIME)
    visible = times + (seconds_of(past.delay) or 0)
    if past.available_from is None:
        return visible
    values = column(events, past.available_from)
    try:
        written = pc.fill_null(values.cast(pa.int64()), np.iinfo(np.int64).min)
    except pa.ArrowInvalid as problem:
        raise DataError(
            f"past.available_from: {past.available_from!r} must hold whole seconds: {problem}"
        ) from problem
    return np.maximum(visible, written.to_numpy(zero_copy_only=False))
