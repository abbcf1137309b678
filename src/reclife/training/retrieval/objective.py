"""From queries, items and targets to a loss, negatives drawn once for the whole batch."""

from typing import Any, NamedTuple, final

import numpy as np
import tensorflow as tf

from reclife.config.neural import (
    BprConfig,
    GbceConfig,
    LossConfig,
    SampledSoftmaxConfig,
    SoftmaxConfig,
)
from reclife.retrieval.interactions import Ints
from reclife.training.losses.bpr import bpr
from reclife.training.losses.gbce import gbce, gbce_beta
from reclife.training.losses.hits import without_hits
from reclife.training.losses.sampled_softmax import sampled_softmax
from reclife.training.retrieval.log_partition import log_partition

Tensor = Any


class Sides(NamedTuple):
    """What scores are made of: queries `[R, D]`, items `[I, D]`, bias `[I]`."""

    queries: Tensor
    items: Tensor
    bias: Tensor


@final
class Objective:
    """The mean loss over the targets of a batch.

    Negatives are shared by the whole batch: their scores are one product of matrices, and many of
    them cost little.

    Args:
        config: The declared loss.
        targets: All targets of the training data: how often an item is one.
        items: The number of items.
    """

    def __init__(self, config: LossConfig, targets: Ints, items: int) -> None:
        self.config, self.items = config, items
        counts = np.bincount(targets, minlength=items)
        self.shares = tf.constant(counts / max(counts.sum(), 1), tf.float32)

    def __call__(self, sides: Sides, rows: Tensor, targets: Tensor, seed: Tensor) -> Tensor:
        """Return the loss.

        Args:
            sides: Queries, items and bias.
            rows: `[M]` the query of each target.
            targets: `[M]`.
            seed: `[2]` of this step.
        """
        queries, items, bias = sides
        products = tf.gather(queries, rows) * tf.gather(items, targets)
        positive = tf.reduce_sum(products, axis=1) + tf.gather(bias, targets)
        config = self.config
        match config:
            case SoftmaxConfig():
                whole = log_partition(queries, items, bias)
                losses = tf.gather(whole, rows) - positive
            case SampledSoftmaxConfig():
                ids, chance = self._sample(config, targets, seed)
                offsets = tf.gather(bias, ids) - tf.math.log(chance)
                sampled = log_partition(queries, tf.gather(items, ids), offsets)
                own = tf.gather(tf.scatter_nd(ids[:, tf.newaxis], chance, [self.items]), targets)
                losses = sampled_softmax(positive, tf.gather(sampled, rows), own)
            case BprConfig():
                negative = self._negative(config.negatives, sides, rows, targets, seed)
                losses = bpr(positive, negative)
            case GbceConfig():
                negative = self._negative(config.negatives, sides, rows, targets, seed)
                beta = gbce_beta(config.negatives, self.items, config.calibration)
                losses = gbce(positive, negative, beta)
        return tf.reduce_mean(losses)

    def _sample(
        self, config: SampledSoftmaxConfig, targets: Tensor, seed: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return distinct item columns `[N]` and each one's chance to be among them `[N]`."""
        count = min(config.negatives, self.items)
        keys = tf.random.stateless_uniform([self.items], seed)
        ids = tf.math.top_k(keys, count, sorted=False).indices
        absent = tf.fill([self.items], 1.0 - count / self.items)
        if config.in_batch:
            ids = tf.unique(tf.concat([ids, tf.cast(targets, tf.int32)], axis=0)).y
            absent *= (1.0 - self.shares) ** tf.cast(tf.size(targets), tf.float32)
        return ids, tf.gather(1.0 - absent, ids)

    def _negative(
        self, count: int, sides: Sides, rows: Tensor, targets: Tensor, seed: Tensor
    ) -> Tensor:
        """Return the logits of `count` items drawn uniformly `[M, N]`, never of the target."""
        queries, items, bias = sides
        ids = tf.random.stateless_uniform([count], seed, maxval=self.items, dtype=tf.int32)
        logits = tf.matmul(queries, tf.gather(items, ids), transpose_b=True) + tf.gather(bias, ids)
        return without_hits(tf.gather(logits, rows), ids, tf.cast(targets, tf.int32))
