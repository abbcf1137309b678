"""Lowers the trained model, compresses it, and keeps a smaller graph if the budget holds."""

import logging
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, final

from reclife.compression.calibration import Calibration, spread
from reclife.compression.measure import VALIDATION_AUC, Scored, rows_of
from reclife.compression.methods import METHODS
from reclife.config.compression import BudgetConfig, CompressionConfig
from reclife.contracts import ChosenGraph, CompressionReport, CompressionRow, FeatureSpec
from reclife.export.graph import open_graph, run_tasks
from reclife.export.lower import to_onnx
from reclife.export.parity import compare
from reclife.runtime.files import write_atomically

if TYPE_CHECKING:
    import pyarrow as pa

    from reclife.models.ranking import RankingModel

ORIGINAL = "original"
CHOSEN = "chosen.json"
STEADY_ROWS, STEADY = 256, 1e-5
"""A row's score may not depend on its batch or the order of columns by more than this."""

log = logging.getLogger(__name__)


@final
@dataclass(frozen=True)
class Examples:
    """The rows of each split."""

    train: "pa.Table"
    validation: "pa.Table"
    test: "pa.Table"


@final
class Compressed:
    """All graphs, the choice between them and the report; the graphs live until it is dropped."""

    def __init__(self, work: "tempfile.TemporaryDirectory[str]", report: CompressionReport) -> None:
        self._work = work
        variants = dict.fromkeys(row.variant for row in report.rows)
        self.chosen = ChosenGraph(
            variant=report.chosen, graphs={name: f"{name}.onnx" for name in variants}
        )
        self.report = report

    def save(self, folder: Path) -> None:
        """Write `original.onnx`, a graph of each variant tried, and `chosen.json`."""
        for file in self.chosen.graphs.values():
            shutil.copyfile(Path(self._work.name) / file, folder / file)
        write_atomically(folder / CHOSEN, self.chosen.model_dump_json(indent=2) + "\n")


def compress(
    model: "RankingModel",
    spec: FeatureSpec,
    examples: Examples,
    config: CompressionConfig,
    run_id: str,
) -> Compressed:
    """Lower `model` and try the methods in turn until one keeps the budget.

    The budget is judged on validation; the test rows are reported beside.

    Raises:
        ExportError: The model cannot be lowered, or a quantized graph is unsound.
        DataError: A split lacks a column or is empty.
    """
    work = tempfile.TemporaryDirectory(prefix="reclife-compression-")
    original = Path(work.name) / f"{ORIGINAL}.onnx"
    to_onnx(model, spec, original)
    splits = {
        "validation": Scored.of(examples.validation, original, spec),
        "test": Scored.of(examples.test, original, spec),
    }
    calibration = Calibration(examples.train, spec)
    rows = list(rows_of(ORIGINAL, original, original, splits, spec))
    chosen = ORIGINAL
    for method in config.methods:
        variant = original.with_name(f"{method.name}.onnx")
        METHODS[method.kind](original, variant, method, calibration)
        found = rows_of(method.name, variant, original, splits, spec)
        rows += found
        reasons = over_budget(found, config.budget)
        reasons += _unsteady(method.name, variant, examples.validation, spec)
        if not reasons:
            chosen = method.name
            size = 100 / found[0].ratio
            log.info("Compression: %s is shipped, %.0f %% of the original's size.", chosen, size)
            break
        log.info("Compression: %s is outside the budget: %s.", method.name, "; ".join(reasons))
    if chosen == ORIGINAL:
        log.warning("No compressed variant keeps the budget: the original is shipped.")
    report = CompressionReport(run_id=run_id, rows=tuple(rows), chosen=chosen, leaking=spec.leaking)
    return Compressed(work, report)


def over_budget(rows: tuple[CompressionRow, ...], budget: BudgetConfig) -> list[str]:
    """Return what the variant costs beyond the budget, judged on its validation rows."""
    first = rows[0]
    checks = [
        (
            first.ratio < budget.min_ratio,
            f"its size is {100 / first.ratio:.0f} % of the original's",
        ),
        (first.max_abs_diff > budget.max_abs_diff, f"a score moves by {first.max_abs_diff:.3f}"),
        (
            first.top10_overlap < budget.min_top10_overlap,
            f"only {first.top10_overlap:.1%} of the ten best rows of a user stay",
        ),
        *(
            (-row.delta > budget.max_auc_drop, f"AUC falls by {-row.delta:.4f}")
            for row in rows
            if row.metric == VALIDATION_AUC
        ),
    ]
    return [reason for beyond, reason in checks if beyond]


def _unsteady(name: str, variant: Path, table: "pa.Table", spec: FeatureSpec) -> list[str]:
    sample = spread(table, STEADY_ROWS)
    expected = run_tasks(open_graph(variant), sample, spec)
    rows = compare(variant, name, "itself", expected, sample, spec, STEADY, levels=("all",))
    worst = max(row.max_abs_diff for row in rows)
    return [] if worst <= STEADY else [f"a row's score depends on how it is run, by {worst:.1e}"]
