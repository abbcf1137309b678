"""What every kind of feature is."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Literal

import pyarrow as pa

from reclife.config.attributes import Source
from reclife.contracts import ITEM, USER, Feature
from reclife.transforms.kernels.frame import Frame

Side = Literal["row", "item", "user", "all"]
"""Whose events a feature looks back on; `row` for none, `all` for everybody's."""


_OWN = {("item", ITEM), ("user", USER)}
"""Identities: interactions have them already."""


def attached(source: str, column: str) -> str:
    """Return the name that an entity's attribute has beside requests and events."""
    own = source == "interaction" or (source, column) in _OWN
    return column if own else f"_{source}_{column}"


def role_of(source: Source) -> Literal["user", "item", "context"]:
    """Return the role of a feature read from `source`."""
    return "context" if source == "interaction" else source


def category_of(
    name: str, role: Literal["user", "item", "context"], table: str | None = None
) -> Feature:
    """Return the schema of one id a row; the table is called like the feature by default."""
    return Feature(name=name, role=role, kind="category", dtype="int64", table=table or name)


class Transform(ABC):
    """Abstract: one declared feature with its fitted state, a pure function of a frame."""

    side: Side = "row"
    request_attributes: frozenset[tuple[str, str]] = frozenset()
    """(source, column) pairs that requests must carry."""
    event_attributes: frozenset[tuple[str, str]] = frozenset()
    """(source, column) pairs that events must carry."""
    counts: tuple[str, ...] = ()
    """Columns of int64 written behind the features: summed up over each part, then dropped."""

    @abstractmethod
    def features(self) -> tuple[Feature, ...]:
        """Return the schema of the columns written."""

    @abstractmethod
    def compute(self, frame: Frame) -> Mapping[str, pa.Array]:
        """Return the columns by name, features before counts, one value per request."""
