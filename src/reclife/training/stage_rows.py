"""The examples that a stage of a training sees."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reclife.config.stages import (
    NewestRowsConfig,
    RowsConfig,
    SampledRowsConfig,
    WhereRowsConfig,
)
from reclife.contracts import FeatureSpec
from reclife.errors import ConfigError
from reclife.runtime.seeds import derive


def chosen(table: pa.Table, rows: RowsConfig, spec: FeatureSpec, seed: int) -> pa.Table:
    """Return the rows of `table` that a stage sees, in their order.

    Raises:
        ConfigError: A column is not there, or of another type than the values.
    """
    match rows:
        case NewestRowsConfig(share=share):
            times = _column(table, spec.time, "newest").to_numpy()
            oldest = len(table) - max(1, round(share * len(table)))
            order = np.argsort(times, kind="stable")
            return table.take(pa.array(np.sort(order[oldest:])))
        case SampledRowsConfig(share=share):
            drawn = np.random.default_rng(derive(seed, "rows")).random(len(table))
            return table.filter(pa.array(drawn < share))
        case WhereRowsConfig(column=column, equals=equals):
            values = _column(table, column, "where")
            try:
                wanted = pa.array(equals).cast(values.type)
                return table.filter(pc.is_in(values, value_set=wanted))
            except (pa.ArrowException, TypeError) as error:
                raise ConfigError(
                    f"stages: rows of kind 'where' look for {list(equals)} in the column {column}, "
                    f"which holds {values.type}: declare values of that type."
                ) from error
        case _:
            return table


def _column(table: pa.Table, name: str | None, kind: str) -> pa.ChunkedArray:
    if name is None or name not in table.column_names:
        raise ConfigError(
            f"stages: rows of kind {kind!r} need the column {name or 'of times'}, which the "
            f"examples do not have: {', '.join(table.column_names)}."
        )
    return table.column(name)
