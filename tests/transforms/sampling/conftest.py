"""Negatives of a log, by Spark."""

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest
from pydantic import TypeAdapter
from tests.transforms.sampling import logs

from reclife.config.negatives import Negatives

Draw = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def drawn(spark: Any) -> Draw:
    """Return the maker of all examples, sorted: (log, declaration, partitions) -> rows."""

    def run(table: pa.Table, declared: dict[str, Any], partitions: int = 2) -> list[dict[str, Any]]:
        from reclife.transforms.sampling import with_negatives

        config = TypeAdapter(Negatives).validate_python(declared)
        divided = spark.createDataFrame(table).repartition(partitions)
        items = spark.createDataFrame(logs.items()).repartition(partitions)
        found = with_negatives(divided, items, config, ["device"]).toArrow().to_pylist()
        return sorted(found, key=repr)

    return run
