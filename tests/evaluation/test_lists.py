"""The list task on made-up data: re-ranking, empty cases, wiring."""

import subprocess
import sys
from collections import defaultdict

import numpy as np
import pyarrow as pa
import pytest

from reclife.config.evaluation import (
    CategoryDiversity,
    EvaluationConfig,
    QueriesConfig,
    SampledConfig,
)
from reclife.config.retrieval import CandidatesConfig, ItemKnnConfig, PopularityConfig
from reclife.config.slices import ActivitySlice, ColumnSlice
from reclife.contracts import ITEM
from reclife.errors import DataError
from reclife.evaluation import drawn, lists, queries, rankers
from reclife.evaluation.catalogue import Catalogue
from reclife.evaluation.slices import Entities
from reclife.retrieval.candidates import CandidateSource
from reclife.retrieval.histories import Histories
from reclife.retrieval.interactions import ItemIndex
from reclife.retrieval.ranking import mask_seen

CONFIG = EvaluationConfig(
    list_baselines=(PopularityConfig(), ItemKnnConfig()),
    k=(5, 10),
    queries=QueriesConfig(targets=4),
)


@pytest.fixture(scope="module")
def parts() -> tuple[pa.Table, pa.Table]:
    rng = np.random.default_rng(0)
    times = np.sort(rng.integers(0, 1000, size=900))
    table = pa.table(
        {
            "user_id": rng.integers(0, 15, size=900),
            "item_id": rng.integers(0, 80, size=900),
            "timestamp": times,
        }
    )
    return table.filter(pa.array(times < 700)), table.filter(pa.array(times >= 700))


@pytest.fixture(scope="module")
def source(parts: tuple[pa.Table, pa.Table]) -> CandidateSource:
    return CandidateSource.fit(parts[0], CandidatesConfig(source=ItemKnnConfig()))


WHO = Entities(
    pa.table({"item_id": range(80), "genre": ["a", "b"] * 40}),
    pa.table({"user_id": range(15), "age": range(15)}),
)


def evaluate(
    parts: tuple[pa.Table, pa.Table],
    asked: queries.Queries,
    compared: list[rankers.Ranker],
    config: EvaluationConfig = CONFIG,
    negatives: queries.Targets | None = None,
) -> lists.ListsResult:
    catalogue = Catalogue(parts[0], WHO.items, asked, config.diversity)
    return lists.evaluate(asked, compared, config, catalogue, WHO, negatives)


def measure(
    parts: tuple[pa.Table, pa.Table], source: CandidateSource, kind: str
) -> dict[tuple[str, str, int | None], float]:
    asked = queries.build(*parts, CONFIG.queries)
    found = source.top(asked.histories, 80)
    query = np.asarray(found["query"])
    right = set(zip(asked.known.query.tolist(), asked.known.items.to_pylist(), strict=True))
    pairs = zip(query.tolist(), found[ITEM].to_pylist(), strict=True)
    oracle = np.array([pair in right for pair in pairs], np.float32)
    scores = {"oracle": oracle, "constant": np.zeros_like(oracle)}.get(
        kind, np.asarray(found["score"])
    )
    if kind == "tenth":  # an oracle that answers one query in ten
        keep = query % 10 == 0
        found, scores = found.filter(pa.array(keep)), oracle[keep]
    compared = rankers.retrieval_rankers(parts[0], asked, CONFIG, source)
    compared.append(rankers.reranked("ours", source, found, scores))
    rows = evaluate(parts, asked, compared).rows
    keys = [(r.model, r.slice, r.metric, r.k) for r in rows]
    assert len(set(keys)) == len(keys)
    return {(r.model, r.metric, r.k): r.value for r in rows if r.slice == "all"}


def test_an_oracle_is_perfect_a_constant_is_not(
    parts: tuple[pa.Table, pa.Table], source: CandidateSource
) -> None:
    oracle = measure(parts, source, "oracle")
    assert oracle["ours", "ndcg", 5] == pytest.approx(1.0)
    assert oracle["ours", "recall", 10] == pytest.approx(1.0)
    constant = measure(parts, source, "constant")
    assert constant["ours", "ndcg", 5] < 0.5
    assert constant["ours", "hit_rate", 10] < 1.0


def test_the_sources_own_order_is_the_sources_own_score(
    parts: tuple[pa.Table, pa.Table], source: CandidateSource
) -> None:
    own = measure(parts, source, "source")
    for metric in ("ndcg", "recall", "hit_rate", "mrr", "coverage"):
        assert own["ours", metric, 5] == pytest.approx(own["item_knn", metric, 5]), metric


