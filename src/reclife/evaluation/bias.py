"""Baselines without features: the item's mean, and user plus item bias."""

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from reclife.config.evaluation import ItemMeanConfig, UserItemBiasConfig
from reclife.contracts import ITEM, LABEL, TIME, USER
from reclife.transforms.kernels.arrays import column, floats, ints, positions
from reclife.transforms.kernels.timeline import Running, Timeline

Scores = npt.NDArray[np.float64]


def item_mean(known: pa.Table, test: pa.Table, config: ItemMeanConfig) -> Scores:
    """Return the item's mean label, smoothed towards the overall mean `[N]`."""
    mean = float(floats(known, LABEL).mean())
    return mean + _item_deviation(known, test, mean, config.smoothing)


def user_item_bias(known: pa.Table, test: pa.Table, config: UserItemBiasConfig) -> Scores:
    """Return `mean + b_item + b_user` `[N]`.

    `b_item` is the item's smoothed deviation from the mean over what is known before the test
    part; `b_user` the smoothed deviation that is left in the user's events strictly before the
    event, those of the test part included. Without event times it is over what is known.
    """
    mean = float(floats(known, LABEL).mean())

    def expected(rows: pa.Table) -> Scores:
        return mean + _item_deviation(known, rows, mean, config.item_smoothing)

    timed = TIME in test.column_names
    events = pa.concat_tables([known, test]) if timed else known
    users = column(events, USER).unique()
    owners = positions(column(events, USER), users)
    left = floats(events, LABEL) - expected(events)
    clock = ints(events, TIME) if timed else np.zeros(len(owners), np.int64)
    now = ints(test, TIME) if timed else np.ones(test.num_rows, np.int64)
    timeline = Timeline(owners, clock)
    span = timeline.before(positions(column(test, USER), users), now)
    return expected(test) + Running(left[timeline.order]).smoothed(span, 0.0, config.user_smoothing)


def _item_deviation(known: pa.Table, rows: pa.Table, mean: float, smoothing: float) -> Scores:
    """Return each row's item's `sum(label - mean) / (n + smoothing)`; 0 for an unknown item."""
    items = column(known, ITEM).unique()
    codes = positions(column(known, ITEM), items)
    sums = np.bincount(codes, weights=floats(known, LABEL) - mean, minlength=len(items))
    deviation = sums / (np.bincount(codes, minlength=len(items)) + smoothing)
    places = positions(column(rows, ITEM), items)
    return np.where(places >= 0, deviation[places], 0.0)
