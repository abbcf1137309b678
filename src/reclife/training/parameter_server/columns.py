"""Examples as plain files that every worker maps into its memory."""

import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, final

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

from reclife.training.examples import Examples
from reclife.training.objective import Targets

Array = NDArray[Any]
Tensor = Any

_INPUT, _LABELS, _WEIGHTS, _GROUPS = "input-{}", "labels", "weights", "groups"


class _Column(NamedTuple):
    path: Path
    dtype: Any
    shape: tuple[int, ...]


@final
class Columns:
    """The columns of `examples`, written below `folder`, a folder that every worker sees.

    A worker reads only the pages that its rows lie on; nothing is copied or held in memory twice.
    """

    def __init__(self, examples: Examples, folder: Path) -> None:
        folder = folder / uuid.uuid4().hex  # files that are mapped must not change
        folder.mkdir(parents=True)
        arrays = {_INPUT.format(i): array for i, array in enumerate(examples.inputs.values())} | {
            _LABELS: examples.labels,
            _WEIGHTS: examples.weights,
            _GROUPS: examples.groups,
        }
        self.examples = examples
        self._names = {name: _INPUT.format(i) for i, name in enumerate(examples.inputs)}
        self._columns = {name: _written(folder / f"{name}.bin", a) for name, a in arrays.items()}

    def inputs(self, rows: Tensor) -> Mapping[str, Tensor]:
        """Return the inputs of `rows` `[B]` by feature name, on the device that runs this."""
        return {name: self._read(column, rows) for name, column in self._names.items()}

    def targets(self, rows: Tensor) -> Targets:
        """Return what `rows` `[B]` are held against."""
        groups = tf.unique(self._read(_GROUPS, rows), out_idx=tf.int32).idx
        return Targets(self._read(_LABELS, rows), self._read(_WEIGHTS, rows), groups)

    def _read(self, name: str, rows: Tensor) -> Tensor:
        column = self._columns[name]
        whole = tf.raw_ops.ImmutableConst(
            dtype=column.dtype, shape=column.shape, memory_region_name=str(column.path)
        )
        return tf.gather(whole, rows)


def _written(path: Path, array: Array) -> _Column:
    np.ascontiguousarray(array).tofile(path)
    return _Column(path, tf.as_dtype(array.dtype), array.shape)
