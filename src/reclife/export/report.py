"""The parity report: the float graph against the model, the shipped one against itself."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from reclife.config.export import ExportConfig
from reclife.contracts import ExportReport, FeatureSpec
from reclife.errors import DataError
from reclife.export.bundle import read_chosen
from reclife.export.graph import open_graph, run_tasks
from reclife.export.parity import compare, require

if TYPE_CHECKING:
    import pyarrow as pa

    from reclife.models.ranking import RankingModel


def pick_golden(examples: "pa.Table", rows: int) -> "pa.Table":
    """Return `rows` rows at equal distances over the examples (all, when there are no more).

    Raises:
        DataError: There are no examples.
    """
    if examples.num_rows == 0:
        raise DataError("The test examples are empty: there is nothing to hold the graphs against.")
    count = min(rows, examples.num_rows)
    return examples.take(np.linspace(0, examples.num_rows - 1, count).astype(np.int64))


def parity_report(
    model: "RankingModel",
    compressed: Path,
    spec: FeatureSpec,
    golden: "pa.Table",
    config: ExportConfig,
    run_id: str,
) -> ExportReport:
    """Compare both graphs over the golden rows.

    The float graph is held against the trained model. The shipped graph, when compressed, is held
    against its own scores at the full batch: what it lost is the compression report's matter, here
    it must not depend on batch and order. It is optimised, as in scoring: of a value on the edge of
    two of its 256 levels the last bit decides, and that bit depends on the optimiser.

    Raises:
        ExportError: A comparison lies beyond its tolerance.
    """
    from reclife.models.saved import predict_tasks

    chosen = read_chosen(compressed)
    original = compressed / chosen.graphs["original"]
    shipped = compressed / chosen.graphs[chosen.variant]
    expected = predict_tasks(model, golden)
    rows = compare(original, "original", "model", expected, golden, spec, config.tolerance)
    if chosen.variant != "original":
        itself = run_tasks(open_graph(shipped), golden, spec)
        tolerance = config.execution_tolerance
        rows += compare(
            shipped, chosen.variant, "itself", itself, golden, spec, tolerance, levels=("all",)
        )
    require(rows)
    return ExportReport(
        run_id=run_id,
        variant=chosen.variant,
        graph_bytes=shipped.stat().st_size,
        inputs=tuple(value.name for value in open_graph(shipped).get_inputs()),
        golden_rows=golden.num_rows,
        parity=rows,
    )
