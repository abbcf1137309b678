"""Ranks the targets, and the drawn negatives, by one ranker, in blocks of queries."""

from dataclasses import dataclass
from typing import final

import numpy as np

from reclife.errors import DataError
from reclife.evaluation.queries import Queries, Targets
from reclife.evaluation.rankers import Ranker
from reclife.evaluation.rows import REMEDY
from reclife.metrics.ranking import standing
from reclife.retrieval.interactions import Floats, Ints
from reclife.retrieval.pruning import blocks
from reclife.retrieval.ranking import best_columns


@final
@dataclass(frozen=True)
class Standing:
    """Where the targets stand, `[M]` each: items above, and items tied, 0 where not listed."""

    above: Ints
    tied: Ints


@final
@dataclass(frozen=True)
class Ranked:
    """What one ranker made of the queries.

    Attributes:
        full: Places of the known targets among all items.
        drawn: The same among the query's targets and drawn negatives; None where none are drawn.
        listed: `[Q, K]` columns of the best items, -1 where there are fewer.
    """

    full: Standing
    drawn: Standing | None
    listed: Ints


def rank(ranker: Ranker, queries: Queries, k: int, negatives: Targets | None) -> Ranked:
    """Score every query's items and find the targets' places and the k best.

    Raises:
        DataError: A score is not a number.
    """
    query, columns = queries.known.query, ranker.index.columns(queries.known.items)
    full = _Places(len(query))
    drawn = None if negatives is None else _Places(len(query))
    others = None if negatives is None else ranker.index.columns(negatives.items)
    lists = []
    k = min(k, len(ranker.index))
    for part in blocks(len(queries), len(ranker.index)):
        scores = ranker.scores(part)
        if wrong := int(np.isnan(scores).any(axis=1).sum()):
            raise DataError(
                f"{ranker.name}: the scores of {wrong} queries are not all numbers; {REMEDY}."
            )
        rows = slice(*np.searchsorted(query, [part.start, part.stop]))
        own, wanted = query[rows] - part.start, columns[rows]
        values = np.where(wanted >= 0, scores[own, wanted], -np.inf)  # it never lists the others
        ordered = np.sort(scores, axis=1)
        full.fill(rows, ordered, own, values)
        best = best_columns(scores, ordered[:, -k], k)
        lists.append(np.where(np.isfinite(np.take_along_axis(scores, best, 1)), best, -1))
        if drawn is not None and negatives is not None and others is not None:
            some = slice(*np.searchsorted(negatives.query, [part.start, part.stop]))
            kept = np.full_like(scores, -np.inf)
            for whose, which in ((own, wanted), (negatives.query[some] - part.start, others[some])):
                place = whose[which >= 0], which[which >= 0]
                kept[place] = scores[place]
            drawn.fill(rows, np.sort(kept, axis=1), own, values)
    return Ranked(full.found, drawn.found if drawn else None, np.concatenate(lists))


@final
class _Places:
    def __init__(self, targets: int) -> None:
        self.found = Standing(np.zeros(targets, np.int64), np.zeros(targets, np.int64))

    def fill(self, rows: slice, ordered: Floats, query: Ints, values: Floats) -> None:
        self.found.above[rows], self.found.tied[rows] = standing(ordered, query, values)
