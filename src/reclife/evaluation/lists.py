"""The question "what comes next", by full ranking."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from reclife.config.evaluated import LISTS
from reclife.config.evaluation import EvaluationConfig
from reclife.contracts import TIME, USER, EvaluationRow
from reclife.evaluation.catalogue import Catalogue
from reclife.evaluation.places import Ranked, Standing, rank
from reclife.evaluation.queries import Bools, Queries, Targets
from reclife.evaluation.rankers import Ranker
from reclife.evaluation.rows import ALL, Measured, Rows
from reclife.evaluation.slices import Entities, names_of, of_targets
from reclife.metrics.beyond import concentration
from reclife.metrics.ranking import at_k, graded_at_k, ideal_gain, per_user, places
from reclife.metrics.ratio import UserSums
from reclife.metrics.resampling import Resamples, resample
from reclife.metrics.sums import summed
from reclife.retrieval.interactions import Ints

UNKNOWN_AS_MISS = "unknown_as_miss"
"""The slice in which targets unknown before the test part stay targets that nobody can hit."""
SAMPLED = "sampled"
"""The slice of the figures on drawn negatives; its metrics are called `sampled_<metric>` too."""
QUERIES = "queries"
"""The name under which the queries' own figures are reported."""
TARGETS = "targets"
"""Column of the queries' values: how many items count as right."""
PAIRED = ("ndcg", "recall")
"""Metrics whose difference to every other ranker is reported."""

Vector = npt.NDArray[np.floating]
Metrics = dict[tuple[str, str, int], Measured]


@final
@dataclass(frozen=True)
class ListsResult:
    """The rows of the task, figures for the page, and each query's values of the last ranker.

    Attributes:
        rows: The rows.
        queries: How many lists were asked for.
        users: Of how many users.
        unknown_share: Share of the targets that were unknown before the test part.
        model: The last ranker.
        values: `user_id`, the time, `targets`, `<metric>@<k>` and `slices` of each query.
        per_user: There is one query a user.
        exposure: By ranker, the share of all places that the most listed items take together.
    """

    rows: tuple[EvaluationRow, ...]
    queries: int
    users: int
    unknown_share: float
    model: str
    values: pa.Table
    per_user: bool = False
    exposure: dict[str, list[float]] = field(default_factory=dict)


def evaluate(
    queries: Queries,
    rankers: Sequence[Ranker],
    config: EvaluationConfig,
    catalogue: Catalogue,
    who: Entities,
    negatives: Targets | None = None,
) -> ListsResult:
    """Measure every ranker on every query; values are averaged within users, then over users.

    The last ranker is also compared with every other. Without any query, only their number, 0, is
    reported.
    """
    rows, model = Rows(LISTS), rankers[-1].name
    rows.add(QUERIES, ALL, "count", Measured(len(queries), users=queries.n_users))
    if len(queries) == 0:
        return ListsResult(tuple(rows.rows), 0, 0, float("nan"), model, _identity(queries))
    measure = _Measure(queries, config, catalogue, who, negatives)
    found: dict[str, Metrics] = {}
    exposure = {}
    for ranker in rankers:
        ranked = rank(ranker, queries, max(config.k), negatives)
        found[ranker.name] = measure.of(ranker, ranked)
        exposure[ranker.name] = concentration(ranked.listed[:, : config.k[0]], len(ranker.index))
    values = measure.values(ranked)
    for name, metrics in found.items():
        for (part, metric, k), value in metrics.items():
            rows.add(name, part, metric, value, k)
    for metric in PAIRED:
        for k in config.k:
            rows.add_differences(
                model, metric, {name: metrics[ALL, metric, k] for name, metrics in found.items()}, k
            )
    share = _unknown_share(queries)
    rows.add(QUERIES, ALL, "unknown_share", Measured(share, users=queries.n_users))
    rows.add(QUERIES, ALL, "popularity", measure.popularity_of_targets())
    return ListsResult(
        tuple(rows.rows),
        len(queries),
        queries.n_users,
        share,
        model,
        values,
        queries.per_user,
        exposure,
    )


