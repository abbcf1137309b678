"""Vectors for numbers, as the rows of a table are for the values of a category."""

from typing import Any, final

import keras

from reclife.config.towers import InitialRows
from reclife.runtime.seeds import derive

Tensor = Any


@final
class NumericRows(keras.layers.Layer):
    r"""Gives the number at position `j` a row of its own, scaled: `[B, N] -> [B, N, D]`.

    .. math:: e_j = x_j v_j

    References: Rendle, "Factorization Machines", ICDM 2010, equation 1; Song et al., "AutoInt",
    CIKM 2019, equation 4.
    """

    def __init__(self, numbers: int, dim: int, initial: InitialRows, seed: int, name: str) -> None:
        super().__init__(name=name)
        start = _start(initial, derive(seed, name, "rows"))
        self.rows = self.add_weight(shape=(numbers, dim), initializer=start, name="rows")
        self.built = True

    def call(self, numbers: Tensor) -> Tensor:
        """Return the scaled rows of `numbers`."""
        return numbers[..., None] * self.rows


def _start(initial: InitialRows, seed: int) -> Any:
    if initial.kind == "normal":
        return keras.initializers.RandomNormal(stddev=initial.deviation, seed=seed)
    return keras.initializers.RandomUniform(-initial.bound, initial.bound, seed=seed)
