"""Norms of gradients and weights by part: which layers vanish, explode, or do not learn at all."""

import logging
from collections.abc import Iterator, Mapping
from typing import Any, final

import tensorflow as tf

from reclife.config.training import WatchConfig
from reclife.training.clipping import Gradients
from reclife.training.sparse.packs import Pack

Tensor = Any
Layer = Any

_LOG = logging.getLogger(__name__)
_GRADIENT, _WEIGHT, _DEAD = "gradient_norm", "weight_norm", "rows_without_gradient"


def watched(
    ids: Mapping[str, Tensor],
    gradients: Gradients,
    packs: Mapping[str, Pack],
    layers: Mapping[str, Layer],
    held: Mapping[str, Tensor] | None = None,
) -> dict[str, Tensor]:
    """Return scalars by name, `<what>/<part>`.

    A part is a table, of which only the rows of the batch are looked at, or a variable of the
    dense part. `rows_without_gradient` is the share of a table's rows in the batch, padding left
    out, that the loss does not depend on. `held` are the rows `[U, D]` at `ids`, where the packs
    themselves do not have them.
    """
    named = dict(_dense(gradients, layers))
    for name, pack in packs.items():
        rows = tf.gather(pack.variable, ids[name]) if held is None else held[name]
        weights = Gradients({name: rows}, gradients.owners, gradients.tables, []).table_norms()[
            name
        ]
        norms, dead = gradients.table_norms()[name], _dead(gradients, name, pack, ids[name])
        for i, table in enumerate(pack.tables):
            named[f"{_GRADIENT}/{table}"] = norms[i]
            named[f"{_WEIGHT}/{table}"] = weights[i]
            named[f"{_DEAD}/{table}"] = dead[i]
    return named


def _dense(gradients: Gradients, layers: Mapping[str, Layer]) -> Iterator[tuple[str, Tensor]]:
    variables = [
        (f"{name}/{variable.path.partition('/')[2] or variable.name}", variable)
        for name in sorted(layers)
        for variable in layers[name].trainable_variables
    ]
    for (part, variable), gradient in zip(variables, gradients.dense, strict=False):
        yield f"{_GRADIENT}/{part}", tf.norm(gradient)
        yield f"{_WEIGHT}/{part}", tf.norm(variable.value)


def _dead(gradients: Gradients, name: str, pack: Pack, ids: Tensor) -> Tensor:
    def counted(rows: Tensor) -> Tensor:
        return tf.math.unsorted_segment_sum(
            tf.cast(rows, tf.float32), gradients.owners[name], gradients.tables[name]
        )

    real = tf.logical_not(pack.padding(ids))
    still = tf.reduce_all(tf.equal(gradients.rows[name], 0.0), axis=1)
    return tf.math.divide_no_nan(counted(real & still), counted(real))


@final
class Watch:
    """Says once for each part that its gradients vanish or explode."""

    def __init__(self, config: WatchConfig) -> None:
        self._config = config
        self._told: set[str] = set()

    def due(self, step: int) -> bool:
        """Return whether `step` is looked at; the first one is."""
        return (step - 1) % self._config.every_steps == 0

    def check(self, step: int, values: Mapping[str, float]) -> None:
        """Warn of every part that was not warned of before."""
        for name, gradient in values.items():
            what, _, part = name.partition("/")
            weight = values.get(f"{_WEIGHT}/{part}", 0.0)
            if what == _GRADIENT and weight and part not in self._told:
                self._judge(step, part, gradient / weight)

    def _judge(self, step: int, part: str, ratio: float) -> None:
        if ratio < self._config.vanishing:
            state, remedy = "vanishing", "it does not learn: look at its activation and inputs"
        elif ratio > self._config.exploding:
            state, remedy = "exploding", "lower its learning rate or declare `clipping`"
        else:
            return
        self._told.add(part)
        _LOG.warning(
            "Step %d: the gradient of %s is %s (%.1e of its weights): %s.",
            step,
            part,
            state,
            ratio,
            remedy,
        )
