"""`kind: target_encoding`: the smoothed mean of a value over earlier events of the same id."""

from collections.abc import Mapping
from typing import NamedTuple, final

import numpy as np
import pyarrow as pa

from reclife.config.as_of import TargetEncodingFeature
from reclife.config.windows import Past
from reclife.contracts import FIRST_ID, Feature
from reclife.transforms.base import Transform
from reclife.transforms.kernels.arrays import Ints, floats, number_column
from reclife.transforms.kernels.frame import Frame
from reclife.transforms.kernels.timeline import SCALE, Span, Timeline, cumulative, scaled
from reclife.transforms.kernels.visibility import visible_from
from reclife.transforms.state import FeatureState


class Sums(NamedTuple):
    """Events of one id and block of time: sum of the values in units of 1 / SCALE, and number.

    One row a pair, [K] each, in any order.
    """

    ids: Ints
    blocks: Ints
    totals: Ints
    counts: Ints


_NOTHING = Sums(*np.zeros((4, 0), np.int64))


@final
class TargetEncoding(Transform):
    """(sum + k prior) / (n + k), the prior being the mean of the training part.

    Time may be cut into blocks: then `earlier` holds what whole blocks add up to, and a frame need
    hold the events of its requests' own blocks only.
    """

    side = "all"

    def __init__(
        self,
        declaration: TargetEncodingFeature,
        member: Transform,
        state: FeatureState,
        boundaries: Ints | None = None,
        earlier: Sums = _NOTHING,
    ) -> None:
        self._declaration = declaration
        self._member = member
        self._state = state
        self._boundaries = np.zeros(0, np.int64) if boundaries is None else boundaries
        self._earlier = earlier
        self.request_attributes = member.request_attributes
        self.event_attributes = member.request_attributes | {("interaction", declaration.value)}

    @property
    def size(self) -> int:
        """How many ids the encoded feature may have."""
        (encoded,) = self._member.features()
        return self._state.table_size(str(encoded.table))

    def features(self) -> tuple[Feature, ...]:
        """Return one float32 scalar, of the role of the encoded feature."""
        (encoded,) = self._member.features()
        name = self._declaration.name
        return (Feature(name=name, role=encoded.role, kind="numeric", dtype="float32"),)

    def compute(self, frame: Frame) -> Mapping[str, pa.Array]:
        """Return the means, [M]."""
        ids = self._ids(frame.requests, frame.past)
        blocks = self._block_of(frame.times)
        own = self._in_own_block(frame, ids, blocks)
        before = self._in_earlier_blocks(ids, blocks)
        total, count = own[0] + before[0], own[1] + before[1]
        known = ids >= FIRST_ID
        strength, prior = self._declaration.strength, self._state.prior(self._declaration.value)
        mean = np.where(known, total, 0) / SCALE + strength * prior
        mean /= np.where(known, count, 0) + strength
        return {self._declaration.name: number_column(mean)}

    def sums(self, events: pa.Table, past: Past, boundaries: Ints) -> Sums:
        """Return what some events add up to, by id and block of time."""
        ids = self._ids(events, past)
        blocks = np.searchsorted(boundaries, visible_from(events, past), side="right")
        whole, seen = scaled(floats(events, self._declaration.value))
        width = len(boundaries) + 1
        pairs, place = np.unique(ids * width + blocks, return_inverse=True)
        totals, counts = np.zeros((2, len(pairs)), np.int64)
        np.add.at(totals, place, whole)
        np.add.at(counts, place, seen)
        return Sums(*np.divmod(pairs, width), totals, counts)

    def after(self, boundaries: Ints, earlier: Sums) -> "TargetEncoding":
        """Return the same for frames that hold the events of their own blocks of time only."""
        return TargetEncoding(self._declaration, self._member, self._state, boundaries, earlier)

    def _ids(self, table: pa.Table, past: Past) -> Ints:
        (ids,) = self._member.compute(Frame(table, None, (), None, past)).values()
        result: Ints = ids.to_numpy(zero_copy_only=False)
        return result

    def _block_of(self, times: Ints) -> Ints:
        return np.searchsorted(self._boundaries, times, side="right").astype(np.int64)

    def _in_own_block(self, frame: Frame, ids: Ints, blocks: Ints) -> tuple[Ints, Ints]:
        """Return sum and number of the events before each request in its block, [M] each."""
        width = len(self._boundaries) + 1
        past_ids = self._ids(frame.events, frame.past)
        pairs = past_ids * width + self._block_of(frame.visible)
        known, codes = np.unique(pairs, return_inverse=True)
        wanted = ids * width + blocks
        place = np.searchsorted(known, wanted)
        found = np.append(known, -1)[place] == wanted  # behind the last one stands no pair
        timeline = Timeline(codes, frame.visible)
        span = timeline.before(np.where(found, place, -1), frame.times)
        values = floats(frame.events, self._declaration.value)[timeline.order]
        whole, seen = scaled(values)
        return _inside(span, whole), _inside(span, seen.astype(np.int64))

    def _in_earlier_blocks(self, ids: Ints, blocks: Ints) -> tuple[Ints, Ints]:
        """Return sum and number of the events in the blocks before each request's, [M] each."""
        timeline = Timeline(self._earlier.ids, self._earlier.blocks)
        span = timeline.before(ids, blocks)
        order = timeline.order
        return (
            _inside(span, self._earlier.totals[order]),
            _inside(span, self._earlier.counts[order]),
        )


def _inside(span: Span, values: Ints) -> Ints:
    sums = cumulative(values)
    inside: Ints = sums[span.stop] - sums[span.start]
    return inside
