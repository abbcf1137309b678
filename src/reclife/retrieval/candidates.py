"""The candidate source of the bundle: neighbours of the history, then a popularity fallback."""

import json
from pathlib import Path
from typing import Self, final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from scipy import sparse

from reclife.config.retrieval import CandidatesConfig
from reclife.contracts import ITEM
from reclife.retrieval import baselines
from reclife.retrieval.histories import Histories
from reclife.retrieval.interactions import Interactions, ItemIndex
from reclife.retrieval.pruning import blocks
from reclife.retrieval.ranking import mask_seen, top_k
from reclife.retrieval.retriever import Neighbours

ITEMS_FILE, NEIGHBOURS_FILE, DECLARATION_FILE = "items.parquet", "neighbours.parquet", "source.json"

TOP_SCHEMA = pa.schema(
    [
        ("query", pa.int64()),
        ("rank", pa.int32()),
        ("score", pa.float32()),
        ("retrieved", pa.bool_()),
    ]
)
"""What `top` returns, beside `item_id` in its own type."""


@final
class CandidateSource:
    """Retrieves unseen items for histories.

    The columns are in the order of the fallback, most popular first. Top-K breaks ties by column,
    so the items that no neighbour reaches (score 0) follow in that order by themselves.
    """

    def __init__(self, config: CandidatesConfig, neighbours: Neighbours) -> None:
        self.config = config
        self.neighbours = neighbours

    @property
    def items(self) -> pa.Array:
        """The raw ids of the known items, most popular first."""
        return self.neighbours.index.ids

    @classmethod
    def fit(cls, events: pa.Table, config: CandidatesConfig) -> Self:
        """Fit source and fallback on events: those before the test cut, and no others.

        Raises:
            DataError: There is no event, or the source cannot hold this many items.
        """
        interactions = Interactions.of(events)
        popularity = baselines.fit(interactions, config.fallback).scores(_no_history())[0]
        fitted = baselines.fit(interactions, config.source)
        if not isinstance(fitted, Neighbours):  # the configuration admits no other
            raise TypeError(type(fitted).__name__)
        order = np.argsort(-popularity, kind="stable")
        index = ItemIndex(interactions.index.raw(order))
        weights = fitted.weights[order][:, order].tocsr()
        return cls(config, Neighbours(index, weights, fitted.decay))

    def top(
        self, histories: pa.Array | pa.ChunkedArray, k: int, exclude_seen: bool = True
    ) -> pa.Table:
        """Return the k best items of each history.

        Args:
            histories: One list of raw item ids per query, oldest first and in full; unknown items
                are ignored, a repeated item counts at its newest place.
            k: Items per query; fewer come where fewer are left.
            exclude_seen: Leave out the items of the history.

        Returns:
            `query` (position in `histories`), `rank` from 1, `item_id`, `score` and `retrieved`,
            which is false where the fallback filled in; ordered by query, then rank.
        """
        index = self.neighbours.index
        queries = Histories.of(histories, index)
        parts = [
            self._top(queries, part, k, exclude_seen) for part in blocks(len(queries), len(index))
        ]
        columns = (
            np.concatenate([p.pop("column") for p in parts]) if parts else np.empty(0, np.int64)
        )
        table = pa.concat_tables(
            [pa.table(p, schema=TOP_SCHEMA) for p in parts] or [TOP_SCHEMA.empty_table()]
        )
        return table.add_column(2, ITEM, index.raw(columns))

    def _top(
        self, queries: Histories, part: slice, k: int, exclude_seen: bool
    ) -> dict[str, np.ndarray]:
        histories = queries.part(part.start, part.stop)
        scores = self.neighbours.scores(histories)
        if exclude_seen:
            mask_seen(scores, histories)
        best = top_k(scores, k)
        values = np.take_along_axis(scores, best, axis=1)
        keep = np.isfinite(values)
        query = np.broadcast_to(np.arange(part.start, part.stop)[:, None], best.shape)
        rank = np.broadcast_to(np.arange(1, best.shape[1] + 1, dtype=np.int32), best.shape)
        return {
            "query": query[keep],
            "rank": rank[keep],
            "score": values[keep],
            "retrieved": values[keep] != 0.0,
            "column": best[keep],
        }

    def save(self, folder: Path) -> None:
        """Write the source as Parquet and JSON."""
        weights = self.neighbours.weights.tocoo()
        pq.write_table(pa.table({ITEM: self.items}), folder / ITEMS_FILE)
        pq.write_table(
            pa.table(
                {
                    "column": pa.array(weights.row.astype(np.int32)),
                    "neighbour": pa.array(weights.col.astype(np.int32)),
                    "weight": pa.array(weights.data.astype(np.float32)),
                }
            ),
            folder / NEIGHBOURS_FILE,
        )
        text = json.dumps(self.config.model_dump(mode="json"), indent=2)
        (folder / DECLARATION_FILE).write_text(text + "\n", encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read what `save` wrote."""
        text = (folder / DECLARATION_FILE).read_text(encoding="utf-8")
        config = CandidatesConfig.model_validate_json(text)
        index = ItemIndex(pq.read_table(folder / ITEMS_FILE)[ITEM].combine_chunks())
        table = pq.read_table(folder / NEIGHBOURS_FILE)
        rows, columns = np.asarray(table["column"]), np.asarray(table["neighbour"])
        weights = sparse.csr_array(
            (np.asarray(table["weight"]), (rows, columns)), shape=(len(index), len(index))
        )
        return cls(config, Neighbours(index, weights, config.source.decay))


def _no_history() -> Histories:
    empty = np.empty(0, np.int64)
    return Histories(np.zeros(2, np.int64), empty, empty)
