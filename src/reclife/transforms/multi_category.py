"""`kind: multi_category`: a text of several parts becomes a padded list of ids."""

from collections.abc import Mapping
from typing import final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reclife.config.attributes import MultiCategoryFeature
from reclife.contracts import PADDING_ID, Feature
from reclife.transforms.arrays import Ints, column, lists
from reclife.transforms.base import Transform, attached
from reclife.transforms.frame import Frame
from reclife.transforms.state import FeatureState


@final
class MultiCategory(Transform):
    """Ids of the first `max_length` parts, in their order, padded behind."""

    def __init__(self, declaration: MultiCategoryFeature, state: FeatureState) -> None:
        self._declaration = declaration
        self._state = state
        self.request_attributes = frozenset({(declaration.source, declaration.column)})

    def features(self) -> tuple[Feature, ...]:
        """Return one list of int64."""
        return (
            Feature(
                name=self._declaration.name,
                role=self._declaration.source,
                kind="multi_category",
                dtype="int64",
                shape=(self._declaration.max_length,),
                table=self._declaration.table or self._declaration.name,
            ),
        )

    def compute(self, frame: Frame) -> Mapping[str, pa.Array]:
        """Return the ids, [M, L]."""
        name = attached(self._declaration.source, self._declaration.column)
        ids = encode_parts(column(frame.requests, name), self._declaration, self._state)
        return {self._declaration.name: lists(ids)}


def encode_parts(texts: pa.Array, declaration: MultiCategoryFeature, state: FeatureState) -> Ints:
    """Return the ids of the parts of each text, [N, L]; an empty or null text is all padding."""
    distinct = pc.unique(texts.drop_null()).cast(pa.string())
    parts = pc.split_pattern(distinct, pattern=declaration.separator)
    owners = pc.list_parent_indices(parts).to_numpy(zero_copy_only=False)
    flat = pc.list_flatten(parts)
    full = pc.not_equal(flat, "").to_numpy(zero_copy_only=False)
    owners, ids = owners[full], state.encode(declaration.table or declaration.name, flat)[full]
    rank = np.arange(len(owners)) - np.searchsorted(owners, owners)
    kept = rank < declaration.max_length
    encoded = np.full((len(distinct) + 1, declaration.max_length), PADDING_ID, np.int64)
    encoded[owners[kept], rank[kept]] = ids[kept]
    where = pc.index_in(texts.cast(pa.string()), value_set=distinct, skip_nulls=True)
    rows: Ints = pc.fill_null(where, len(distinct)).to_numpy(zero_copy_only=False)
    result: Ints = encoded[rows]
    return result
