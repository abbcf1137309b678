"""What evaluation lets stand on a list is what scoring lets stand on one."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from reclife.config.evaluation import EvaluationConfig, QueriesConfig, SeenPolicy
from reclife.config.retrieval import CandidatesConfig, ItemKnnConfig
from reclife.evaluation import queries, rankers
from reclife.retrieval.candidates import CandidateSource
from reclife.scoring.candidates import candidates_of

USERS, ITEMS = 12, 30
SOURCE = ItemKnnConfig(neighbours=5)


@pytest.mark.parametrize("seen", ["mask", "keep"])
@pytest.mark.parametrize("per", ["user", "moment"])
def test_evaluation_and_scoring_list_the_same_items_of_the_same_history(
    per: str, seen: SeenPolicy, tmp_path: Path
) -> None:
    rng = np.random.default_rng(3)
    log = pa.table(
        {
            "user_id": rng.integers(0, USERS, 240),
            "item_id": rng.integers(0, ITEMS, 240),
            "timestamp": np.sort(rng.integers(0, 90, 240)),
        }
    )
    later = np.asarray(log["timestamp"]) >= 60
    later |= np.asarray(log["user_id"]) == 4  # no history before the test part
    past, test = log.filter(pa.array(~later)), log.filter(pa.array(later))
    asked_for = QueriesConfig.model_validate({"per": per, "min_history": 0})
    config = EvaluationConfig(list_baselines=(SOURCE,), queries=asked_for, seen=seen)
    asked = queries.build(past, test, config.queries, config.seen)
    source = CandidateSource.fit(past, CandidatesConfig(source=SOURCE))
    source.save(tmp_path)
    (ranker,) = rankers.retrieval_rankers(past, asked, config, source)
    scores = ranker.scores(slice(0, len(asked)))
    histories = asked.histories.cast(pa.list_(pa.int64()))
    batch = pa.RecordBatch.from_pydict(
        {"user_id": pa.array(np.arange(len(asked))), "history": histories}
    )
    scored = pa.Table.from_batches(candidates_of(batch, str(tmp_path), ITEMS, seen == "mask"))
    known = ranker.index.ids.to_pylist()
    for q, history in enumerate(asked.histories.to_pylist()):
        own = scored.filter(pa.array(np.asarray(scored["user_id"]) == q))["item_id"].to_pylist()
        finite = np.isfinite(scores[q])
        order = np.argsort(-scores[q], kind="stable")
        assert own == [known[column] for column in order if finite[column]]
        met = set(history) & set(known)
        assert met & set(own) == (met if seen == "keep" else set())
