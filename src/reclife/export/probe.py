"""Lowers a freshly built model before training: one that cannot be exported fails at once."""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from reclife.contracts import Feature, FeatureSpec
from reclife.export.lower import to_onnx
from reclife.export.parity import compare, require

if TYPE_CHECKING:
    import pyarrow as pa

    from reclife.models.ranking import RankingModel

ROWS = 16
TOLERANCE = 1e-5


def check_exportable(model: "RankingModel", spec: FeatureSpec) -> None:
    """Lower `model` and hold the graph against it on a few random rows.

    Raises:
        ExportError: The model cannot be lowered, or its graph gives other scores.
    """
    from reclife.models.saved import predict_tasks

    table = random_rows(model.features, spec, ROWS, seed=0)
    with tempfile.TemporaryDirectory(prefix="reclife-probe-") as folder:
        path = Path(folder) / "probe.onnx"
        to_onnx(model, spec, path)
        expected = predict_tasks(model, table)
        require(compare(path, "untrained", "the model", expected, table, spec, TOLERANCE))


def random_rows(
    features: tuple[Feature, ...], spec: FeatureSpec, rows: int, seed: int
) -> "pa.Table":
    """Return rows of random values that respect every feature's kind, shape and table size."""
    import pyarrow as pa

    rng = np.random.default_rng(seed)
    return pa.table({f.name: _random_column(f, spec, rows, rng) for f in features})


def _random_column(
    feature: Feature, spec: FeatureSpec, rows: int, rng: np.random.Generator
) -> "pa.Array":
    import pyarrow as pa

    shape = (rows, *feature.shape)
    values: np.ndarray
    if feature.table is not None:
        values = rng.integers(0, spec.table(feature.table).size, shape)
    elif feature.kind == "weights":
        values = rng.random(shape, np.float32)
    else:
        values = rng.standard_normal(shape, np.float32)
    flat = pa.array(values.reshape(-1))
    if not feature.shape:
        return flat
    offsets = np.arange(rows + 1, dtype=np.int32) * int(np.prod(feature.shape))
    return pa.ListArray.from_arrays(pa.array(offsets), flat)
