"""Events set aside to choose the number of epochs on: who is judged, and by what."""

import numpy as np
import pyarrow as pa
import pytest

from reclife.config.neural import LastHoldoutConfig, ShareHoldoutConfig
from reclife.errors import TrainingError
from reclife.retrieval.interactions import Interactions
from reclife.training.retrieval.holdout import hold_out


def log(users: int, events: int) -> Interactions:
    generator = np.random.default_rng(3)
    table = pa.table(
        {
            "user_id": np.repeat(np.arange(users), events),
            "item_id": np.concatenate([generator.permutation(50)[:events] for _ in range(users)]),
            "timestamp": np.tile(np.arange(events), users),
        }
    )
    return Interactions.of(table)


def test_only_users_of_whom_something_is_set_aside_are_judged():
    found = hold_out(log(40, 4), ShareHoldoutConfig(share=0.2), seed=1)
    assert set(found.query) == set(range(len(found.histories)))
    assert 0 < len(found.histories) < 40
    assert len(found.kept.columns) + len(found.targets) == 160


def test_of_each_user_the_last_event_is_set_aside():
    found = hold_out(log(6, 3), LastHoldoutConfig(), seed=1)
    assert len(found.histories) == len(found.targets) == 6
    assert len(found.kept.columns) == 12


@pytest.mark.parametrize(("events", "share"), [(1, 0.9), (2, 1e-9)])
def test_nothing_set_aside_is_refused(events, share):
    with pytest.raises(TrainingError, match="declare a larger share"):
        hold_out(log(5, events), ShareHoldoutConfig(share=share), seed=1)
