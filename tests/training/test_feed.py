"""Batches are made beside the steps that use them."""

import threading

import pytest

from reclife.training.feed import ahead


def test_the_next_batches_are_made_while_one_is_in_use():
    made: dict[int, threading.Event] = {i: threading.Event() for i in range(6)}

    def make(index: int) -> int:
        made[index].set()
        return index

    batches = ahead(make, range(6))
    assert next(batches) == 0
    assert made[1].wait(30)  # nobody has asked for it yet
    assert made[2].wait(30)
    assert not made[5].is_set()
    assert list(batches) == [1, 2, 3, 4, 5]


def test_what_goes_wrong_in_the_making_is_told_where_the_batch_is_used():
    def make(index: int) -> int:
        return 1 // (2 - index)

    batches = ahead(make, range(4))
    assert [next(batches), next(batches)] == [0, 1]
    with pytest.raises(ZeroDivisionError):
        next(batches)
