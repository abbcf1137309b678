"""Nodes of the export stage."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from reclife.config.export import ExportConfig
from reclife.contracts import (
    Calibrations,
    CompressionReport,
    EvaluationReport,
    ExportReport,
    FeatureSpec,
    Origin,
    ValidationReport,
)


def check_parity(
    model: Path,
    compressed_model: Path,
    feature_spec: FeatureSpec,
    test: pa.Table,
    config: ExportConfig,
    run_id: str,
) -> tuple[ExportReport, pa.Table]:
    """Return the parity report of the graphs, and the golden rows it was taken on."""
    from reclife.export.report import parity_report, pick_golden
    from reclife.models.saved import load_model

    golden = pick_golden(test, config.golden_rows)
    trained = load_model(model, feature_spec)
    report = parity_report(trained, compressed_model, feature_spec, golden, config, run_id)
    return report, golden


def write_bundle(
    model: Path,
    compressed_model: Path,
    feature_state: Path,
    candidates: Path,
    feature_spec: FeatureSpec,
    evaluation: EvaluationReport,
    calibrations: Calibrations,
    compression_report: CompressionReport,
    export_report: ExportReport,
    golden: pa.Table,
    items: pa.Table,
    origin: Origin,
) -> Callable[[Path], None]:
    """Return the writer of the bundle."""
    from reclife.export.bundle import Parts, write

    parts = Parts(
        origin=origin,
        model=model,
        compressed=compressed_model,
        state=feature_state,
        candidates=candidates,
        spec=feature_spec,
        evaluation=evaluation,
        calibrations=calibrations,
        compression=compression_report,
        export=export_report,
        golden=golden,
        items=items,
    )
    return partial(write, parts)


def validate(
    bundle: Path, export_report: ExportReport, expectations: dict[str, Any], run_id: str
) -> ValidationReport:
    """Open the bundle as scoring will, and hold the parity table against its suite."""
    from reclife.datasets.bundle import Bundle
    from reclife.validation.stage import validate_stage

    Bundle.open(bundle)
    return validate_stage("export", {"export_report": export_report.parity}, expectations, run_id)
