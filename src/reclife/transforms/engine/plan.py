"""Which features are computed in which pass over the data."""

from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

import pyarrow as pa

from reclife.config.feature_list import FeatureDeclaration
from reclife.config.windows import Past
from reclife.contracts import (
    ITEM,
    LABEL,
    SAMPLING_PROBABILITY,
    TIME,
    USER,
    EmbeddingTable,
    FeatureSpec,
)
from reclife.errors import ConfigError
from reclife.transforms.affinity import Affinity
from reclife.transforms.base import Side, Transform, attached
from reclife.transforms.bucketize import Bucketize
from reclife.transforms.category import Category
from reclife.transforms.category_sequence import CategorySequence
from reclife.transforms.count import Count
from reclife.transforms.cross import Cross
from reclife.transforms.date_part import DatePart
from reclife.transforms.dwell_sequence import DwellSequence
from reclife.transforms.gap_sequence import GapSequence
from reclife.transforms.hashed_category import HashedCategory
from reclife.transforms.kernels.frame import Frame
from reclife.transforms.lag import Lag
from reclife.transforms.mean import Mean
from reclife.transforms.multi_category import MultiCategory
from reclife.transforms.numeric import Numeric
from reclife.transforms.recency import Recency
from reclife.transforms.recent_mean import RecentMean
from reclife.transforms.sequence import Sequence
from reclife.transforms.state import FeatureState
from reclife.transforms.target_encoding import TargetEncoding
from reclife.transforms.text_ngrams import TextNgrams
from reclife.transforms.unknown import Unknown
from reclife.transforms.vector import Vector
from reclife.transforms.window import WindowStatistic

TRANSFORMS: Mapping[str, Callable[[Any, FeatureState], Transform]] = {
    "category": Category,
    "multi_category": MultiCategory,
    "hashed_category": HashedCategory,
    "numeric": Numeric,
    "bucketize": Bucketize,
    "cross": lambda declaration, state: Cross(
        declaration, tuple(build(state.config.declaration(name), state) for name in declaration.of)
    ),
    "date_part": DatePart,
    "vector": lambda declaration, _: Vector(declaration),
    "text_ngrams": lambda declaration, _: TextNgrams(declaration),
    "mean": Mean,
    "count": lambda declaration, _: Count(declaration),
    "recent_mean": RecentMean,
    "affinity": lambda declaration, state: Affinity(
        declaration, _target(declaration, state), state
    ),
    "unknown": lambda declaration, _: Unknown(declaration),
    "target_encoding": lambda declaration, state: TargetEncoding(
        declaration, build(_target(declaration, state), state), state
    ),
    "window": lambda declaration, _: WindowStatistic(declaration),
    "recency": lambda declaration, _: Recency(declaration),
    "lag": lambda declaration, _: Lag(declaration),
    "sequence": lambda declaration, state: Sequence(
        declaration, _target(declaration, state), state
    ),
    "category_sequence": CategorySequence,
    "gap_sequence": lambda declaration, _: GapSequence(declaration),
    "dwell_sequence": lambda declaration, _: DwellSequence(declaration),
}
"""Kind of feature -> how it is made from its declaration and the fitted state."""


def _target(declaration: Any, state: FeatureState) -> Any:
    return state.config.declaration(declaration.of)


class Pass(NamedTuple):
    """Features that look back on the same key's events; `side` row for none."""

    side: Side
    transforms: tuple[Transform, ...]
    past: Past

    @property
    def key(self) -> str:
        """The column that requests and events are brought together by."""
        return ITEM if self.side == "item" else USER

    def run(self, requests: pa.Table, events: pa.Table | None, cut: int | None) -> pa.Table:
        """Return `requests` with the columns of this pass behind them."""
        frame = Frame(
            requests, events, (self.key,), None if self.side == "user" else cut, self.past
        )
        for transform in self.transforms:
            for name, values in transform.compute(frame).items():
                requests = requests.append_column(name, values)
        return requests


class Plan(NamedTuple):
    """The passes in their order and the columns that they write, as declared."""

    passes: tuple[Pass, ...]
    columns: tuple[str, ...]

    def of(self, *sides: Side) -> list[Pass]:
        """Return the passes of these sides, in their order."""
        return [step for step in self.passes if step.side in sides]

    @property
    def request_attributes(self) -> frozenset[tuple[str, str]]:
        """(source, column) pairs that requests must carry."""
        return frozenset().union(*(t.request_attributes for p in self.passes for t in p.transforms))

    @property
    def request_columns(self) -> tuple[str, ...]:
        """Columns of the interactions that features read off the request."""
        return tuple(sorted(n for source, n in self.request_attributes if source == "interaction"))

    @property
    def event_attributes(self) -> frozenset[tuple[str, str]]:
        """(source, column) pairs that events must carry."""
        looking = [step for step in self.passes if step.side != "row"]
        names = (("interaction", name) for step in looking for name in step.past.columns)
        return frozenset(names).union(*(t.event_attributes for p in looking for t in p.transforms))

    @property
    def event_columns(self) -> tuple[str, ...]:
        """Columns of the events, attributes included, that the passes read."""
        names = sorted(attached(*attribute) for attribute in self.event_attributes)
        return tuple(dict.fromkeys((USER, ITEM, TIME, LABEL, *names)))

    @property
    def counts(self) -> tuple[str, ...]:
        """Columns written beside the features that are summed up, then dropped."""
        return tuple(name for p in self.passes for t in p.transforms for name in t.counts)

    @property
    def looks_back(self) -> bool:
        """Whether any feature needs events."""
        return any(step.side != "row" for step in self.passes)


def build(declaration: FeatureDeclaration, state: FeatureState) -> Transform:
    """Return the transform of one declaration."""
    return TRANSFORMS[declaration.kind](declaration, state)


def plan(state: FeatureState, names: Collection[str] | None = None) -> Plan:
    """Return what to compute for the features called `names`, all of them by default.

    Raises:
        ConfigError: A name is not declared.
    """
    transforms = [build(declaration, state) for declaration in state.config.features]
    written = [feature.name for transform in transforms for feature in transform.features()]
    unknown = sorted(set(names or ()) - set(written))
    if unknown:
        raise ConfigError(f"no feature is called {', '.join(unknown)}; declared: {written}")
    wanted = set(written if names is None else names)
    used = [t for t in transforms if wanted & {feature.name for feature in t.features()}]
    sides: tuple[Side, ...] = ("item", "all", "user", "row")  # lists, last, are never shuffled
    past = state.config.past
    passes = (Pass(side, tuple(t for t in used if t.side == side), past) for side in sides)
    columns = tuple(name for name in written if name in wanted)
    return Plan(tuple(step for step in passes if step.transforms), columns)


def feature_spec(state: FeatureState, *, timed: bool) -> FeatureSpec:
    """Return the specification of the examples that `state` produces."""
    features = tuple(
        feature
        for declaration in state.config.features
        for feature in build(declaration, state).features()
    )
    used = dict.fromkeys(feature.table for feature in features if feature.table)
    tables = tuple(
        EmbeddingTable(
            name=name, size=state.table_size(name), vocabulary_hash=state.vocabulary_hash(name)
        )
        for name in used
    )
    config = state.config
    return FeatureSpec(
        features=features,
        tables=tables,
        sampling_probability=SAMPLING_PROBABILITY if config.negatives.kind != "none" else None,
        negative_rate=config.down_sampling.negatives if config.down_sampling else 1.0,
        time=TIME if timed else None,
        state_hash=state.hash,
    )
