"""Every kind of model survives every compression method, at a bounded loss.

The labels are drawn from the original's own chances, so that any other score loses.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.models.zoo import DECLARED, SPEC, declared, scrambled, table

from reclife.compression.calibration import Calibration
from reclife.compression.methods import METHODS
from reclife.config.compression import CompressionConfig
from reclife.export.graph import open_graph, run_tasks
from reclife.export.lower import to_onnx
from reclife.export.parity import LEVELS, compare, require
from reclife.metrics.classification import auc, logloss
from reclife.models import build

pytestmark = pytest.mark.slow

ROWS = 4000
VARIANTS = {
    "int8": {"kind": "static_int8"},
    "int8_embeddings": {"kind": "static_int8", "parts": ["embeddings"]},
    "int8_rows": {"kind": "row_int8", "min_rows": 1},
}
MAX_LOSS, MAX_AUC_DROP, MAX_DRIFT = 0.01, 0.005, 0.15
"""Nats, AUC, and the largest change of a chance, which is that of the default budget."""


@pytest.fixture(scope="module")
def lowered(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Lowers a model with random weights, each kind once."""
    folder = tmp_path_factory.mktemp("kinds")

    def lower(kind: str) -> Path:
        path = folder / f"{kind}.onnx"
        if not path.exists():
            to_onnx(scrambled(build(declared(kind), SPEC, seed=1)), SPEC, path)
        return path

    return lower


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("kind", sorted(DECLARED))
def test_a_compressed_model_of_any_kind_loses_little(
    kind: str, variant: str, lowered: Callable[[str], Path], tmp_path: Path
) -> None:
    original, target = lowered(kind), tmp_path / "small.onnx"
    method = CompressionConfig.model_validate({"methods": [VARIANTS[variant]]}).methods[0]
    METHODS[method.kind](original, target, method, Calibration(table(2000, seed=5), SPEC))
    rows = table(ROWS, seed=6)
    before = run_tasks(open_graph(original), rows, SPEC)
    after = run_tasks(open_graph(target), rows, SPEC)
    labels = (np.random.default_rng(0).random(before.shape) < before).astype(float)
    assert np.abs(after - before).max() < MAX_DRIFT
    for task in range(before.shape[1]):
        truth, own, other = labels[:, task], before[:, task], after[:, task]
        assert logloss(truth, other) < logloss(truth, own) + MAX_LOSS
        assert auc(truth, other) > auc(truth, own) - MAX_AUC_DROP
    part = rows.slice(0, 300)
    # of a value on the edge of two levels the last bit decides, which depends on the optimiser
    levels = ("all",) if variant == "int8" else LEVELS
    require(compare(target, variant, "itself", after[:300], part, SPEC, 1e-5, levels))
