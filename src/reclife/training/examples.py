"""Examples in memory and the order in which training goes through them."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self, final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reclife.config.objective import ObjectiveConfig
from reclife.contracts import Feature, FeatureSpec
from reclife.datasets.tensors import column_to_array, to_arrays
from reclife.errors import DataError
from reclife.runtime.seeds import derive

Array = NDArray[Any]


@final
@dataclass(frozen=True)
class Examples:
    """Model inputs by feature name, `[N, ...]`, and what they are held against.

    `labels` float32 `[N, T]`, NaN where a task's label is not known; `weights` float32 `[N]`;
    `groups` int64 `[N]`, a number for each distinct value of the declared column.
    """

    inputs: dict[str, Array]
    labels: Array
    weights: Array
    groups: Array

    @classmethod
    def from_table(
        cls,
        table: pa.Table,
        features: Iterable[Feature],
        spec: FeatureSpec,
        objective: ObjectiveConfig,
    ) -> Self:
        """Return the examples in `table`.

        Raises:
            DataError: A column breaks its declaration, a label lies outside [0, 1], or an id
                outside its table.
        """
        features = tuple(features)
        inputs = to_arrays(table, features)
        for feature in features:
            if feature.table is not None:
                _check_ids(feature, inputs[feature.name], spec.table(feature.table).size)
        labels = [_labels(table, task.label, alone=len(spec.tasks) == 1) for task in spec.tasks]
        weights = _weights(table, spec, objective)
        return cls(inputs, np.stack(labels, axis=1), weights, _groups(table, objective.group))

    def __len__(self) -> int:
        """Return the number of examples."""
        return len(self.labels)

    def take(self, rows: Array | slice) -> Self:
        """Return the examples at the positions `rows`."""
        inputs = {name: array[rows] for name, array in self.inputs.items()}
        return type(self)(inputs, self.labels[rows], self.weights[rows], self.groups[rows])

    def split(self, rows: int) -> tuple[Self, Self]:
        """Return the first `rows` examples and the others, without copying."""
        return self.take(slice(rows)), self.take(slice(rows, None))


@final
@dataclass(frozen=True)
class Batches:
    """Batches whose content follows from (seed, epoch, index), so that a resume is exact.

    The batches of an epoch differ in size by one row at most: no tiny last batch, whose statistics
    would be noise. With `grouped` the rows of a group follow one another, groups in random order:
    a batch cuts two groups at most.
    """

    examples: Examples
    batch_size: int
    seed: int
    grouped: bool = False

    def __len__(self) -> int:
        """Return the number of batches of an epoch."""
        return math.ceil(len(self.examples) / self.batch_size)

    def order(self, epoch: int) -> Array:
        """Return the permutation of the rows that `epoch` goes through."""
        generator = np.random.default_rng(derive(self.seed, "order", epoch))
        order = generator.permutation(len(self.examples))
        if not self.grouped:
            return order
        groups = self.examples.groups[order]
        places = generator.permutation(int(groups.max(initial=0)) + 1)
        return order[np.argsort(places[groups], kind="stable")]

    def positions(self, order: Array, index: int) -> Array:
        """Return the rows of batch `index` of the epoch with this `order`."""
        rows, batches = len(order), len(self)
        return order[index * rows // batches : (index + 1) * rows // batches]

    def batch(self, order: Array, index: int) -> Examples:
        """Return batch `index` of the epoch with this `order`."""
        return self.examples.take(self.positions(order, index))


def _check_ids(feature: Feature, ids: Array, size: int) -> None:
    wrong = int(np.count_nonzero((ids < 0) | (ids >= size)))
    if wrong:
        raise DataError(
            f"Column {feature.name!r}: {wrong} of {ids.size} ids lie outside its table "
            f"{feature.table!r} of {size} rows. Run the features stage again."
        )


def _labels(table: pa.Table, name: str, *, alone: bool) -> Array:
    """Return the labels `[N]`, NaN for null; there is no null where a task is `alone`."""
    if alone:
        known = labels = column_to_array(table, name, "float32")
    else:
        if name not in table.column_names:
            raise DataError(f"Column {name!r} of labels is missing from the examples.")
        column = table.column(name)
        if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
            raise DataError(f"Column {name!r} holds {column.type}, expected numbers.")
        known = column.drop_null().to_numpy()
        labels = pc.fill_null(column.cast(pa.float32()), float("nan")).to_numpy()
    wrong = int(np.count_nonzero(~((known >= 0) & (known <= 1))))
    if wrong:
        raise DataError(f"Column {name!r}: {wrong} of {len(labels)} rows lie outside [0, 1].")
    return labels


def _weights(table: pa.Table, spec: FeatureSpec, objective: ObjectiveConfig) -> Array:
    weights: Array = np.ones(len(table), np.float32)
    if spec.weight is not None:
        weights = column_to_array(table, spec.weight, "float32")
    if spec.sampling_probability is not None and objective.sampled == "inverse_probability":
        weights = np.divide(weights, column_to_array(table, spec.sampling_probability, "float32"))
    wrong = int(np.count_nonzero(~(np.isfinite(weights) & (weights >= 0))))
    if wrong:
        raise DataError(f"{wrong} of {len(weights)} examples have a weight that is not >= 0.")
    return weights


def _groups(table: pa.Table, name: str) -> Array:
    if name not in table.column_names:
        raise DataError(
            f"objective.group names the column {name!r}, which the examples do not have: "
            f"{', '.join(table.column_names)}."
        )
    column = table.column(name).combine_chunks()
    if column.null_count or pa.types.is_nested(column.type):
        raise DataError(
            f"objective.group names the column {name!r}, which holds {column.type} with "
            f"{column.null_count} null(s): a group is one value, known of every example."
        )
    encoded = column.dictionary_encode()
    return encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
