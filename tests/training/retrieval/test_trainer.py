"""A step of a retriever's training."""

import numpy as np
import pyarrow as pa

from reclife.config.neural import SASRecConfig
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
