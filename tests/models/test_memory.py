"""A model that is larger than memory is a sentence."""

import numpy as np
import pytest
import tensorflow as tf
from tests.models.zoo import SPEC, declared

from reclife.errors import ConfigError
from reclife.models import build
from reclife.models.layers import dense


def test_a_table_larger_than_memory_is_refused():
    with pytest.raises(ConfigError, match=r"training\.model: the weights of fm do not fit"):
        build(declared("fm", embedding_dim=10**13), SPEC, seed=1)  # 1.6 petabytes of items


@pytest.mark.parametrize("error", [MemoryError(), tf.errors.ResourceExhaustedError(None, None, "")])
def test_a_layer_larger_than_memory_is_refused(error, monkeypatch):
    def start(*_: object) -> np.ndarray:
        raise error

    monkeypatch.setattr(dense, "_glorot", start)
    with pytest.raises(ConfigError, match="the weights of deepfm do not fit into memory"):
        build(declared("deepfm"), SPEC, seed=1)
