"""The candidate source: policy, ties, fallback, persistence."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from reclife.config.retrieval import CandidatesConfig, ItemKnnConfig
from reclife.retrieval import candidates, pruning
from reclife.retrieval.candidates import CandidateSource
from reclife.retrieval.histories import Histories
from reclife.retrieval.interactions import ItemIndex

BIG = 2**53 + 1


def events(ids: pa.Array) -> pa.Table:
    """Items 0 and 1 are met together, item 2 by many, item 3 by one, item 4 by one, long ago."""
    pairs = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 2), (3, 2), (4, 2), (5, 3), (6, 4)]
    users, items = (np.array(column) for column in zip(*pairs, strict=True))
    times = np.where(items == 4, 0, 40_000_000)
    return pa.table({"user_id": users, "item_id": ids.take(pa.array(items)), "timestamp": times})


NUMBERS = pa.array([BIG, 7, -3, 2**62, 0], pa.int64())
WORDS = pa.array(["é", "007", "", "x y", "007 "], pa.string())
KNN = CandidatesConfig(source=ItemKnnConfig(shrinkage=0))


def lists(ids: pa.Array, *histories: list[int]) -> pa.Array:
    return pa.array([[ids[i].as_py() for i in h] for h in histories], pa.list_(ids.type))


@pytest.mark.parametrize("ids", [NUMBERS, WORDS], ids=["int64", "string"])
def test_neighbours_come_first_then_the_popular(ids: pa.Array) -> None:
    source = CandidateSource.fit(events(ids), KNN)
    top = source.top(lists(ids, [0], []), k=3)
    assert top["query"].to_pylist() == [0, 0, 0, 1, 1, 1]
    assert top["rank"].to_pylist() == [1, 2, 3, 1, 2, 3]
    assert top["retrieved"].to_pylist() == [True, False, False, False, False, False]
    assert top["item_id"].type == ids.type
    named = [ids.index(value).as_py() for value in top["item_id"]]
    assert named[:2] == [1, 2]  # its neighbour; then the most popular item that is unseen
    assert named[2] == 3  # more recent than item 4
    assert named[3] == 2  # without history: the popular ones
    assert set(named[4:]) == {0, 1}  # equally popular


def test_seen_items_are_left_out_or_kept_as_declared() -> None:
    source = CandidateSource.fit(events(NUMBERS), KNN)
    history = lists(NUMBERS, [0, 2, 3])
    unseen = source.top(history, k=5)
    assert set(unseen["item_id"].to_pylist()) == {7, 0}  # fewer than k are left
    everything = source.top(history, k=5, exclude_seen=False)
    assert set(everything["item_id"].to_pylist()) == set(NUMBERS.to_pylist())


def test_unknown_items_and_null_histories_are_no_history() -> None:
    source = CandidateSource.fit(events(NUMBERS), KNN)
    histories = pa.array([[123456], None, []], pa.list_(pa.int64()))
    top = source.top(histories, k=2)["item_id"].to_pylist()
    assert top[:2] == top[2:4] == top[4:]


def test_a_repeated_item_counts_once_at_its_newest_place() -> None:
    index = ItemIndex(pa.array([10, 20, 30]))
    histories = Histories.of(pa.array([[10, 20, 99, 10], [30]]), index)
    assert histories.offsets.tolist() == [0, 2, 3]
    assert histories.columns.tolist() == [1, 0, 2]
    assert histories.ages.tolist() == [1, 0, 0]


@pytest.mark.parametrize("ids", [NUMBERS, WORDS], ids=["int64", "string"])
def test_reloading_changes_nothing(ids: pa.Array, tmp_path: Path) -> None:
    source = CandidateSource.fit(events(ids), CandidatesConfig())
    source.save(tmp_path)
    again = CandidateSource.load(tmp_path)
    assert {p.suffix for p in tmp_path.iterdir()} == {".parquet", ".json"}
    assert again.config == source.config
    assert again.items.equals(source.items)
    histories = lists(ids, [0], [1, 2], [], [4, 3])
    assert again.top(histories, 4).equals(source.top(histories, 4))


def test_blocks_and_order_of_the_events_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    table = pa.table({"user_id": rng.integers(30, size=400), "item_id": rng.integers(40, size=400)})
    queries = pa.array(
        [rng.permutation(40)[: n % 9].tolist() for n in range(50)], pa.list_(pa.int64())
    )
    whole = CandidateSource.fit(table, CandidatesConfig()).top(queries, 10)
    monkeypatch.setattr(pruning, "BLOCK_CELLS", 100)
    assert len(list(candidates.blocks(50, 40))) > 10
    shuffled = table.take(pa.array(rng.permutation(400)))
    parts = CandidateSource.fit(shuffled, CandidatesConfig()).top(queries, 10)
    assert parts.drop(["score"]).equals(whole.drop(["score"]))
    np.testing.assert_allclose(parts["score"], whole["score"], rtol=1e-5)


def test_no_history_at_all_gives_an_empty_table() -> None:
    source = CandidateSource.fit(events(NUMBERS), KNN)
    top = source.top(pa.array([], pa.list_(pa.int64())), 3)
    assert top.num_rows == 0
    assert top.column_names == ["query", "rank", "item_id", "score", "retrieved"]