def test_answering_few_queries_costs(
    parts: tuple[pa.Table, pa.Table], source: CandidateSource
) -> None:
    few = measure(parts, source, "tenth")
    assert few["ours", "ndcg", 5] < 0.25


def test_without_a_query_only_their_number_is_reported(
    parts: tuple[pa.Table, pa.Table], source: CandidateSource
) -> None:
    asked = queries.build(*parts, QueriesConfig(min_history=10_000))
    compared = rankers.retrieval_rankers(parts[0], asked, CONFIG, source)
    found = source.top(asked.histories, 5)
    compared.append(rankers.reranked("ours", source, found, np.asarray(found["score"])))
    result = evaluate(parts, asked, compared)
    assert [(r.metric, r.value) for r in result.rows] == [("count", 0)]


def test_lists_longer_than_the_catalogue_hold_all_of_it(
    parts: tuple[pa.Table, pa.Table], source: CandidateSource
) -> None:
    config = CONFIG.model_copy(update={"k": (200,), "list_baselines": (PopularityConfig(),)})
    test = parts[1].filter(pa.array(np.asarray(parts[1]["user_id"]) == 3))  # one user
    asked = queries.build(parts[0], test, config.queries)
    result = evaluate(
        parts, asked, rankers.retrieval_rankers(parts[0], asked, config, source), config
    )
    rows = {r.metric: r for r in result.rows if (r.model, r.slice) == ("popularity", "all")}
    assert result.users == rows["recall"].users == 1
    assert rows["recall"].value == pytest.approx(1.0)
    assert rows["recall"].ci_low is None
    share = asked.known.per_query(len(asked)) / 200
    assert rows["precision"].value == pytest.approx(share[share > 0].mean())


def test_a_score_that_is_no_number_is_told(
    parts: tuple[pa.Table, pa.Table], source: CandidateSource
) -> None:
    asked = queries.build(*parts, CONFIG.queries)
    found = source.top(asked.histories, 5)
    scores = np.asarray(found["score"]).copy()
    scores[:2] = np.nan
    ours = rankers.reranked("ours", source, found, scores)
    with pytest.raises(DataError, match="ours: the scores of 1 queries are not all numbers"):
        evaluate(parts, asked, [ours])


