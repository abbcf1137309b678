"""What every ranking model has: features it uses, tables it looks up, layers it scores with."""

import abc
from collections.abc import Mapping
from typing import Any, NamedTuple, TypedDict

import tensorflow as tf

from reclife.config.towers import Common
from reclife.contracts import Feature, Task
from reclife.models.features import embedded, numeric, width
from reclife.models.layers.pooling import mask

Tensor = Any
Variable = Any
Layer = Any


class Penalties(NamedTuple):
    """Weights of the squared norms that are added to the loss.

    `embedding_l2` is that of the rows a batch looks up, `dense_l2` that of the dense matrices.
    """

    embedding_l2: float
    dense_l2: float


class Given(TypedDict):
    """What every model is made of: the arguments of `RankingModel`."""

    features: tuple[Feature, ...]
    tasks: tuple[Task, ...]
    tables: Mapping[str, Variable]
    layers: Mapping[str, Layer]
    penalties: Penalties


class RankingModel(tf.Module, abc.ABC):
    """Scores a (user, item) pair: ``logits = score(look_up(selected), selected)``.

    A logit a task, whose sigmoid is the probability; the first task is the one that ranks. The two
    halves are apart because they are trained apart: embedding tables are plain variables of which
    a step reads and writes only the rows it needs, everything else is Keras layers.

    Args:
        features: The inputs of the model.
        tasks: What it predicts, T of them.
        tables: Embedding tables by name, each `[V, D]`.
        layers: The dense part, by name.
        penalties: Weights of the squared norms of rows and matrices.
    """

    def __init__(
        self,
        features: tuple[Feature, ...],
        tasks: tuple[Task, ...],
        tables: Mapping[str, Variable],
        layers: Mapping[str, Layer],
        penalties: Penalties,
    ) -> None:
        super().__init__()
        self.features = features
        self.tasks = tasks
        self.embedded = embedded(features)
        self.numeric = numeric(features)
        self.tables = dict(tables)
        self.layers = dict(layers)
        self.penalties = penalties
        self.projected: frozenset[str] = frozenset()

    def __call__(self, inputs: Mapping[str, Tensor], training: bool = False) -> Tensor:
        """Return the logits `[B, T]` of `inputs`, tensors by feature name."""
        selected = self.select(inputs)
        return self.logits(self.look_up(selected), selected, training)

    def logits(
        self, rows: Mapping[str, Tensor], inputs: Mapping[str, Tensor], training: bool
    ) -> Tensor:
        """Return `score` of `rows`, projected where their table has a length of its own."""
        same = {
            f.name: self.layers[f"projection_{f.table}"](rows[f.name])
            for f in self.embedded
            if f.table in self.projected
        }
        return self.score({**rows, **same}, inputs, training)

    def select(self, inputs: Mapping[str, Tensor]) -> Mapping[str, Tensor]:
        """Return the inputs that are looked up and scored: all of them, where nothing is said.

        A model of long histories keeps the positions that matter, so that the rows of the others
        are neither read nor updated.
        """
        return inputs

    def look_up(self, inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Return the embedding rows of every id: `[B, D]` or `[B, L, D]` by feature name."""
        return {f.name: tf.gather(self.tables[str(f.table)], inputs[f.name]) for f in self.embedded}

    @abc.abstractmethod
    def score(
        self, rows: Mapping[str, Tensor], inputs: Mapping[str, Tensor], training: bool
    ) -> Tensor:
        """Return the logits `[B, T]` from the embedding `rows` and the numbers in `inputs`.

        Args:
            rows: What `look_up` gives for `inputs`.
            inputs: What `select` leaves.
            training: Whether to drop units and to normalise by the batch's own statistics.
        """

    def penalty(
        self, rows: Mapping[str, Tensor], inputs: Mapping[str, Tensor], size: Tensor
    ) -> Tensor:
        """Return the weighted squared norms: of the rows, a mean over the batch; of matrices.

        Args:
            rows: What `look_up` gives for `inputs`.
            inputs: What `select` leaves.
            size: How many examples the mean is over, a float32 scalar.
        """
        total = tf.zeros(())
        if self.penalties.embedding_l2:
            for feature in self.embedded:
                present = mask(inputs[feature.name])[..., tf.newaxis]
                squares = tf.square(rows[feature.name]) * present
                total += self.penalties.embedding_l2 * (tf.reduce_sum(squares) / size)
        if self.penalties.dense_l2:
            matrices = [v.value for v in self.dense_variables if len(v.shape) > 1]
            squares = tf.add_n([tf.reduce_sum(tf.square(matrix)) for matrix in matrices])
            total += self.penalties.dense_l2 * squares
        return total

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


def penalties(config: Common) -> Penalties:
    """Return the penalties that a model's declaration asks for."""
    return Penalties(config.embedding_l2, config.dense_l2)
