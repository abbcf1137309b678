"""What the blocks of a declared model do: the layer of those with settings, else a function."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, final

import keras
import tensorflow as tf

from reclife.config.blocks.shapes import Shape
from reclife.config.towers import InitialRows
from reclife.models.layers.compressed_interaction import CompressedInteraction
from reclife.models.layers.cross import CrossNetwork
from reclife.models.layers.dense import Bias, hidden_layers, linear, normalization, perceptron
from reclife.models.layers.factorization import pairwise
from reclife.models.layers.mixture import Gate
from reclife.models.layers.numbers import NumericRows
from reclife.models.layers.pooling import Pool
from reclife.models.layers.self_attention import FieldAttention
from reclife.models.layers.sequence_encoder import SequenceEncoder
from reclife.models.layers.target_attention import TargetAttention
from reclife.runtime.seeds import derive

Layer = Any
Tensor = Any
Block = Any


@final
class Value(NamedTuple):
    """The output of a block; `present` `[B, L]` is 1 where a padded sequence has a row."""

    tensor: Tensor
    present: Tensor | None = None


@final
class Place(NamedTuple):
    """A block with all that its layer is made of: the shapes it reads, where its weights start."""

    block: Block
    name: str
    given: Sequence[Shape]
    dim: int
    initial: InitialRows
    seed: int

    @property
    def width(self) -> int:
        """The last axis of the first input."""
        return self.given[0].axes[-1]


def layer_of(place: Place) -> Layer | None:
    """Return the layer of the block at `place`, none where it is a plain function."""
    make = _LAYERS.get(place.block.kind)
    return None if make is None else make(place)


def value_of(block: Block, layer: Layer | None, given: Sequence[Value], training: bool) -> Value:
    """Return the output of `block` for the values of the blocks that it reads."""
    if layer is None:
        return _FUNCTIONS[block.kind](given)
    (tensor, present), others = given[0], [value.tensor for value in given[1:]]
    masks = [] if present is None else [present]
    rest = [others] if block.kind == "gate" else others
    output = layer(tensor, *masks, *rest, training=training)
    return Value(output, present if len(output.shape) == 3 else None)


def _perceptron(at: Place) -> Layer:
    if at.block.outputs is None:
        return hidden_layers(at.width, at.block, at.seed, at.name)
    return perceptron(at.width, at.block, at.seed, at.name, at.block.outputs)


def _normalize(at: Place) -> Layer:
    if at.block.by == "batch":
        return normalization(at.width, at.name)
    layer = keras.layers.LayerNormalization(name=at.name)
    layer.build((None, at.width))
    return layer


def _encoder(at: Place) -> Layer:
    length, dim = at.given[0].axes
    block = at.block
    return SequenceEncoder(length, dim, block.heads, block.blocks, block.dropout, at.seed, at.name)


_LAYERS: Mapping[str, Callable[[Place], Layer]] = MappingProxyType(
    {
        "number_rows": lambda at: NumericRows(at.width, at.dim, at.initial, at.seed, at.name),
        "field_attention": lambda at: FieldAttention(
            at.width, at.block.heads, at.block.head_units, at.seed, at.name
        ),
        "compressed_interaction": lambda at: CompressedInteraction(
            at.given[0].axes[0], at.block.maps, at.seed, at.name
        ),
        "pool": lambda at: Pool(at.block.by, at.name),
        "target_attention": lambda at: TargetAttention(at.width, at.block.unit, at.seed, at.name),
        "encoder": _encoder,
        "cross": lambda at: CrossNetwork(
            at.width, at.block.layers, at.block.rank, at.seed, at.name
        ),
        "perceptron": _perceptron,
        "linear": lambda at: linear(at.width, at.block.outputs, at.seed, at.name),
        "bias": lambda at: Bias(at.name),
        "gate": lambda at: Gate(at.width, len(at.block.experts), at.seed, at.name),
        "normalize": _normalize,
        "dropout": lambda at: keras.layers.Dropout(
            at.block.rate, seed=derive(at.seed, at.name), name=at.name
        ),
    }
)


def _flatten(given: Sequence[Value]) -> Value:
    rows, present = given[0]
    kept = rows if present is None else rows * present[..., tf.newaxis]
    return Value(tf.reshape(kept, [-1, rows.shape[1] * rows.shape[2]]))


def _stack(given: Sequence[Value]) -> Value:
    rows = [v.tensor if len(v.tensor.shape) == 3 else v.tensor[:, tf.newaxis] for v in given]
    return Value(tf.concat(rows, axis=1))


def _concat(given: Sequence[Value]) -> Value:
    return Value(tf.concat([value.tensor for value in given], axis=1))


def _sum(given: Sequence[Value]) -> Value:
    """Absent positions add nothing; one is there where any input has it."""
    masks = [value.present for value in given if value.present is not None]
    if not masks:
        return Value(tf.add_n([value.tensor for value in given]))
    rows = [value.tensor * mask[..., tf.newaxis] for value, mask in zip(given, masks, strict=True)]
    return Value(tf.add_n(rows), tf.reduce_max(tf.stack(masks), axis=0))


def _product(given: Sequence[Value]) -> Value:
    """A position is there where all inputs have it."""
    product, present = given[0]
    for tensor, mask in given[1:]:
        product *= tensor
        present = None if present is None else present * mask
    return Value(product, present)


def _factorization(given: Sequence[Value]) -> Value:
    return Value(pairwise(given[0].tensor))


def _append(given: Sequence[Value]) -> Value:
    (rows, present), last = given[0], given[1].tensor
    longer = tf.concat([present, tf.ones_like(last[:, :1])], axis=1)
    return Value(tf.concat([rows, last[:, tf.newaxis]], axis=1), longer)


_FUNCTIONS: Mapping[str, Callable[[Sequence[Value]], Value]] = MappingProxyType(
    {
        "flatten": _flatten,
        "stack": _stack,
        "concat": _concat,
        "sum": _sum,
        "product": _product,
        "factorization": _factorization,
        "append": _append,
    }
)