def test_a_target_that_a_ranker_does_not_know_is_missed(parts: tuple[pa.Table, pa.Table]) -> None:
    """Nor does a drawn item that it does not know take a place."""
    asked = queries.build(*parts, QueriesConfig(targets=1))
    known = asked.known.items.unique()
    index = ItemIndex(known.slice(0, len(known) // 2))
    lacking = np.isin(asked.known.items.to_pylist(), index.ids.to_pylist(), invert=True)
    assert 0 < lacking.sum() < len(lacking)
    best_last = np.tile(np.arange(len(index), dtype=np.float32), (len(asked), 1))
    ranker = rankers.Ranker("half", index, lambda part: best_last[part].copy())
    config = CONFIG.model_copy(update={"k": (len(known),), "slices": ()})
    everything = queries.Targets(
        np.repeat(np.arange(len(asked)), len(known)),
        pa.concat_arrays([known] * len(asked)),
        None,
    )
    found = evaluate(parts, asked, [ranker], config, everything)
    rows = {(r.slice, r.metric): r.value for r in found.rows if r.model == "half"}
    hits = np.where(lacking, 0.0, 1.0)
    owners = asked.owners[asked.known.query]
    expected = np.mean([hits[owners == user].mean() for user in set(owners.tolist())])
    assert rows["all", "recall"] == pytest.approx(expected, abs=1e-9)
    assert rows["sampled", "sampled_recall"] == pytest.approx(expected, abs=1e-9)
    assert rows["sampled", "sampled_mrr"] == pytest.approx(rows["all", "mrr"], abs=1e-9)


def plain(
    scores: np.ndarray, history: list[int], right: list[int], among: list[int], seen: str, k: int
) -> float:
    """NDCG of one query without ties, in plain Python."""
    allowed = [i for i in among if seen == "keep" or i not in history]
    order = sorted(allowed, key=lambda item: -scores[item])[:k]
    gain = sum(1 / np.log2(rank + 2) for rank, item in enumerate(order) if item in right)
    return gain / sum(1 / np.log2(rank + 2) for rank in range(min(k, len(right))))


@pytest.mark.parametrize("seen", ["mask", "keep"])
def test_a_published_split_in_plain_python(seen: str) -> None:
    """One query a user, unknown targets missed, users without a history asked too."""
    rng = np.random.default_rng(2)
    table = pa.table({"user_id": rng.integers(0, 12, 260), "item_id": rng.integers(0, 30, 260)})
    held = rng.random(260) < 0.25
    held |= np.asarray(table["user_id"]) == 3  # a new user
    past, test = table.filter(pa.array(~held)), table.filter(pa.array(held))
    extra = pa.table({"user_id": [1, 5], "item_id": [999, 998]})  # unknown items
    test = pa.concat_tables([test, extra])
    config = EvaluationConfig(
        k=(5,),
        seen=seen,
        queries=QueriesConfig(per="user", min_history=0, targets="all"),
        list_baselines=(PopularityConfig(),),
    )
    asked = queries.build(past, test, config.queries, config.seen)
    index = ItemIndex(pa.array(sorted(set(past["item_id"].to_pylist()))))
    scores = rng.random((len(asked), len(index))).astype(np.float32)

    def score(part: slice) -> np.ndarray:
        values = scores[part].copy()
        if asked.mask:
            mask_seen(values, Histories.of(asked.histories, index).part(part.start, part.stop))
        return values

    negatives = drawn.draw(asked, index.ids, SampledConfig(negatives=4, seed=1))
    ranker = rankers.Ranker("random", index, score)
    found = evaluate((past, test), asked, [ranker], config, negatives)
    rows = {(r.slice, r.metric, r.k): r.value for r in found.rows if r.model == "random"}
    full, sampled = [], []
    for q, user in enumerate(asked.users.to_pylist()):
        history = [r["item_id"] for r in past.to_pylist() if r["user_id"] == user]
        right = {r["item_id"] for r in test.to_pylist() if r["user_id"] == user}
        right = [i for i in right if seen == "keep" or i not in history]
        by_item = dict(zip(index.ids.to_pylist(), scores[q].tolist(), strict=True))
        some = negatives.items.filter(pa.array(negatives.query == q)).to_pylist()
        assert len(set(some)) == len(some) == 4
        assert not set(some) & (set(right) | set(history))
        if right:
            among = [i for i in right if i in by_item] + some
            full.append(plain(by_item, history, right, list(by_item), seen, 5))
            sampled.append(plain(by_item, history, right, among, seen, 5))
    assert len(full) == 12
    assert rows["all", "ndcg", 5] == pytest.approx(np.mean(full), abs=1e-9)
    assert rows["sampled", "sampled_ndcg", 5] == pytest.approx(np.mean(sampled), abs=1e-9)
    assert rows["sampled", "sampled_ndcg", 5] > rows["all", "ndcg", 5]
    assert ("unknown_as_miss", "ndcg", 5) not in rows
    assert found.values["ndcg@5"].to_pylist() == pytest.approx(full, abs=1e-9)
    kept = drawn.as_table(asked, negatives)
    assert kept.column_names == ["user_id", "item_id"]
    assert kept.num_rows == 48
    assert drawn.as_table(asked, None).num_rows == 0
    again = drawn.draw(asked, index.ids, SampledConfig(negatives=4, seed=1))
    assert again.items.equals(negatives.items)


def test_every_item_that_is_neither_met_nor_right_is_drawn_as_often() -> None:
    past = pa.table({"user_id": range(3000), "item_id": [q % 6 for q in range(3000)]})
    test = pa.table({"user_id": range(3000), "item_id": [(q + 2) % 6 for q in range(3000)]})
    asked = queries.build(
        past, test, QueriesConfig(per="user", min_history=1, targets="all"), "mask"
    )
    known = pa.array(range(6))
    found = drawn.draw(asked, known, SampledConfig(negatives=2, seed=3))
    users = np.asarray(asked.users)[found.query]
    steps = np.bincount((np.asarray(found.items) - users) % 6, minlength=6)
    assert steps[[0, 2]].tolist() == [0, 0]
    np.testing.assert_allclose(steps[[1, 3, 4, 5]], 1500, atol=4 * np.sqrt(3000) / 2)


def test_slices_take_their_own_targets(
    parts: tuple[pa.Table, pa.Table], source: CandidateSource
) -> None:
    config = CONFIG.model_copy(
        update={
            "k": (5,),
            "slices": (
                ColumnSlice(column="genre"),
                ColumnSlice(source="user", column="age", bounds=(0, 10)),
                ActivitySlice(bounds=(50,)),
            ),
        }
    )
    asked = queries.build(*parts, config.queries)
    compared = rankers.retrieval_rankers(parts[0], asked, config, source)
    found = evaluate(parts, asked, compared, config)
    rows = {(r.slice, r.metric): r for r in found.rows if r.model == "popularity" and r.k == 5}
    young = [age < 10 for age in asked.users.to_pylist()]
    by_query = found_values(found, "popularity", asked, parts, source)
    owners = asked.owners
    means = [np.nanmean(by_query[(owners == u) & young]) for u in set(owners[young].tolist())]
    assert rows["age:0-9", "recall"].value == pytest.approx(np.mean(means), abs=1e-9)
    assert rows["age:0-9", "recall"].users == len(means)
    both = [rows[f"genre:{name}", "recall"].value for name in ("a", "b")]
    assert min(both) <= rows["all", "recall"].value <= max(both)
    assert {name for name, _ in rows} >= {"earlier_events:0-49", "earlier_events:50+"}
    assert set(found.values["slices"].to_pylist()[0]) <= {name for name, _ in rows}


def found_values(
    found: lists.ListsResult,
    name: str,
    asked: queries.Queries,
    parts: tuple[pa.Table, pa.Table],
    source: CandidateSource,
) -> np.ndarray:
    """Recall at 5 of each query, by asking for one ranker alone: the last one's values are kept."""
    config = CONFIG.model_copy(update={"k": (5,)})
    compared = rankers.retrieval_rankers(parts[0], asked, config, source)
    single = [ranker for ranker in compared if ranker.name == name]
    return np.asarray(evaluate(parts, asked, single, config).values["recall@5"])


def test_lists_are_described(parts: tuple[pa.Table, pa.Table], source: CandidateSource) -> None:
    config = CONFIG.model_copy(update={"diversity": CategoryDiversity(column="genre"), "k": (5,)})
    asked = queries.build(*parts, config.queries)
    compared = rankers.retrieval_rankers(parts[0], asked, config, source)
    found = evaluate(parts, asked, compared, config)
    rows = {(r.model, r.metric): r for r in found.rows if r.slice == "all"}
    met = parts[0].group_by(["user_id", "item_id"]).aggregate([])
    counts = dict.fromkeys(range(80), 0)
    for item in met["item_id"].to_pylist():
        counts[item] += 1
    assert 0 <= rows["popularity", "novelty"].value <= np.log2(15)
    assert rows["popularity", "popularity"].value <= max(counts.values())
    assert rows["popularity", "popularity"].value > np.mean(list(counts.values()))
    assert 0 < rows["popularity", "gini"].value < 1
    assert 0 < rows["popularity", "diversity"].value < 1
    assert rows["popularity", "repetition"].value > 0.5  # only what is bought leaves the list
    assert rows["queries", "popularity"].value == pytest.approx(
        targets_popularity(asked, counts), abs=1e-9
    )
    for metric in ("novelty", "popularity", "diversity", "repetition"):
        row = rows["item_knn", metric]
        assert row.ci_low <= row.value <= row.ci_high


def test_categories_that_are_no_texts_are_told(parts: tuple[pa.Table, pa.Table]) -> None:
    asked = queries.build(*parts, CONFIG.queries)
    items = pa.table({"item_id": range(80), "genre": [{"a": 1}] * 80})
    with pytest.raises(DataError, match=r"diversity: 'genre' holds struct.*choose a column of"):
        Catalogue(parts[0], items, asked, CategoryDiversity(column="genre"))


def targets_popularity(asked: queries.Queries, counts: dict[int, int]) -> float:
    values = defaultdict(lambda: defaultdict(list))
    for query, item in zip(asked.known.query.tolist(), asked.known.items.to_pylist(), strict=True):
        values[asked.owners[query]][query].append(counts[item])
    return float(np.mean([np.mean([np.mean(q) for q in u.values()]) for u in values.values()]))


def test_drawing_the_graph_imports_no_engine() -> None:
    code = (
        "import sys; from reclife.pipelines.evaluation.pipeline import create_pipeline; "
        "nodes = [n.name for n in create_pipeline().nodes]; print(nodes[-1]); "
        "engines = {'tensorflow', 'keras', 'pyspark', 'sklearn', 'onnxruntime', "
        "'great_expectations', 'plotly'}; sys.exit(len(engines & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "validate" in done.stdout
