"""What the known items are like, and what lists of them are like."""

from typing import final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from scipy import sparse

from reclife.config.evaluation import CategoryDiversity, DiversityConfig
from reclife.contracts import ITEM
from reclife.errors import DataError
from reclife.evaluation.queries import Queries
from reclife.evaluation.rankers import Ranker
from reclife.evaluation.slice_values import coded
from reclife.metrics.beyond import coverage, diversity, gini, novelty, popularity, repetition
from reclife.retrieval.interactions import Interactions, Ints
from reclife.transforms.kernels.arrays import column, positions

Vector = npt.NDArray[np.floating]


@final
class Catalogue:
    """The items known before the test part: who met them, and what tells them apart."""

    def __init__(
        self, past: pa.Table, items: pa.Table, queries: Queries, config: DiversityConfig
    ) -> None:
        interactions = Interactions.of(past)
        self._index = interactions.index
        self._met = interactions.matrix.T.tocsr()
        self._users = self._met.shape[1]
        self._counts = np.diff(self._met.indptr).astype(np.int64)
        self._queries = queries
        self._kind = "cosine"
        self._traits = self._met
        if isinstance(config, CategoryDiversity):
            self._kind, self._traits = "jaccard", _categories(self._index.ids, items, config)

    def users_of(self, items: pa.Array) -> Vector:
        """Return how many users met each of some known items `[M]`."""
        counts: Vector = self._counts[self._index.columns(items)].astype(np.float64)
        return counts

    def figures(self, ranker: Ranker, listed: Ints) -> dict[str, Vector | float]:
        """Return what the lists `[Q, K]` of a ranker are like: per query `[Q]`, or one figure."""
        own = self._index.columns(ranker.index.ids)
        lists = np.where(listed >= 0, own[np.maximum(listed, 0)], -1)
        found: dict[str, Vector | float] = {
            "coverage": coverage(lists, len(self._index)),
            "gini": gini(lists, len(self._index)),
            "novelty": novelty(lists, self._counts, self._users),
            "popularity": popularity(lists, self._counts),
            "diversity": diversity(lists, self._traits, self._kind),
        }
        times = self._queries.times
        if times is not None and not self._queries.per_user:
            found["repetition"] = repetition(lists, self._queries.owners, times)
        return found


def _categories(ids: pa.Array, items: pa.Table, config: CategoryDiversity) -> sparse.csr_array:
    """Return which categories each known item has, `[I, C]`."""
    if config.column not in items.column_names:
        raise DataError(
            f"diversity: the items have no column {config.column!r}; they have "
            f"{', '.join(items.column_names)}."
        )
    place = positions(ids, column(items, ITEM))
    values = column(items, config.column).take(pa.array(np.maximum(place, 0), mask=place < 0))
    rows, codes, names = coded(f"diversity: {config.column!r}", values, config.separator)
    some = codes < len(names)
    shape = (len(ids), max(len(names), 1))
    matrix = sparse.csr_array((np.ones(int(some.sum())), (rows[some], codes[some])), shape=shape)
    matrix.data[:] = 1.0  # a category that stands there twice is one
    return matrix
