"""Which keys have too many events for one part: their requests are spread over several."""

import math
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame

from reclife.contracts import TIME
from reclife.transforms.engine.exchange import Hot
from reclife.transforms.engine.tally import Counting, Summing, Wanted, tally

_SMALL = 2**24
"""Bytes below which a table, as Spark estimates it, has no key with too many events."""
_LEAST = 2**16
"""Events below which no key has too many."""
_PIECES = 2
"""A key is hot from 1 / (2 P) of the events on, P being the parts, and cut into pieces as small."""


def hot_keys(events: DataFrame, names: Sequence[str], parts: int) -> dict[str, Hot]:
    """Return the hot keys by column; one Spark job over these columns alone.

    Which keys are found decides how long tasks last, never what is computed.
    """
    if parts == 1 or not names or _bytes(events) < _SMALL:
        return {}
    share = 1 / (8 * _PIECES * parts)
    counted = {name: Counting(name, _LEAST, _as_they_are, share) for name in names}
    found = tally([Wanted(events, counted, {TIME: Summing(TIME, _as_they_are)})])
    rows = found.sums[TIME].rows  # the sum itself says nothing
    hot = {}
    for name in names:
        counts = found.counts[name]
        many = counts.filter(pc.greater(counts["rows"], rows / (_PIECES * parts)))
        if many.num_rows:
            pieces = math.ceil(pc.max(many["rows"]).as_py() / rows * _PIECES * parts)
            keys = many["value"].combine_chunks().cast(pa.string())
            hot[name] = Hot(keys, min(pieces, parts))
    return hot


def _bytes(events: DataFrame) -> int:
    plan: Any = events._jdf.queryExecution().optimizedPlan()  # noqa: SLF001 - no Python face
    return int(str(plan.stats().sizeInBytes()))


def _as_they_are(values: Any) -> Any:
    return values
