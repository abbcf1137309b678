"""Explicit products of features, of a bounded degree."""

from typing import Any, final

import keras

from reclife.runtime.seeds import derive

Layer = Any
Tensor = Any


@final
class CrossNetwork(keras.layers.Layer):
    r"""Raises the degree of the polynomial in its input by one a layer: `[B, W] -> [B, W]`.

    .. math:: x_{l+1} = x_0 \odot (A_l x_l + b_l) + x_l

    with :math:`A_l` of full rank, `[W, W]`, or :math:`A_l = U_l V_l^\top` of rank `r`, each of
    `U` and `V` `[W, r]`.

    Reference: Wang et al., "DCN V2: Improved Deep & Cross Network and Practical Lessons for
    Web-scale Learning to Rank Systems", WWW 2021, equations 1 and 2.
    """

    def __init__(self, inputs: int, depth: int, rank: int | None, seed: int, name: str) -> None:
        super().__init__(name=name)
        self.maps = [_affine(inputs, rank, seed, f"{name}_{i}") for i in range(depth)]
        self.built = True

    def call(self, start: Tensor) -> Tensor:
        """Return the last :math:`x_l` for :math:`x_0` = `start`."""
        crossed = start
        for affine in self.maps:
            crossed = start * affine(crossed) + crossed
        return crossed


def _affine(inputs: int, rank: int | None, seed: int, name: str) -> Layer:
    kernel = keras.initializers.GlorotUniform(seed=derive(seed, name, "kernel"))
    parts = [keras.layers.Dense(inputs, kernel_initializer=kernel, name=f"{name}_out")]
    if rank is not None:
        kernel = keras.initializers.GlorotUniform(seed=derive(seed, name, "low_rank"))
        narrow = keras.layers.Dense(
            rank, use_bias=False, kernel_initializer=kernel, name=f"{name}_in"
        )
        parts.insert(0, narrow)
    layer = keras.Sequential(parts, name=name)
    layer.build((None, inputs))
    return layer
