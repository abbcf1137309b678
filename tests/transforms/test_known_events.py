"""What lies before the test part, and what in it, by hand."""

import pyarrow as pa
from tests.measured import feature_stats

from reclife.contracts import FeatureSpec, FeatureStats
from reclife.transforms.engine.known_events import divide

SPEC = FeatureSpec(features=(), tables=(), state_hash="")
Pairs = list[tuple[int, int]]


def stats(cut: int | None) -> FeatureStats:
    return feature_stats(test_start=cut, leaking=cut is None)


def table(*rows: tuple[int, int, float], times: list[int] | None = None) -> pa.Table:
    """Rows of user, item and label."""
    users, items, labels = ([row[i] for row in rows] for i in range(3))
    columns = {"user_id": users, "item_id": items, "label": pa.array(labels, pa.float64())}
    return pa.table(columns | ({"timestamp": times} if times else {}))


def drawn(examples: pa.Table, chances: list[float]) -> pa.Table:
    return examples.append_column("sampling_probability", pa.array(chances, pa.float32()))


def pairs(events: pa.Table) -> Pairs:
    return list(zip(events["user_id"].to_pylist(), events["item_id"].to_pylist(), strict=True))


def test_by_the_cut() -> None:
    log = table((1, 5, 1.0), (1, 6, 1.0), (2, 5, 1.0), times=[1, 9, 10])
    before, after = divide(log, log, log, log, SPEC, stats(9))
    assert (pairs(before), pairs(after)) == ([(1, 5)], [(1, 6), (2, 5)])


def test_by_the_examples_one_of_both_parts_lies_before() -> None:
    log = table((1, 5, 1.0), (1, 6, 1.0), (2, 5, 1.0), (2, 6, 1.0))
    known, none = log.slice(0, 1), log.slice(0, 0)
    for train, validation in ((known, none), (none, known)):
        before, after = divide(log, train, validation, log.slice(0, 3), SPEC, stats(None))
        assert (pairs(before), pairs(after)) == ([(1, 5)], [(1, 6), (2, 5)])


def test_a_later_event_of_a_pair_is_another_event() -> None:
    log = table((1, 5, 1.0), (1, 5, 1.0), times=[1, 500])
    before, after = divide(log, log.slice(0, 1), log.slice(0, 0), log, SPEC, stats(None))
    assert before["timestamp"].to_pylist() == [1]
    assert after["timestamp"].to_pylist() == [500]


def test_what_was_drawn_as_a_negative_in_training_was_not_met_by_then() -> None:
    """User 1 met item 5 in training; items 6 and 7 were drawn there, and item 6 is met in test."""
    log = table((1, 5, 1.0), (1, 6, 1.0), (2, 7, 1.0))
    train = drawn(table((1, 5, 1.0), (1, 6, 0.0), (1, 7, 0.0)), [1.0, 0.25, 0.25])
    test = drawn(table((1, 6, 1.0), (1, 5, 0.0), (2, 7, 1.0)), [1.0, 0.25, 1.0])
    before, after = divide(log, train, train.slice(0, 0), test, SPEC, stats(None))
    assert (pairs(before), pairs(after)) == ([(1, 5)], [(1, 6), (2, 7)])


def test_what_down_sampling_took_from_training_happened_there() -> None:
    """Of the four events of the training part one with label 0 stays; one has no label."""
    log = table((1, 4, 0.0), (1, 5, 1.0), (1, 6, 0.0), (2, 5, None), (2, 6, 0.0), (2, 7, 1.0))
    train, test = log.take([1, 2]), log.slice(4)
    spec = SPEC.model_copy(update={"negative_rate": 0.5})
    before, after = divide(log, train, log.slice(0, 0), test, spec, stats(None))
    assert (pairs(before), pairs(after)) == ([(1, 4), (1, 5), (1, 6)], [(2, 6), (2, 7)])
    before, _ = divide(log, train, log.slice(0, 0), test, SPEC, stats(None))
    assert pairs(before) == [(1, 5), (1, 6)]
