"""Checks that examples are what their feature specification says."""

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from reclife.contracts import ExpectationOutcome, Feature, FeatureSpec
from reclife.validation.outcomes import EXAMPLES, counted, outcome
from reclife.validation.tables import Table

_SCALARS = {"int64": "bigint", "float32": "float"}


def check_features(table: Table, spec: FeatureSpec) -> list[ExpectationOutcome]:
    """Return one outcome per feature: its type, its length, its ids or its finiteness."""
    return [_check(table, spec, feature) for feature in spec.features]


def _check(table: Table, spec: FeatureSpec, feature: Feature) -> ExpectationOutcome:
    expected = _expected(spec, feature)
    found = table.types.get(feature.name)
    declared = _declared(feature)
    if found != declared:
        observed = f"its type is {found}" if found else "it is missing"
        return outcome("feature", feature.name, expected, False, observed)
    size = spec.table(feature.table).size if feature.table else None
    if table.arrow is not None:
        bad, examples = _in_arrow(table.arrow, feature, size)
    else:
        bad, examples = _in_spark(table.data, feature, size)
    observed = counted(bad, table.rows)
    return outcome(
        "feature", feature.name, expected, bad == 0, observed, unexpected=bad, examples=examples
    )


def _declared(feature: Feature) -> str:
    scalar = _SCALARS[feature.dtype]
    return f"array<{scalar}>" if feature.shape else scalar


def _expected(spec: FeatureSpec, feature: Feature) -> str:
    length = f" of length {feature.shape[0]}" if feature.shape else ""
    if feature.dtype == "float32":
        return f"{_declared(feature)}{length}, finite"
    bound = spec.table(feature.table).size if feature.table else "any"
    return f"{_declared(feature)}{length}, ids from 0 to below {bound}"


def _in_arrow(table: pa.Table, feature: Feature, size: int | None) -> tuple[int, list[object]]:
    """Count the rows that hold a null, a wrong length or a bad value."""
    column = table[feature.name].combine_chunks()
    if not feature.shape:
        bad = _bad_values(column, size)
        return pc.sum(bad).as_py() or 0, column.filter(bad)[:EXAMPLES].to_pylist()
    lengths = pc.fill_null(pc.list_value_length(column), -1)
    wrong = pc.not_equal(lengths, feature.shape[0])
    values, parents = pc.list_flatten(column), pc.list_parent_indices(column)
    broken = _bad_values(values, size)
    rows = set(pc.indices_nonzero(wrong).to_pylist()) | set(parents.filter(broken).to_pylist())
    examples = [column[row].as_py() for row in sorted(rows)[:EXAMPLES]]
    return len(rows), examples


def _bad_values(values: pa.Array, size: int | None) -> pa.Array:
    if pa.types.is_floating(values.type):
        good = pc.is_finite(values)
    else:
        good = pc.greater_equal(values, 0)
        good = good if size is None else pc.and_(good, pc.less(values, size))
    return pc.invert(pc.fill_null(good, False))


def _in_spark(data: Any, feature: Feature, size: int | None) -> tuple[int, list[object]]:
    from pyspark.sql import functions as sf

    bound = f" AND {{0}} < {size}" if size is not None else ""
    value = "x" if feature.shape else f"`{feature.name}`"
    numeric = f"NOT isnan({value}) AND abs({value}) < double('inf')"
    good = numeric if feature.dtype == "float32" else f"{value} >= 0" + bound.format(value)
    if feature.shape:
        column = f"`{feature.name}`"
        every = f"forall({column}, x -> coalesce({good}, false))"
        good = f"size({column}) = {feature.shape[0]} AND {every}"
    bad = data.where(sf.expr(f"NOT coalesce({good}, false)")).select(feature.name)
    return bad.count(), [row[0] for row in bad.limit(EXAMPLES).collect()]
