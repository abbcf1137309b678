"""Fitted retrievers as files: Parquet tables, plain arrays, and graphs."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from scipy import sparse

from reclife.config.neural import SequenceModelConfig
from reclife.config.retrieval import (
    DecayedPopularityConfig,
    EaseConfig,
    ItemKnnConfig,
    PopularityConfig,
    SourceConfig,
)
from reclife.contracts import USER
from reclife.retrieval.interactions import ItemIndex
from reclife.retrieval.retriever import FixedOrder, Neighbours, Retriever
from reclife.retrieval.vectors import Encoder, Graph, UserTable, Vectors

VALUES, NEIGHBOURS = "values.npy", "neighbours.parquet"
ITEM_VECTORS, ITEM_BIAS = "item_vectors.npy", "item_bias.npy"
USERS, USER_VECTORS, ENCODER = "users.parquet", "user_vectors.npy", "encoder.onnx"


def save(retriever: Retriever, folder: Path) -> None:
    """Write everything but the index of the items."""
    match retriever:
        case FixedOrder():
            np.save(folder / VALUES, retriever.values)
        case Neighbours():
            _save_neighbours(retriever, folder)
        case Vectors():
            np.save(folder / ITEM_VECTORS, retriever.items)
            np.save(folder / ITEM_BIAS, retriever.bias)
            _save_encoder(retriever.encoder, folder)
        case _:
            raise TypeError(type(retriever).__name__)


def load(config: SourceConfig, index: ItemIndex, folder: Path) -> Retriever:
    """Read what `save` wrote of the retriever that `config` declares."""
    match config:
        case PopularityConfig() | DecayedPopularityConfig():
            return FixedOrder(index, np.load(folder / VALUES))
        case ItemKnnConfig() | EaseConfig():
            return _load_neighbours(config.decay, index, folder)
        case _:
            items = np.load(folder / ITEM_VECTORS)
            bias = np.load(folder / ITEM_BIAS)
            return Vectors(index, _load_encoder(config, items, folder), items, bias)


def _save_neighbours(retriever: Neighbours, folder: Path) -> None:
    weights = retriever.weights.tocoo()
    columns = {
        "column": pa.array(weights.row.astype(np.int32)),
        "neighbour": pa.array(weights.col.astype(np.int32)),
        "weight": pa.array(weights.data.astype(np.float32)),
    }
    pq.write_table(pa.table(columns), folder / NEIGHBOURS)


def _load_neighbours(decay: float, index: ItemIndex, folder: Path) -> Neighbours:
    table = pq.read_table(folder / NEIGHBOURS)
    rows, columns = np.asarray(table["column"]), np.asarray(table["neighbour"])
    weights = sparse.csr_array(
        (np.asarray(table["weight"]), (rows, columns)), shape=(len(index), len(index))
    )
    return Neighbours(index, weights, decay)


def _save_encoder(encoder: Encoder, folder: Path) -> None:
    match encoder:
        case UserTable():
            pq.write_table(pa.table({USER: encoder.users.ids}), folder / USERS)
            np.save(folder / USER_VECTORS, encoder.vectors)
        case Graph():
            (folder / ENCODER).write_bytes(encoder.content)
        case _:
            raise TypeError(type(encoder).__name__)


def _load_encoder(config: SourceConfig, items: np.ndarray, folder: Path) -> Encoder:
    if isinstance(config, SequenceModelConfig):
        return Graph((folder / ENCODER).read_bytes(), config.max_length)
    users = ItemIndex(pq.read_table(folder / USERS)[USER].combine_chunks())
    return UserTable(users, np.load(folder / USER_VECTORS), items)
