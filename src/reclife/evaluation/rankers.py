"""What lists are asked of: retrievers, and the model on top of the candidate source."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np
import pyarrow as pa

from reclife.config.evaluation import EvaluationConfig, names_of
from reclife.contracts import ITEM
from reclife.evaluation.queries import Queries
from reclife.retrieval import baselines
from reclife.retrieval.candidates import CandidateSource
from reclife.retrieval.histories import Histories
from reclife.retrieval.interactions import Floats, Interactions, ItemIndex
from reclife.retrieval.ranking import mask_seen
from reclife.retrieval.retriever import Retriever

Scorer = Callable[[slice], Floats]
"""Returns the scores `[queries of the slice, I]`, minus infinity where an item is not listed."""


@final
@dataclass(frozen=True)
class Ranker:
    """A named model that scores all items of its index for every query."""

    name: str
    index: ItemIndex
    scores: Scorer


def retrieval_rankers(
    past: pa.Table, queries: Queries, config: EvaluationConfig, source: CandidateSource
) -> list[Ranker]:
    """Fit the declared baselines on `past`; one declared as the candidate source is that source."""
    interactions = Interactions.of(past)
    rankers = []
    for name, declared in zip(names_of(config.list_baselines), config.list_baselines, strict=True):
        same = declared == source.config.source
        fitted = source.retriever if same else baselines.fit(interactions, declared)
        rankers.append(Ranker(name, fitted.index, _scorer(fitted, queries)))
    return rankers


def _scorer(retriever: Retriever, queries: Queries) -> Scorer:
    histories = Histories.of(queries.histories, retriever.index, queries.users)

    def scores(part: slice) -> Floats:
        some = histories.part(part.start, part.stop)
        values = retriever.scores(some)
        if queries.mask:
            mask_seen(values, some)
        return values

    return scores


def reranked(name: str, source: CandidateSource, candidates: pa.Table, scores: Floats) -> Ranker:
    """Return the ranker that lists the candidates alone, in the order of `scores` `[N]`.

    Args:
        name: The model's name.
        source: Whose items the candidates are.
        candidates: What `source.top` returned, ordered by query.
        scores: A score of each candidate.
    """
    index = source.retriever.index
    query, columns = np.asarray(candidates["query"]), index.columns(candidates[ITEM])

    def dense(part: slice) -> Floats:
        rows = slice(*np.searchsorted(query, [part.start, part.stop]))
        values = np.full((part.stop - part.start, len(index)), -np.inf, np.float32)
        values[query[rows] - part.start, columns[rows]] = scores[rows]
        return values

    return Ranker(name, index, dense)
