"""`kind: cross`: two or three features together are one id."""

from collections.abc import Mapping
from typing import final

import numpy as np
import pyarrow as pa

from reclife.config.encodings import CrossFeature
from reclife.contracts import FIRST_ID, OOV_ID, Feature
from reclife.transforms.base import Transform, category_of
from reclife.transforms.kernels.arrays import bucket_ids, hash_of, ints
from reclife.transforms.kernels.frame import Frame


@final
class Cross(Transform):
    """2 + h mod buckets, 1 where a member's id is 1.

    h = 0, then h = s(h xor s(id)) for the id of each member in their order; s is one step of
    splitmix64.
    """

    def __init__(self, declaration: CrossFeature, members: tuple[Transform, ...]) -> None:
        self._declaration = declaration
        self._members = members
        self.request_attributes = frozenset().union(*(m.request_attributes for m in members))

    def features(self) -> tuple[Feature, ...]:
        """Return one int64 scalar, of the members' role where they share one."""
        roles = {feature.role for member in self._members for feature in member.features()}
        role = roles.pop() if len(roles) == 1 else "context"
        return (category_of(self._declaration.name, role),)

    def compute(self, frame: Frame) -> Mapping[str, pa.Array]:
        """Return the ids, [M]."""
        columns = {n: c for member in self._members for n, c in member.compute(frame).items()}
        parts = pa.table(columns)
        hashes = hash_of(parts, self._declaration.of)
        ids = bucket_ids(hashes, self._declaration.buckets, FIRST_ID)
        unknown = [ints(parts, name) == OOV_ID for name in self._declaration.of]
        crossed = np.where(np.logical_or.reduce(unknown), OOV_ID, ids)
        return {self._declaration.name: pa.array(crossed)}
