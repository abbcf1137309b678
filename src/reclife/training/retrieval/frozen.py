"""From a trained model to arrays and a graph that onnxruntime runs."""

from typing import Any

import tensorflow as tf

from reclife.export.encoder import encoder_to_onnx
from reclife.models.retrieval.model import RetrievalModel
from reclife.models.retrieval.sequence import SequenceModel
from reclife.retrieval.interactions import Interactions
from reclife.retrieval.vectors import Encoder, Graph, UserTable, Vectors

Tensor = Any


def frozen(model: RetrievalModel, interactions: Interactions) -> Vectors:
    """Return the retriever that scores as `model` does."""
    users = tf.range(len(interactions.owners))
    if isinstance(model, SequenceModel):
        items = model.compared(model.table[1:], model.table[1:])[1].numpy()
        encoder: Encoder = Graph(encoder_to_onnx(model), model.max_length)
    else:
        queries, found = model.forward({"user": users}, training=False)
        items = found.numpy()
        encoder = UserTable(interactions.owners, queries.numpy(), items)
    return Vectors(interactions.index, encoder, items, model.item_bias().numpy())
