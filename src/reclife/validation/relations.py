"""Foreign keys, by an anti join where the data are: Arrow in memory, Spark beyond."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from reclife.config.validation import ForeignKey
from reclife.contracts import ExpectationOutcome
from reclife.validation.outcomes import EXAMPLES, counted, outcome
from reclife.validation.tables import Table


def check_foreign_key(
    table: Table, key: ForeignKey, others: Mapping[str, Table]
) -> ExpectationOutcome:
    """Check that every non-null value of `key.column` exists in the table it refers to."""
    expected = f"every value to exist in {key.table}.{key.key}"
    other = others.get(key.table)
    problem = _problem(table, key, other)
    if problem or other is None:
        return outcome("foreign_key", key.column, expected, False, "", exception=problem)
    if table.arrow is not None and other.arrow is not None:
        lost, examples = _arrow_orphans(table.arrow[key.column], other.arrow[key.key])
    else:
        lost, examples = _spark_orphans(table, key, other)
    return outcome(
        "foreign_key",
        key.column,
        expected,
        lost == 0,
        counted(lost, table.rows),
        unexpected=lost,
        examples=examples,
    )


def _problem(table: Table, key: ForeignKey, other: Table | None) -> str | None:
    if other is None:
        return f"table {key.table} was not given to the validation"
    if key.column not in table.types:
        return f"column {key.column} is missing"
    if key.key not in other.types:
        return f"column {key.key} of {key.table} is missing"
    ours, theirs = table.types[key.column], other.types[key.key]
    if ours != theirs:
        return f"{key.column} is {ours}, {key.table}.{key.key} is {theirs}"
    return None


def _arrow_orphans(values: pa.ChunkedArray, keys: pa.ChunkedArray) -> tuple[int, list[object]]:
    known = pc.is_in(values, value_set=keys, skip_nulls=True)
    orphans = values.filter(pc.and_(pc.is_valid(values), pc.invert(known)))
    return len(orphans), orphans.unique()[:EXAMPLES].to_pylist()


def _spark_orphans(table: Table, key: ForeignKey, other: Table) -> tuple[int, list[object]]:
    session = next(t.data for t in (table, other) if t.arrow is None).sparkSession
    values = _column(session, table, key.column)
    keys = _column(session, other, key.key)
    orphans = values.dropna().join(keys, "value", "left_anti").cache()
    examples = [row[0] for row in orphans.distinct().limit(EXAMPLES).collect()]
    lost = orphans.count()
    orphans.unpersist()
    return lost, examples


def _column(session: Any, table: Table, name: str) -> Any:
    if table.arrow is None:
        return table.data.select(table.data[name].alias("value"))
    return session.createDataFrame(pa.table({"value": table.arrow[name]}))
