"""What stands between two linear maps."""

from typing import Any, final

import keras
import tensorflow as tf

from reclife.config.towers import Activation

Layer = Any
Tensor = Any


@final
class Dice(keras.layers.Layer):
    r"""A rectifier that bends where the batch has its mean: `[B, N] -> [B, N]`.

    .. math:: f(x) = p\, x + (1 - p)\, \alpha x \qquad
              p = \sigma\big((x - \mathrm{E}[x]) / \sqrt{\mathrm{Var}[x] + \epsilon}\big)

    with one :math:`\alpha` a unit, zero at first. Scoring uses the moving statistics.

    Reference: Zhou et al., "Deep Interest Network for Click-Through Rate Prediction", KDD 2018,
    equations 9 and 10.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name=name)
        self.standard = keras.layers.BatchNormalization(
            momentum=0.9, center=False, scale=False, dtype="float32", name=f"{name}_standard"
        )

    def build(self, shape: tuple[int | None, ...]) -> None:
        """Make the weights for inputs of this `shape`."""
        self.standard.build(shape)
        self.slope = self.add_weight(shape=(shape[-1],), initializer="zeros", name="slope")

    def call(self, x: Tensor, training: bool = False) -> Tensor:
        """Return the activations."""
        passed = tf.cast(tf.sigmoid(self.standard(x, training=training)), x.dtype)
        return passed * x + (1.0 - passed) * self.slope * x


def softmax(scores: Tensor) -> Tensor:
    """Return the softmax over the last axis: computed in float32, of the dtype of `scores`."""
    return tf.cast(tf.nn.softmax(tf.cast(scores, tf.float32)), scores.dtype)


def activation(kind: Activation, name: str) -> Layer:
    """Return the layer for the declared `kind`; gelu is the approximation by tanh."""
    if kind == "dice":
        return Dice(name)
    if kind == "prelu":
        return keras.layers.PReLU(name=name)
    if kind == "gelu":
        return keras.layers.Activation(_gelu, name=name)
    return keras.layers.Activation(kind, name=name)


def _gelu(x: Tensor) -> Tensor:
    return keras.activations.gelu(x, approximate=True)
