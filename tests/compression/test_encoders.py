"""The encoders of trained retrievers keep their lists when their tables are made smaller."""

from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from scipy import sparse

from reclife.compression.methods import METHODS
from reclife.compression.row_int8 import quantize_rows
from reclife.config.compression import RowInt8Config
from reclife.config.neural import (
    BERT4RecConfig,
    GSASRecConfig,
    SASRecConfig,
    SequenceModelConfig,
    TwoTowerConfig,
)
from reclife.export.encoder import encoder_to_onnx
from reclife.models.retrieval import build
from reclife.models.retrieval.sequence import SequenceModel

ITEMS, LENGTH = 500, 12
SHAPE = {"embedding_dim": 32, "max_length": LENGTH}
KINDS: list[SequenceModelConfig] = [
    TwoTowerConfig(**SHAPE),
    SASRecConfig(**SHAPE),
    GSASRecConfig(**SHAPE),
    BERT4RecConfig(**SHAPE),
]


@pytest.mark.parametrize("config", KINDS, ids=lambda config: config.kind)
def test_smaller_and_the_same_lists(config: SequenceModelConfig, tmp_path: Path) -> None:
    model = build(config, sparse.csr_array((1, ITEMS)))
    assert isinstance(model, SequenceModel)
    original, smaller = tmp_path / "original.onnx", tmp_path / "smaller.onnx"
    original.write_bytes(encoder_to_onnx(model))
    METHODS["row_int8"](original, smaller, RowInt8Config(min_rows=100), None)  # type: ignore[arg-type]
    assert _table_bytes(smaller) < 0.3 * _table_bytes(original)
    history = np.random.default_rng(0).integers(1, ITEMS + 1, (200, LENGTH))
    before, after = (
        ort.InferenceSession(path).run(["query"], {"history": history})[0]
        for path in (original, smaller)
    )
    items = model.table[1:].numpy()
    codes, scale = quantize_rows(items)
    scores = before @ items.T, after @ (codes * scale).T
    lists = [np.argsort(-some)[:, :10] for some in scores]
    kept = [len(np.intersect1d(*pair)) for pair in zip(*lists, strict=True)]
    assert np.mean(kept) > 9.5
    assert np.abs(after - before).max() > 0


def _table_bytes(path: Path) -> int:
    weights = onnx.load(path).graph.initializer
    return sum(len(one.raw_data) for one in weights if max(one.dims, default=0) >= ITEMS)
