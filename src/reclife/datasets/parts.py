"""What datasets made of several tables share: their entries, and which of their types agree."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kedro.io import AbstractDataset

from reclife.errors import ConfigError, DataError
from reclife.runtime.spark import session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def make_parts(tables: Mapping[str, Mapping[str, Any]]) -> dict[str, AbstractDataset[Any, Any]]:
    """Return the datasets behind catalog entries.

    Raises:
        ConfigError: There are none, or one is not an entry.
    """
    if not tables or not all(isinstance(entry, Mapping) for entry in tables.values()):
        raise ConfigError("tables: write name: {type: ..., ...} for each table")
    return {name: AbstractDataset.from_config(name, dict(one)) for name, one in tables.items()}


def load_parts(parts: Mapping[str, AbstractDataset[Any, Any]]) -> dict[str, "DataFrame"]:
    """Load the tables, in the session that is declared: theirs would know nothing of it."""
    session()
    return {name: part.load() for name, part in parts.items()}


def check_types(column: str, frames: Mapping[str, "DataFrame"]) -> None:
    """Check that tables have one type of `column`, or whole numbers of several widths.

    Spark would make numbers of texts otherwise, and "007" would become 7.

    Raises:
        DataError: They have not.
    """
    from pyspark.sql import types as st

    kinds = {name: frame.schema[column].dataType for name, frame in frames.items()}
    if len(set(kinds.values())) < 2 or all(isinstance(k, st.IntegralType) for k in kinds.values()):
        return
    told = ", ".join(f"{kind.simpleString()} in {name}" for name, kind in kinds.items())
    raise DataError(f"column {column!r} is {told}: tables must agree, so read it as one type")
