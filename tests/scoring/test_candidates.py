"""The candidates of a batch of users: unseen items, or any."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from reclife.config.retrieval import CandidatesConfig, ItemKnnConfig
from reclife.retrieval.candidates import CandidateSource
from reclife.scoring.candidates import candidates_of


@pytest.mark.parametrize("exclude_seen", [True, False])
def test_seen_items_are_candidates_only_where_they_may_be(
    tmp_path: Path, exclude_seen: bool
) -> None:
    rng = np.random.default_rng(0)
    past = pa.table({"user_id": rng.integers(0, 20, 300), "item_id": rng.integers(0, 12, 300)})
    (tmp_path / "source").mkdir()
    CandidateSource.fit(past, CandidatesConfig(source=ItemKnnConfig())).save(tmp_path / "source")
    histories = [[3, 4, 5], [], [7]]
    batch = pa.record_batch(
        {"user_id": [1, 2, 3], "history": pa.array(histories, pa.list_(pa.int64()))}
    )
    found = pa.Table.from_batches(candidates_of(batch, str(tmp_path / "source"), 12, exclude_seen))
    for user, history in zip([1, 2, 3], histories, strict=True):
        own = {row["item_id"] for row in found.to_pylist() if row["user_id"] == user}
        assert own == set(range(12)) - (set(history) if exclude_seen else set())
