"""Updates of embedding tables that read and write only the rows of the batch."""

import abc
from collections.abc import Mapping
from typing import Any, NamedTuple, final

import tensorflow as tf

from reclife.config.training import AdagradConfig, LazyAdamConfig
from reclife.contracts import Feature

Tensor = Any
Variable = Any

_EPSILON = 1e-7


class Lookup(NamedTuple):
    """The distinct ids that a batch asks of one table, and who asked for them.

    `ids` `[U]`; `positions` `[P]` points into `ids` for each of the P places of the batch, those
    of the first feature first.
    """

    ids: Tensor
    positions: Tensor


def look_ups(features: tuple[Feature, ...], inputs: Mapping[str, Tensor]) -> dict[str, Lookup]:
    """Return one look-up for each table that `features` share."""
    flat: dict[str, list[Tensor]] = {}
    for feature in features:
        flat.setdefault(str(feature.table), []).append(tf.reshape(inputs[feature.name], [-1]))
    return {table: Lookup(*tf.unique(tf.concat(ids, axis=0))) for table, ids in flat.items()}


def gather(
    tables: Mapping[str, Variable],
    found: Mapping[str, Lookup],
    features: tuple[Feature, ...],
    inputs: Mapping[str, Tensor],
) -> dict[str, Tensor]:
    """Return the rows `[B, D]` or `[B, L, D]` of each feature, reading each distinct row once."""
    unique = {name: tf.nn.embedding_lookup(tables[name], f.ids) for name, f in found.items()}
    start = dict.fromkeys(found, 0)
    rows: dict[str, Tensor] = {}
    for feature in features:
        table = str(feature.table)
        shape = tf.shape(inputs[feature.name])
        size = tf.reduce_prod(shape)
        positions = found[table].positions[start[table] : start[table] + size]
        start[table] += size
        rows[feature.name] = tf.gather(unique[table], tf.reshape(positions, shape))
    return rows


def row_gradients(
    gradients: Mapping[str, Tensor], found: Mapping[str, Lookup], features: tuple[Feature, ...]
) -> dict[str, Tensor]:
    """Return for each table the gradient `[U, D]` of its distinct rows, summed over the places."""
    flat: dict[str, list[Tensor]] = {}
    for feature in features:
        gradient = gradients[feature.name]
        flat.setdefault(str(feature.table), []).append(
            tf.reshape(gradient, [-1, gradient.shape[-1]])
        )
    return {
        table: tf.math.unsorted_segment_sum(
            tf.concat(parts, axis=0), found[table].positions, tf.shape(found[table].ids)[0]
        )
        for table, parts in flat.items()
    }


class SparseOptimizer(abc.ABC):
    """Moves single rows of the tables it was made for."""

    def __init__(self, tables: Mapping[str, Variable]) -> None:
        self.tables = dict(tables)

    @abc.abstractmethod
    def apply(self, table: str, ids: Tensor, gradient: Tensor) -> None:
        """Move the rows `ids` `[U]` (distinct) of `table` by their `gradient` `[U, D]`."""

    @abc.abstractmethod
    def begin_step(self) -> None:
        """Note that a step begins, before its `apply` calls."""

    @abc.abstractmethod
    def state(self) -> dict[str, Variable]:
        """Return the variables that a resume needs, by name."""


@final
class LazyAdam(SparseOptimizer):
    r"""Adam on the rows of the batch only.

    With `g` the gradient of a touched row and `t` the number of steps so far,

    .. math:: m \gets \beta_1 m + (1 - \beta_1) g, \quad v \gets \beta_2 v + (1 - \beta_2) g^2,
        \quad w \gets w - \alpha \frac{\sqrt{1-\beta_2^t}}{1-\beta_1^t} \frac{m}{\sqrt v + \epsilon}

    Moments of rows that the batch does not touch stay as they are, instead of decaying.

    Reference: Kingma and Ba, "Adam", ICLR 2015, section 2 (the efficient order of computation).
    """

    def __init__(self, config: LazyAdamConfig, tables: Mapping[str, Variable]) -> None:
        super().__init__(tables)
        self._config = config
        self._steps = tf.Variable(0, dtype=tf.int64, name="lazy_adam/steps")
        self._first = {name: _slot(table, 0.0) for name, table in tables.items()}
        self._second = {name: _slot(table, 0.0) for name, table in tables.items()}

    def begin_step(self) -> None:
        """Count the step."""
        self._steps.assign_add(1)

    def apply(self, table: str, ids: Tensor, gradient: Tensor) -> None:
        """Move the rows `ids` of `table`."""
        beta_1, beta_2 = self._config.beta_1, self._config.beta_2
        step = tf.cast(self._steps, tf.float32)
        rate = self._config.learning_rate * tf.sqrt(1 - beta_2**step) / (1 - beta_1**step)
        first = beta_1 * tf.gather(self._first[table], ids) + (1 - beta_1) * gradient
        second = beta_2 * tf.gather(self._second[table], ids) + (1 - beta_2) * tf.square(gradient)
        _scatter_update(self._first[table], ids, first)
        _scatter_update(self._second[table], ids, second)
        change = rate * first / (tf.sqrt(second) + _EPSILON)
        tf.raw_ops.ResourceScatterSub(
            resource=self.tables[table].handle, indices=ids, updates=change
        )

    def state(self) -> dict[str, Variable]:
        """Return steps and moments."""
        named = {"sparse/steps": self._steps}
        named |= {f"sparse/{name}/first": slot for name, slot in self._first.items()}
        named |= {f"sparse/{name}/second": slot for name, slot in self._second.items()}
        return named


@final
class Adagrad(SparseOptimizer):
    r"""Adagrad on the rows of the batch only.

    .. math:: a \gets a + g^2, \quad w \gets w - \alpha \frac{g}{\sqrt a + \epsilon}

    Reference: Duchi, Hazan, Singer, "Adaptive Subgradient Methods", JMLR 2011.
    """

    def __init__(self, config: AdagradConfig, tables: Mapping[str, Variable]) -> None:
        super().__init__(tables)
        self._rate = config.learning_rate
        start = config.initial_accumulator
        self._accumulators = {name: _slot(table, start) for name, table in tables.items()}

    def begin_step(self) -> None:
        """Do nothing: the rule does not depend on the number of steps."""

    def apply(self, table: str, ids: Tensor, gradient: Tensor) -> None:
        """Move the rows `ids` of `table`."""
        tf.raw_ops.ResourceSparseApplyAdagradV2(
            var=self.tables[table].handle,
            accum=self._accumulators[table].handle,
            lr=self._rate,
            epsilon=_EPSILON,
            grad=gradient,
            indices=ids,
        )

    def state(self) -> dict[str, Variable]:
        """Return the accumulators."""
        return {f"sparse/{n}/accumulator": slot for n, slot in self._accumulators.items()}


def sparse_optimizer(
    config: LazyAdamConfig | AdagradConfig, tables: Mapping[str, Variable]
) -> SparseOptimizer:
    """Return the declared optimiser for `tables`."""
    if isinstance(config, LazyAdamConfig):
        return LazyAdam(config, tables)
    return Adagrad(config, tables)


def _slot(table: Variable, value: float) -> Variable:
    return tf.Variable(tf.fill(table.shape, tf.constant(value, table.dtype)), trainable=False)


def _scatter_update(slot: Variable, ids: Tensor, rows: Tensor) -> None:
    tf.raw_ops.ResourceScatterUpdate(resource=slot.handle, indices=ids, updates=rows)
