"""Bounds on gradients; sparse and dense ones are treated alike."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import tensorflow as tf

from reclife.config.clipping import ClippingConfig

Tensor = Any


class Gradients(NamedTuple):
    """The gradient of a step.

    `rows` `[U, D]` by pack, `owners` `[U]` the number of each row's table within its pack, `tables`
    how many tables each pack has, and `dense`, one tensor a variable.
    """

    rows: Mapping[str, Tensor]
    owners: Mapping[str, Tensor]
    tables: Mapping[str, int]
    dense: Sequence[Tensor]

    def table_norms(self) -> dict[str, Tensor]:
        """Return the norm of the gradient of each table of each pack, `[tables]`."""
        return {
            pack: tf.sqrt(
                tf.math.unsorted_segment_sum(
                    tf.reduce_sum(tf.square(rows), axis=1), self.owners[pack], self.tables[pack]
                )
            )
            for pack, rows in self.rows.items()
        }

    def norm(self) -> Tensor:
        """Return the norm of the whole gradient."""
        return tf.linalg.global_norm([*self.rows.values(), *self.dense])


def clip(gradients: Gradients, config: ClippingConfig | None) -> Gradients:
    """Return `gradients` within the declared bound; a gradient that is not finite stays so."""
    return gradients if config is None else _CLIPS[config.kind](gradients, config.limit)


def _by_value(gradients: Gradients, limit: float) -> Gradients:
    def bounded(gradient: Tensor) -> Tensor:
        return tf.clip_by_value(gradient, -limit, limit)

    rows = {pack: bounded(gradient) for pack, gradient in gradients.rows.items()}
    return gradients._replace(rows=rows, dense=[bounded(g) for g in gradients.dense])


def _by_norm(gradients: Gradients, limit: float) -> Gradients:
    rows = {}
    for pack, norms in gradients.table_norms().items():
        scale = tf.gather(_scale(norms, limit), gradients.owners[pack])
        rows[pack] = gradients.rows[pack] * scale[:, tf.newaxis]
    return gradients._replace(
        rows=rows, dense=[g * _scale(tf.norm(g), limit) for g in gradients.dense]
    )


def _by_global_norm(gradients: Gradients, limit: float) -> Gradients:
    scale = _scale(gradients.norm(), limit)
    rows = {pack: gradient * scale for pack, gradient in gradients.rows.items()}
    return gradients._replace(rows=rows, dense=[g * scale for g in gradients.dense])


def _scale(norm: Tensor, limit: float) -> Tensor:
    return limit / tf.maximum(norm, limit)


_CLIPS: Mapping[str, Callable[[Gradients, float], Gradients]] = MappingProxyType(
    {"value": _by_value, "norm": _by_norm, "global_norm": _by_global_norm}
)