@final
class _Measure:
    """Turns places and lists into figures, over the same resamples for every ranker.

    `own` says which of the known targets count: where unknown ones are missed, those among the next
    events when unknown ones take their places there.
    """

    def __init__(
        self,
        queries: Queries,
        config: EvaluationConfig,
        catalogue: Catalogue,
        who: Entities,
        negatives: Targets | None,
    ) -> None:
        self.queries, self.config, self.catalogue = queries, config, catalogue
        self.sampled = negatives is not None
        boot = config.bootstrap
        self.resamples: Resamples = resample(queries.n_users, boot.resamples, boot.seed)
        counted, known = queries.counted, queries.known
        among = _position_among_upcoming(queries)
        self.own = among if queries.per_user else np.ones(len(known.query), bool)
        self.parts = {ALL: (self.own, counted)}
        both, first = known.beside(counted), len(known.query)  # one and the same most frequent
        for name, mask in of_targets(config.slices, queries, both, who).items():
            if mask[first:].any():
                self.parts[name] = (mask[:first] & self.own, counted.where(mask[first:]))
        if not queries.per_user:
            self.parts[UNKNOWN_AS_MISS] = (among, queries.upcoming)

    def of(self, ranker: Ranker, ranked: Ranked) -> Metrics:
        """Return each figure of a ranker by slice, metric and k."""
        metrics: Metrics = {}
        for part, (mask, counted) in self.parts.items():
            for (metric, k), values in self._at(ranked.full, mask, counted).items():
                metrics[part, metric, k] = self._mean(values)
        if ranked.drawn is not None:
            mask, counted = self.parts[ALL]
            for (metric, k), values in self._at(ranked.drawn, mask, counted).items():
                metrics[SAMPLED, f"sampled_{metric}", k] = self._mean(values)
        for k in self.config.k:
            for metric, found in self.catalogue.figures(ranker, ranked.listed[:, :k]).items():
                value = Measured(found) if isinstance(found, float) else self._mean(found)
                metrics[ALL, metric, k] = value
        return metrics

    def values(self, ranked: Ranked) -> pa.Table:
        """Return the metrics of every query, for the comparison of runs."""
        table = _identity(self.queries)
        counted = self.queries.counted.per_query(len(self.queries))
        table = table.append_column(TARGETS, pa.array(counted))
        for (metric, k), values in self._at(ranked.full, *self.parts[ALL]).items():
            table = table.append_column(f"{metric}@{k}", pa.array(values))
        parts = {
            name: np.isin(np.arange(len(table)), self.queries.known.query[mask])
            for name, (mask, _) in self.parts.items()
            if name not in (ALL, UNKNOWN_AS_MISS)
        }
        return table.append_column("slices", names_of(parts, len(table)))

    def popularity_of_targets(self) -> Measured:
        """Return how many users, on average, have met what users went on to choose."""
        known = self.queries.known.where(self.own)
        counts = self.catalogue.users_of(known.items)
        total = summed(counts, known.query, len(self.queries))
        number = known.per_query(len(self.queries))
        return self._mean(total / np.where(number, number, np.nan))

    def _at(
        self, standing: Standing, mask: Bools, counted: Targets
    ) -> dict[tuple[str, int], Vector]:
        query, queries = self.queries.known.query[mask], len(self.queries)
        above, tied = standing.above[mask], standing.tied[mask]
        found = places(query, above, tied, counted.per_query(queries))
        values = {(m, k): v for k in self.config.k for m, v in at_k(found, k).items()}
        known = self.queries.known.gains
        if known is None or counted.gains is None:
            return values
        listed = known[mask][tied > 0]
        for k in self.config.k:
            ideal = ideal_gain(counted.query, counted.gains, queries, k)
            values["graded_ndcg", k] = graded_at_k(found, listed, ideal, k)
        return values

    def _mean(self, values: Vector) -> Measured:
        mean = per_user(values, self.queries.owners, self.queries.n_users)
        return Measured.of(UserSums.mean(mean), self.resamples)


def _identity(queries: Queries) -> pa.Table:
    """Return what tells the queries apart: user, and time where there is one."""
    columns = {USER: queries.users}
    if queries.times is not None:
        columns[TIME] = pa.array(queries.times)
    return pa.table(columns)


def _position_among_upcoming(queries: Queries) -> Bools:
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
