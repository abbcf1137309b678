"""What every split promises, held against every one of them."""

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pydantic import TypeAdapter

from reclife.config.splits import Split
from reclife.transforms.split import PARTS
from reclife.transforms.splits import SPLITS, divide

EXAMPLES: dict[str, list[dict[str, Any]]] = {
    "global_time": [{"test": 0.3, "validation": 0.2}],
    "leave_last_out": [{}, {"by": "place", "min_events": 5, "seed": 3}],
    "hash": [{"test": 0.3, "validation": 0.2, "seed": 1}],
    "predefined": [{"column": "told"}, {"column": "half_told", "validation": 0.3}],
}
DECLARED = [{"kind": kind, **one} for kind, all_of in EXAMPLES.items() for one in all_of]
TIMELESS = [one for one in DECLARED if one["kind"] in ("hash", "predefined") or "by" in one]


def log(rows: int = 600) -> pa.Table:
    """Return events with a row number; many share user, item and second, or user and place."""
    draw = np.random.default_rng(8)
    told = draw.choice(PARTS, rows)
    return pa.table(
        {
            "row": np.arange(rows),
            "user_id": draw.integers(0, 60, rows),
            "item_id": draw.integers(0, 9, rows),
            "timestamp": draw.integers(0, 40, rows),
            "place": draw.integers(0, 30, rows) / 2,
            "told": told.tolist(),
            "half_told": np.where(told == "test", "test", "train").tolist(),
        }
    )


def parts_of(spark: Any, table: pa.Table, declared: dict[str, Any], partitions: int) -> list[Any]:
    split = TypeAdapter(Split).validate_python(declared)
    divided, cuts = divide(spark.createDataFrame(table).repartition(partitions), split)
    assert divided.columns == [*table.column_names, "split"]
    return [cuts, sorted((row["row"], row["split"]) for row in divided.collect())]


def test_every_split_has_an_example() -> None:
    assert set(SPLITS) == set(EXAMPLES)


@pytest.mark.parametrize("declared", DECLARED, ids=lambda one: one["kind"])
def test_parts_are_disjoint_and_complete_under_any_partitioning(
    spark: Any, declared: dict[str, Any]
) -> None:
    table = log()
    first = parts_of(spark, table, declared, 1)
    assert [row for row, _ in first[1]] == list(range(table.num_rows))
    shares = Counter(part for _, part in first[1])
    assert set(shares) == set(PARTS)
    assert shares["train"] == max(shares.values()) or declared.get("column") == "told"
    for partitions in (3, 8):
        assert parts_of(spark, table, declared, partitions) == first
    backwards = table.take(np.arange(table.num_rows)[::-1])
    assert parts_of(spark, backwards, declared, 2) == first


@pytest.mark.parametrize("declared", TIMELESS, ids=lambda one: one["kind"])
def test_data_without_time_can_be_split(spark: Any, declared: dict[str, Any]) -> None:
    table = log().drop_columns("timestamp")
    cuts, parts = parts_of(spark, table, declared, 3)
    assert cuts == (None, None)
    assert parts_of(spark, table, declared, 1) == [cuts, parts]


@pytest.mark.parametrize("kind", ["leave_last_out", "hash"])
def test_leaking_splits_have_no_cuts(spark: Any, kind: str) -> None:
    assert parts_of(spark, log(), {"kind": kind}, 2)[0] == (None, None)
