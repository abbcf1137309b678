"""The list task on made-up data: re-ranking, empty cases, wiring."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

from reclife.config.evaluation import EvaluationConfig, QueriesConfig
from reclife.config.retrieval import CandidatesConfig, ItemKnnConfig, PopularityConfig
from reclife.contracts import ITEM
from reclife.pipelines.evaluation import lists, queries
from reclife.retrieval.candidates import CandidateSource

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
    rankers = lists.retrieval_rankers(parts[0], asked, CONFIG, source)
    rankers.append(lists.reranked("ours", source, found, scores))
    rows = lists.evaluate(asked, rankers, CONFIG).rows
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
    rankers = lists.retrieval_rankers(parts[0], asked, CONFIG, source)
    found = source.top(asked.histories, 5)
    rankers.append(lists.reranked("ours", source, found, np.asarray(found["score"])))
    result = lists.evaluate(asked, rankers, CONFIG)
    assert [(r.metric, r.value) for r in result.rows] == [("count", 0)]


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
