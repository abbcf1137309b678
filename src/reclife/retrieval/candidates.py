"""The candidate source of the bundle: a fitted retriever, then a popularity fallback."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Self, final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from reclife.config.retrieval import CandidatesConfig, SourceConfig
from reclife.contracts import ITEM
from reclife.retrieval import baselines, stored
from reclife.retrieval.histories import Histories
from reclife.retrieval.interactions import Interactions, ItemIndex
from reclife.retrieval.pruning import blocks
from reclife.retrieval.ranking import mask_seen, top_k
from reclife.retrieval.retriever import Retriever

ITEMS_FILE, DECLARATION_FILE = "items.parquet", "source.json"

Fit = Callable[[Interactions, SourceConfig], Retriever]
"""Fits a declared source."""

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
    so the items of which the retriever knows nothing (score 0) follow in that order by themselves.
    """

    def __init__(self, config: CandidatesConfig, retriever: Retriever) -> None:
        self.config = config
        self.retriever = retriever

    @property
    def items(self) -> pa.Array:
        """The raw ids of the known items, most popular first."""
        return self.retriever.index.ids

    @classmethod
    def fit(cls, events: pa.Table, config: CandidatesConfig, fit: Fit = baselines.fit) -> Self:
        """Fit source and fallback on events: those before the test cut, and no others.

        Args:
            events: Canonical events.
            config: The declaration.
            fit: Fits the source; the default fits those that need no training.

        Raises:
            DataError: There is no event, or the source cannot hold this many items.
        """
        interactions = Interactions.of(events)
        popularity = baselines.fit(interactions, config.fallback).scores(_no_history())[0]
        ordered = interactions.ordered(np.argsort(-popularity, kind="stable"))
        return cls(config, fit(ordered, config.source))

    def top(
        self,
        histories: pa.Array | pa.ChunkedArray,
        k: int,
        exclude_seen: bool = True,
        users: pa.Array | pa.ChunkedArray | None = None,
    ) -> pa.Table:
        """Return the k best items of each history.

        Args:
            histories: One list of raw item ids per query, oldest first and in full; unknown items
                are ignored, a repeated item counts at its newest place.
            k: Items per query; fewer come where fewer are left.
            exclude_seen: Leave out the items of the history.
            users: Whose histories they are, by raw id; for sources with a vector for each user.

        Returns:
            `query` (position in `histories`), `rank` from 1, `item_id`, `score` and `retrieved`,
            which is false where the fallback filled in; ordered by query, then rank.
        """
        index = self.retriever.index
        queries = Histories.of(histories, index, users)
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
        scores = self.retriever.scores(histories)
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
        """Write the source as Parquet, JSON and, where it has them, arrays and a graph."""
        pq.write_table(pa.table({ITEM: self.items}), folder / ITEMS_FILE)
        stored.save(self.retriever, folder)
        text = json.dumps(self.config.model_dump(mode="json"), indent=2)
        (folder / DECLARATION_FILE).write_text(text + "\n", encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read what `save` wrote."""
        text = (folder / DECLARATION_FILE).read_text(encoding="utf-8")
        config = CandidatesConfig.model_validate_json(text)
        index = ItemIndex(pq.read_table(folder / ITEMS_FILE)[ITEM].combine_chunks())
        return cls(config, stored.load(config.source, index, folder))


def _no_history() -> Histories:
    empty = np.empty(0, np.int64)
    return Histories(np.zeros(2, np.int64), empty, empty)
