"""What every ranking model has: features it uses, tables it looks up, layers it scores with."""

import abc
from collections.abc import Mapping
from typing import Any

import tensorflow as tf

from reclife.contracts import Feature
from reclife.models.features import embedded, numeric, width
from reclife.models.layers.pooling import mask

Tensor = Any
Variable = Any
Layer = Any


class RankingModel(tf.Module, abc.ABC):
    """Scores a (user, item) pair: ``logit = score(look_up(inputs), inputs)``.

    The two halves are apart because they are trained apart: embedding tables are plain variables
    of which a step reads and writes only the rows it needs, everything else is Keras layers.

    Args:
        features: The inputs of the model.
        tables: Embedding tables by name, each `[V, D]`.
        layers: The dense part, by name.
        embedding_l2: Weight of the squared norm of the rows a batch looks up.
    """

    def __init__(
        self,
        features: tuple[Feature, ...],
        tables: Mapping[str, Variable],
        layers: Mapping[str, Layer],
        embedding_l2: float,
    ) -> None:
        super().__init__()
        self.features = features
        self.embedded = embedded(features)
        self.numeric = numeric(features)
        self.tables = dict(tables)
        self.layers = dict(layers)
        self.embedding_l2 = embedding_l2

    def __call__(self, inputs: Mapping[str, Tensor], training: bool = False) -> Tensor:
        """Return the logits `[B]` of `inputs`, tensors by feature name."""
        return self.score(self.look_up(inputs), inputs, training)

    def look_up(self, inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Return the embedding rows of every id: `[B, D]` or `[B, L, D]` by feature name."""
        return {f.name: tf.gather(self.tables[str(f.table)], inputs[f.name]) for f in self.embedded}

    @abc.abstractmethod
    def score(
        self, rows: Mapping[str, Tensor], inputs: Mapping[str, Tensor], training: bool
    ) -> Tensor:
        """Return the logits `[B]` from the embedding `rows` and the numbers in `inputs`."""

    def penalty(self, rows: Mapping[str, Tensor], inputs: Mapping[str, Tensor]) -> Tensor:
        """Return `embedding_l2` times the squared norm of the rows, a mean over the batch."""
        total = tf.zeros(())
        if self.embedding_l2:
            for feature in self.embedded:
                present = mask(inputs[feature.name])[..., tf.newaxis]
                squares = tf.square(rows[feature.name]) * present
                total += tf.reduce_sum(squares) / tf.cast(tf.shape(squares)[0], tf.float32)
        return self.embedding_l2 * total

    def numbers(self, inputs: Mapping[str, Tensor]) -> Tensor:
        """Return the numeric features side by side, `[B, N]`."""
        columns = [
            tf.reshape(inputs[feature.name], [-1, width((feature,))]) for feature in self.numeric
        ]
        return tf.concat(columns, axis=1)

    def signature(self) -> dict[str, Any]:
        """Return the dtype and shape of each input, any number of rows."""
        return {f.name: tf.TensorSpec([None, *f.shape], f.dtype, f.name) for f in self.features}

    @property
    def dense_variables(self) -> list[Variable]:
        """The trainable Keras variables of the dense part, in a fixed order."""
        return [v for name in sorted(self.layers) for v in self.layers[name].trainable_variables]

    def weights(self) -> dict[str, Variable]:
        """Return every variable that scoring needs, by a name that does not change."""
        named = {f"table/{name}": variable for name, variable in self.tables.items()}
        for name, layer in self.layers.items():
            named |= {f"dense/{name}/{i}": v.value for i, v in enumerate(layer.weights)}
        return named

    def random_states(self) -> dict[str, Variable]:
        """Return the states of the random generators inside the layers, for an exact resume."""
        return {
            f"random/{name}/{i}": variable.value
            for name, layer in self.layers.items()
            for i, variable in enumerate(layer.variables)
            if not any(variable is weight for weight in layer.weights)
        }

    def parameter_count(self) -> int:
        """Return how many numbers `weights` holds."""
        return sum(int(variable.shape.num_elements()) for variable in self.weights().values())
