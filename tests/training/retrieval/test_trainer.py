"""A step of a retriever's training."""

import numpy as np
import pyarrow as pa
import pytest

from reclife.config.neural import MatrixFactorizationConfig, SASRecConfig
from reclife.models.retrieval import build
from reclife.retrieval.interactions import Interactions
from reclife.training.retrieval.batches import Batch
from reclife.training.retrieval.objective import Objective
from reclife.training.retrieval.trainer import Trainer


def test_batches_of_all_sizes_share_one_graph() -> None:
    """Tracing takes seconds: windows of many lengths must not each cost a graph."""
    events = pa.table({"user_id": [1] * 6, "item_id": [10, 20, 30, 40, 50, 60]})
    interactions = Interactions.of(events)
    config = SASRecConfig(embedding_dim=4, max_length=6)
    objective = Objective(config.loss, interactions.columns, len(interactions.index))
    trainer = Trainer(build(config, interactions.matrix), objective, config, steps=4)
    for users, length in [(1, 2), (3, 5), (2, 3), (4, 6)]:
        places = np.arange(users * length)
        history = 1 + places.reshape(users, length) % 6
        inputs = {"history": history, "places": places}
        loss = trainer.step(Batch(inputs, places, (places + 1) % 6))
        assert np.isfinite(float(loss))
    assert trainer._step.experimental_get_tracing_count() == 1


def rates(**declared: object) -> list[float]:
    """Return how far each of four steps moves an item's bias, over the declared learning rate.

    Of a gradient that stays the same, a step of Adam moves everything by the rate.
    """
    events = pa.table({"user_id": [1, 1], "item_id": [10, 20]})
    interactions = Interactions.of(events)
    config = MatrixFactorizationConfig(embedding_dim=1, learning_rate=1e-4, **declared)
    objective = Objective(config.loss, interactions.columns, len(interactions.index))
    model = build(config, interactions.matrix)
    trainer = Trainer(model, objective, config, steps=4)
    moved = [model.bias.numpy().copy()]
    for _ in range(4):
        trainer.step(Batch({"user": np.array([0])}, np.array([0]), np.array([0])))
        moved.append(model.bias.numpy().copy())
    return (np.diff([bias[0] for bias in moved]) / config.learning_rate).tolist()


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        (None, [1 / 1.04, 0.75, 0.5, 0.25]),
        ({"kind": "constant", "warmup_steps": 1}, [0.5, 1, 1, 1]),
        ({"kind": "step", "every_steps": 2, "factor": 0.1}, [1, 1, 0.1, 0.1]),
        ({"kind": "cosine"}, [1, 0.5 + 0.5**1.5, 0.5, 0.5 - 0.5**1.5]),
    ],
)
def test_the_rate_follows_the_schedule(schedule: object, expected: list[float]) -> None:
    assert rates(schedule=schedule) == pytest.approx(expected, rel=1e-2)


def test_clipping_bounds_what_adam_sees() -> None:
    """A gradient far below epsilon of Adam, 1e-8, moves nothing."""
    tiny = {"kind": "value", "limit": 1e-11}
    constant = {"kind": "constant"}
    assert rates(schedule=constant) == pytest.approx([1, 1, 1, 1], rel=1e-2)
    assert max(rates(schedule=constant, clipping=tiny)) < 0.01
