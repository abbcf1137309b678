"""What a trained retriever is made of, part by part, as a ranking model is by `models.summary`."""

import copy
from collections.abc import Mapping
from typing import Any

import tensorflow as tf
from scipy import sparse

from reclife.config.neural import NeuralSourceConfig
from reclife.contracts import ModelSummary
from reclife.models.retrieval import build
from reclife.models.retrieval.model import RetrievalModel
from reclife.models.retrieval.sequence import SequenceModel
from reclife.models.traced import Model, Score, Source, parts

Layer = Any
Tensor = Any


def summarise(model: RetrievalModel, kind: str) -> ModelSummary:
    """Return the parts of `model`, declared as `kind`; nothing is computed."""
    variables = {**model.tables(), "bias": model.bias}
    found = parts(Model(_inputs(model), model.layers(), _scores(model), "score", variables))
    numbers = sum(part.numbers for part in found if part.within is None)
    return ModelSummary(model_kind=kind, parts=found, tables={}, numbers=numbers)


def of_declared(config: NeuralSourceConfig, users: int, items: int) -> ModelSummary:
    """Return the parts of the model that `config` declares, for so many users and items."""
    return summarise(build(config, sparse.csr_array((users, items))), config.kind)


def _inputs(model: RetrievalModel) -> dict[str, Source]:
    if isinstance(model, SequenceModel):
        history = tf.TensorSpec([model.max_length], tf.int64)
        return {"history": Source(history, "items, oldest first", f"[B, {model.max_length}]")}
    return {"user": Source(tf.TensorSpec([], tf.int32), "user", "[B]")}


def _scores(model: RetrievalModel) -> Any:
    """Return what makes the function from inputs to the scores of all items `[B, I]`."""

    def score(layers: Mapping[str, Layer]) -> Score:
        copied = copy.copy(model)
        for name, layer in layers.items():
            object.__setattr__(copied, name, layer)

        def scores(inputs: Mapping[str, Tensor]) -> Tensor:
            if isinstance(copied, SequenceModel):
                queries = copied.query(inputs["history"])
                items = copied.compared(copied.table[1:], copied.table[1:])[1]
            else:
                queries, items = copied.forward(inputs, training=False)
            return tf.matmul(queries, items, transpose_b=True) + copied.item_bias()

        return scores

    return score
