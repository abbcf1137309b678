"""Five models through the whole measurement of lists: no flattery, and repeats bit by bit.

A constant, a random and a popular list, an oracle, and a popular list for one user in ten.
"""

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

from reclife.config.evaluation import EvaluationConfig, QueriesConfig, SampledConfig
from reclife.evaluation import drawn, lists, queries
from reclife.evaluation.catalogue import Catalogue
from reclife.evaluation.rankers import Ranker
from reclife.evaluation.slices import Entities
from reclife.retrieval.interactions import ItemIndex

USERS, ITEMS, K = 100, 60, 5
CONFIG = EvaluationConfig(
    k=(K,),
    seen="keep",
    slices=(),
    queries=QueriesConfig(per="user", min_history=0, targets="all"),
    sampled=SampledConfig(negatives=20, seed=4),
)
NOBODY = Entities(pa.table({"item_id": range(ITEMS)}), pa.table({"user_id": range(USERS)}))
Values = dict[tuple[str, str], float]


@pytest.fixture(scope="module")
def parts() -> tuple[pa.Table, pa.Table]:
    rng = np.random.default_rng(0)
    chances = 1 / np.arange(1, ITEMS + 1)
    users = np.repeat(np.arange(USERS), 12)
    items = rng.choice(ITEMS, len(users), p=chances / chances.sum())
    items[:ITEMS] = np.arange(ITEMS)  # everything is known
    late = np.tile(np.arange(12) >= 9, USERS)
    late[:ITEMS] = False
    table = pa.table({"user_id": users, "item_id": items})
    return table.filter(pa.array(~late)), table.filter(pa.array(late))


def measured(parts: tuple[pa.Table, pa.Table]) -> tuple[queries.Queries, lists.ListsResult]:
    past, test = parts
    asked = queries.build(past, test, CONFIG.queries, CONFIG.seen)
    index = ItemIndex(pa.array(range(ITEMS)))
    popular = np.bincount(np.asarray(past["item_id"]), minlength=ITEMS) + np.arange(ITEMS) / 1000
    right = np.zeros((len(asked), ITEMS))
    right[asked.known.query, asked.known.items.to_numpy()] = 1
    few = np.tile(popular, (len(asked), 1))
    few[asked.owners % 10 != 0] = -np.inf
    scores = {
        "constant": np.zeros_like(right),
        "random": np.random.default_rng(7).random(right.shape),
        "popularity": np.tile(popular, (len(asked), 1)),
        "oracle": right,
        "tenth": few,
    }

    def scorer(values: np.ndarray) -> Callable[[slice], np.ndarray]:
        return lambda part: values[part].astype(np.float32)

    rankers = [Ranker(name, index, scorer(values)) for name, values in scores.items()]
    negatives = drawn.draw(asked, index.ids, CONFIG.sampled)
    catalogue = Catalogue(past, NOBODY.items, asked, CONFIG.diversity)
    return asked, lists.evaluate(asked, rankers, CONFIG, catalogue, NOBODY, negatives)


@pytest.fixture(scope="module")
def values(parts: tuple[pa.Table, pa.Table]) -> Values:
    return {(row.model, row.metric): row.value for row in measured(parts)[1].rows}


def test_an_oracle_is_perfect_on_all_items_and_on_drawn_ones(values: Values) -> None:
    for metric in ("ndcg", "recall", "hit_rate", "mrr", "map"):
        assert values["oracle", metric] == pytest.approx(1.0, abs=1e-9), metric
        assert values["oracle", f"sampled_{metric}"] == pytest.approx(1.0, abs=1e-9), metric


def test_a_constant_gets_what_a_shuffled_list_is_expected_to(
    values: Values, parts: tuple[pa.Table, pa.Table]
) -> None:
    asked, _ = measured(parts)
    targets = asked.counted.per_query(len(asked))
    discounts = 1 / np.log2(np.arange(2, K + 2))
    ideal = np.cumsum(discounts)[np.minimum(targets, K) - 1]
    expected = {
        "recall": K / ITEMS,
        "precision": (targets / ITEMS).mean(),
        "ndcg": (targets / ITEMS * discounts.sum() / ideal).mean(),
        "hit_rate": 1 - stats.hypergeom.pmf(0, ITEMS, targets, K).mean(),
    }
    for metric, value in expected.items():
        assert values["constant", metric] == pytest.approx(value, abs=1e-9), metric


def test_who_knows_more_stands_higher_and_answering_few_comes_last(values: Values) -> None:
    for metric in ("ndcg", "recall", "precision", "hit_rate", "mrr", "map"):
        order = [values[model, metric] for model in ("oracle", "popularity", "random", "tenth")]
        assert order == sorted(order, reverse=True), metric
        assert values["random", metric] == pytest.approx(values["constant", metric], rel=0.35)
        assert values["constant", metric] > values["tenth", metric], metric
    assert values["tenth", "ndcg"] == pytest.approx(values["popularity", "ndcg"] / 10, rel=0.5)


def test_repeats_are_equal_bit_by_bit(parts: tuple[pa.Table, pa.Table]) -> None:
    first, second = measured(parts)[1], measured(parts)[1]
    assert first.rows == second.rows
    assert first.values.equals(second.values)
