"""`kind: from_impressions`: what the user was shown and did not take."""

from collections.abc import Collection
from typing import TYPE_CHECKING, final

import numpy as np
import pyarrow as pa

from reclife.config.negatives import ImpressionNegatives
from reclife.contracts import EVENT, ITEM, LABEL, SAMPLING_PROBABILITY, TIME, USER
from reclife.errors import DataError
from reclife.transforms.kernels.arrays import Bools, Ints, ints, number_column
from reclife.transforms.kernels.keys import numbered
from reclife.transforms.sampling.base import PART, TIE, Sampler
from reclife.transforms.sampling.draw import Weights, draw, seeds_of
from reclife.transforms.sampling.met import Met

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def from_impressions(
    divided: "DataFrame",
    items: "DataFrame",  # noqa: ARG001 - all kinds are made of the same
    config: ImpressionNegatives,
    request_columns: Collection[str],  # noqa: ARG001 - an impression has its own
) -> "ImpressionSampler":
    """Return the sampler.

    Raises:
        DataError: There are no impressions.
    """
    if divided.where(_is_impression(config)).isEmpty():
        raise DataError(
            f"negatives: no interaction has the {EVENT} {config.event!r} and no positive label; "
            f"declare another `event`, or keep the impressions in ingest"
        )
    return ImpressionSampler(config)


@final
class ImpressionSampler(Sampler):
    """Chooses, per positive, impressions of its user, part and request, at or before its time.

    An impression whose item has a positive of the same user (and request) by the end of its part
    was taken. One that several positives choose is written once. The probability of one chosen by
    hash is that of one draw among those that its positive could choose; of the newest it is 1.
    """

    def __init__(self, config: ImpressionNegatives) -> None:
        self._config = config

    def examples(self, divided: "DataFrame") -> "DataFrame":
        """Return the events that are no impressions."""
        return divided.where(~_is_impression(self._config))

    def events(self, ranked: "DataFrame") -> "DataFrame":
        """Return the impressions, whole."""
        return ranked.where(_is_impression(self._config))

    def draw(self, positives: pa.Table, events: pa.Table) -> pa.Table:
        """Return the chosen impressions with label 0, columns and all else being their own."""
        shown = events.filter(pa.array(self._left(positives, events)))
        start, stop, order = self._ranges(positives, shown)
        shown = shown.take(pa.array(order))
        rows, ranks = np.nonzero((chosen := self._chosen(positives, start, stop)) >= 0)
        places = chosen[rows, ranks]
        chance = np.zeros(shown.num_rows)
        by_hash = self._config.choose == "hashed"
        np.maximum.at(chance, places, 1.0 / (stop - start)[rows] if by_hash else 1.0)
        kept = np.flatnonzero(chance)
        drawn = shown.take(pa.array(kept)).select(positives.schema.names)
        zeros = pa.array(np.zeros(len(kept))).cast(positives.schema.field(LABEL).type)
        drawn = drawn.set_column(drawn.schema.get_field_index(LABEL), LABEL, zeros)
        drawn = drawn.cast(positives.schema)
        return drawn.append_column(SAMPLING_PROBABILITY, number_column(chance[kept]))

    def _left(self, positives: pa.Table, events: pa.Table) -> Bools:
        """Return which impressions have a request and were not taken by the end of their part."""
        owners, wanted = numbered(events, positives, self._request)
        items, taken = numbered(events, positives, (ITEM,))
        met = Met(wanted, taken, ints(positives, PART), _width(items, taken))
        return (owners >= 0) & ~met.by_the_end_of(ints(events, PART), owners, items)

    def _ranges(self, positives: pa.Table, shown: pa.Table) -> tuple[Ints, Ints, Ints]:
        """Return what each positive may choose, [start, stop) of the impressions in `order`."""
        groups, wanted = numbered(shown, positives, (*self._request, PART))
        if TIME in positives.column_names:
            times, now = numbered(shown, positives, (TIME,))
        else:
            times, now = np.zeros_like(groups), np.zeros_like(wanted)
        width = _width(times, now)
        moments = groups * width + times
        order = np.lexsort((ints(shown, TIE), moments))
        start = np.searchsorted(moments[order], wanted * width)
        stop = np.searchsorted(moments[order], wanted * width + now, side="right")
        return start, np.where(wanted < 0, start, stop), order

    def _chosen(self, positives: pa.Table, start: Ints, stop: Ints) -> Ints:
        """Return up to `per_positive` places of each positive, [M, K], -1 for none."""
        config = self._config
        if config.choose == "newest":
            newest = stop[:, None] - 1 - np.arange(config.per_positive)
            return np.where(newest >= start[:, None], newest, -1)
        weights = Weights(np.ones(int(stop.max(initial=0))))
        seeds = seeds_of(positives)
        return draw(weights, start, stop, seeds, _any, config.per_positive, config.seed)

    @property
    def _request(self) -> tuple[str, ...]:
        """The columns that positive and impression must share."""
        return (USER, *([self._config.same] if self._config.same else []))


def _any(rows: Ints, places: Ints) -> Bools:  # noqa: ARG001 - what may be drawn is in the ranges
    return np.ones(len(places), np.bool_)


def _width(first: Ints, second: Ints) -> int:
    return 1 + max(int(first.max(initial=0)), int(second.max(initial=0)))


def _is_impression(config: ImpressionNegatives) -> "Column":
    """Return whether a row is an impression and no positive itself; never null."""
    from pyspark.sql import functions as sf

    shown = sf.coalesce(sf.col(EVENT) == config.event, sf.lit(False))
    return shown & ~sf.coalesce(sf.col(LABEL) > 0, sf.lit(False))
