"""Examples in memory and the order in which training goes through them."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self, final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reclife.contracts import Feature, FeatureSpec
from reclife.datasets.tensors import column_to_array, to_arrays
from reclife.errors import DataError
from reclife.runtime.seeds import derive

Array = NDArray[Any]


@final
@dataclass(frozen=True)
class Examples:
    """Model inputs by feature name, `[N, ...]`, with labels and weights, both float32 `[N]`."""

    inputs: dict[str, Array]
    labels: Array
    weights: Array

    @classmethod
    def from_table(cls, table: pa.Table, features: Iterable[Feature], spec: FeatureSpec) -> Self:
        """Return the examples in `table`.

        Raises:
            DataError: A column breaks its declaration, or a label lies outside [0, 1].
        """
        labels = column_to_array(table, spec.label, "float32")
        wrong = int(np.count_nonzero(~((labels >= 0) & (labels <= 1))))
        if wrong:
            raise DataError(
                f"Column {spec.label!r}: {wrong} of {len(labels)} rows lie outside [0, 1]."
            )
        weights = np.ones_like(labels)
        if spec.weight is not None:
            weights = column_to_array(table, spec.weight, "float32")
        return cls(to_arrays(table, features), labels, weights)

    def __len__(self) -> int:
        """Return the number of examples."""
        return len(self.labels)

    def take(self, rows: Array) -> Self:
        """Return the examples at the positions `rows`."""
        inputs = {name: array[rows] for name, array in self.inputs.items()}
        return type(self)(inputs, self.labels[rows], self.weights[rows])

    def followed_by(self, other: Self) -> Self:
        """Return these examples and then those of `other`."""
        inputs = {n: np.concatenate([a, other.inputs[n]]) for n, a in self.inputs.items()}
        return type(self)(
            inputs,
            np.concatenate([self.labels, other.labels]),
            np.concatenate([self.weights, other.weights]),
        )


@final
@dataclass(frozen=True)
class Batches:
    """Batches whose content follows from (seed, epoch, index), so that a resume is exact.

    The batches of an epoch differ in size by one row at most: no tiny last batch, whose statistics
    would be noise.
    """

    examples: Examples
    batch_size: int
    seed: int

    def __len__(self) -> int:
        """Return the number of batches of an epoch."""
        return math.ceil(len(self.examples) / self.batch_size)

    def order(self, epoch: int) -> Array:
        """Return the permutation of the rows that `epoch` goes through."""
        return np.random.default_rng(derive(self.seed, "order", epoch)).permutation(
            len(self.examples)
        )

    def batch(self, order: Array, index: int) -> Examples:
        """Return batch `index` of the epoch with this `order`."""
        rows, batches = len(order), len(self)
        return self.examples.take(order[index * rows // batches : (index + 1) * rows // batches])
