"""Negatives that are items of the training part which the user has not met."""

from collections.abc import Collection
from typing import TYPE_CHECKING, final

import numpy as np
import pyarrow as pa

from reclife.config.negatives import DrawnNegatives
from reclife.contracts import ITEM, LABEL, SAMPLING_PROBABILITY, SPLIT, TIME, USER, WEIGHT
from reclife.transforms.kernels.arrays import (
    Bools,
    Floats,
    Ints,
    column,
    ints,
    number_column,
    positions,
)
from reclife.transforms.sampling.base import PART, TIE, Sampler
from reclife.transforms.sampling.draw import draw, seeds_of
from reclife.transforms.sampling.met import Met
from reclife.transforms.sampling.pool import Pool, Ranges

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@final
class ItemSampler(Sampler):
    """Draws from a pool what the user has met neither in the positive's part nor in an earlier one.

    The probability of a drawn item is its weight over that of all items of the positive's range
    that the user has not met by then: the chance that one draw gives it.

    Args:
        pool: The items.
        ranges: Which of them a positive draws from.
        config: How many, and the seed.
        request_columns: Columns of the interactions that tell of the request: a negative has those
            of its positive.
    """

    def __init__(
        self, pool: Pool, ranges: Ranges, config: DrawnNegatives, request_columns: Collection[str]
    ) -> None:
        self._pool = pool
        self._ranges = ranges
        self._config = config
        self._request_columns = frozenset(request_columns)

    def events(self, ranked: "DataFrame") -> "DataFrame":
        """Return who met what in which part."""
        return ranked.select(USER, ITEM, PART)

    def draw(self, positives: pa.Table, events: pa.Table) -> pa.Table:
        """Return up to `per_positive` negatives of each positive, no item twice at one moment."""
        positives = positives.sort_by(TIE)
        users = column(positives, USER).unique()
        owners, parts = positions(column(positives, USER), users), ints(positives, PART)
        met = Met(
            positions(column(events, USER), users),
            positions(column(events, ITEM), self._pool.items),
            ints(events, PART),
            len(self._pool.items),
        )
        start, stop = self._ranges.of(column(positives, ITEM))
        weights = self._pool.weights

        def allowed(rows: Ints, places: Ints) -> Bools:
            return ~met.by_the_end_of(parts[rows], owners[rows], places)

        config = self._config
        seeds = seeds_of(positives)
        chosen = draw(weights, start, stop, seeds, allowed, config.per_positive, config.seed)
        rows, ranks = np.nonzero(chosen >= 0)
        places = chosen[rows, ranks]
        moments = ints(positives, TIME if TIME in positives.column_names else PART)
        _, first = np.unique(
            np.stack([owners[rows], moments[rows], places]), axis=1, return_index=True
        )
        rows, places = rows[first], places[first]
        left = weights.total(start[rows], stop[rows]) - met.weight(
            weights.weights, parts[rows], owners[rows], start[rows], stop[rows]
        )
        return self._rows(
            positives.take(rows), places, np.minimum(weights.weights[places] / left, 1.0)
        )

    def _rows(self, positives: pa.Table, places: Ints, probabilities: Floats) -> pa.Table:
        """Return the positives with other items; what only the event itself knew becomes null."""
        kept = {USER, TIME, SPLIT, PART, TIE, *self._request_columns}
        schema = positives.schema
        columns = {
            name: positives[name]
            if name in kept
            else pa.nulls(positives.num_rows, schema.field(name).type)
            for name in schema.names
        }
        columns[ITEM] = self._pool.items.take(pa.array(places)).cast(schema.field(ITEM).type)
        columns[LABEL] = _constant(positives, LABEL, 0.0)
        if WEIGHT in schema.names:
            columns[WEIGHT] = _constant(positives, WEIGHT, 1.0)
        drawn = pa.table(columns, schema=schema)
        return drawn.append_column(SAMPLING_PROBABILITY, number_column(probabilities))


def _constant(table: pa.Table, name: str, value: float) -> pa.Array:
    return pa.array(np.full(table.num_rows, value)).cast(table.schema.field(name).type)
