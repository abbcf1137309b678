"""The question "what comes next", by full ranking with the seen items masked."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from reclife.config.evaluation import EvaluationConfig
from reclife.contracts import ITEM, EvaluationRow
from reclife.metrics.intervals import resample
from reclife.metrics.ranking import at_k, coverage, per_user, places, standing
from reclife.metrics.ratio import UserSums
from reclife.pipelines.evaluation.queries import Queries
from reclife.pipelines.evaluation.rows import ALL, Measured, Rows
from reclife.retrieval import baselines
from reclife.retrieval.candidates import CandidateSource
from reclife.retrieval.histories import Histories
from reclife.retrieval.interactions import Floats, Interactions, Ints, ItemIndex
from reclife.retrieval.pruning import blocks
from reclife.retrieval.ranking import best_columns, mask_seen
from reclife.retrieval.retriever import Retriever

UNKNOWN_AS_MISS = "unknown_as_miss"
"""The slice in which targets unknown before the test part stay targets that nobody can hit."""
QUERIES = "queries"
"""The name under which the queries' own figures are reported."""

Scorer = Callable[[slice], Floats]
"""Returns the scores `[queries of the slice, I]`, minus infinity where an item is not listed."""
Draws = npt.NDArray[np.float64]


@final
@dataclass(frozen=True)
class ListsResult:
    """The rows of the task, and figures for the page."""

    rows: tuple[EvaluationRow, ...]
    queries: int
    users: int
    unknown_share: float


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
    for declared in config.list_baselines:
        same = declared == source.config.source
        fitted = source.retriever if same else baselines.fit(interactions, declared)
        rankers.append(Ranker(declared.kind, fitted.index, _unseen(fitted, queries)))
    return rankers


def _unseen(retriever: Retriever, queries: Queries) -> Scorer:
    histories = Histories.of(queries.histories, retriever.index, queries.users)

    def scores(part: slice) -> Floats:
        some = histories.part(part.start, part.stop)
        values = retriever.scores(some)
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


def evaluate(queries: Queries, rankers: Sequence[Ranker], config: EvaluationConfig) -> ListsResult:
    """Measure every ranker on every query; values are averaged within users, then over users.

    The last ranker is also compared with every other. Without any query, only their number, 0, is
    reported.
    """
    rows = Rows("lists")
    rows.add(QUERIES, ALL, "count", Measured(len(queries), users=queries.n_users))
    if len(queries) == 0:
        return ListsResult(tuple(rows.rows), 0, 0, float("nan"))
    counts = resample(queries.n_users, config.bootstrap.resamples, config.bootstrap.seed)
    found = {ranker.name: _measure(ranker, queries, config.k, counts) for ranker in rankers}
    for name, (metrics, covered) in found.items():
        for (part, metric, k), value in metrics.items():
            rows.add(name, part, metric, value, k)
        for k, share in covered.items():
            rows.add(name, ALL, "coverage", Measured(share, users=queries.n_users), k)
    final_ranker = rankers[-1].name
    for k in config.k:
        ndcg = {name: metrics[ALL, "ndcg", k] for name, (metrics, _) in found.items()}
        rows.add_differences(final_ranker, "ndcg", ndcg, k)
    share = _unknown_share(queries)
    rows.add(QUERIES, ALL, "unknown_share", Measured(share, users=queries.n_users))
    return ListsResult(tuple(rows.rows), len(queries), queries.n_users, share)


Metrics = dict[tuple[str, str, int], Measured]


def _measure(
    ranker: Ranker, queries: Queries, ks: Sequence[int], counts: Draws
) -> tuple[Metrics, dict[int, float]]:
    """Return each metric by slice, name and k, and the coverage by k."""
    above, tied, listed = _rank(ranker, queries, max(ks))
    target = queries.known.query
    still = _position_among_upcoming(queries)
    totals = queries.known.per_query(len(queries)), queries.upcoming.per_query(len(queries))
    metrics: Metrics = {}
    for part, mask, total in zip(
        (ALL, UNKNOWN_AS_MISS), (np.ones(len(target), bool), still), totals, strict=True
    ):
        found = places(target[mask], above[mask], tied[mask], total)
        for k in ks:
            for metric, values in at_k(found, k).items():
                mean = per_user(values, queries.owners, queries.n_users)
                sums = UserSums(np.nan_to_num(mean), np.isfinite(mean).astype(float))
                metrics[part, metric, k] = Measured.of(sums, counts)
    return metrics, {k: coverage(listed[:, :k], len(ranker.index)) for k in ks}


def _rank(ranker: Ranker, queries: Queries, k: int) -> tuple[Ints, Ints, Ints]:
    """Return the targets' places, items above and items tied `[M]`, and the lists `[Q, k]`."""
    query, columns = queries.known.query, ranker.index.columns(queries.known.items)
    above, tied = np.zeros(len(query), np.int64), np.zeros(len(query), np.int64)
    lists = []
    k = min(k, len(ranker.index))
    for part in blocks(len(queries), len(ranker.index)):
        scores = ranker.scores(part)
        rows = slice(*np.searchsorted(query, [part.start, part.stop]))
        own = query[rows] - part.start
        ordered = np.sort(scores, axis=1)
        above[rows], tied[rows] = standing(ordered, own, scores[own, columns[rows]])
        best = best_columns(scores, ordered[:, -k], k)
        lists.append(np.where(np.isfinite(np.take_along_axis(scores, best, 1)), best, -1))
    return above, tied, np.concatenate(lists)


def _position_among_upcoming(queries: Queries) -> npt.NDArray[np.bool_]:
    """Return which known targets are also among the next events when unknown ones count."""
    total = queries.upcoming.per_query(len(queries))
    unknown = _unknown_per_query(queries)
    query = queries.known.query
    place = np.arange(len(query)) - np.searchsorted(query, query)
    return np.asarray(place < (total - unknown)[query])


def _unknown_per_query(queries: Queries) -> Ints:
    """Return how many of the upcoming targets are unknown `[Q]`."""
    unknown = ~queries.upcoming_known
    return np.bincount(queries.upcoming.query[unknown], minlength=len(queries))


def _unknown_share(queries: Queries) -> float:
    total = len(queries.upcoming.query)
    return float((~queries.upcoming_known).sum() / total) if total else float("nan")
