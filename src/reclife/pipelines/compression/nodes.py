"""Nodes of the compression stage."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa

from reclife.config.compression import CompressionConfig
from reclife.contracts import CompressionReport, FeatureSpec, ValidationReport


def compress_model(
    model: Path,
    feature_spec: FeatureSpec,
    train: pa.Table,
    validation: pa.Table,
    test: pa.Table,
    config: CompressionConfig,
    run_id: str,
) -> tuple[Callable[[Path], None], CompressionReport]:
    """Return the writer of both graphs and the report on them."""
    from reclife.compression.compress import Examples, compress
    from reclife.models.saved import load_model

    trained = load_model(model, feature_spec)
    examples = Examples(train=train, validation=validation, test=test)
    compressed = compress(trained, feature_spec, examples, config, run_id)
    return compressed.save, compressed.report


def validate(
    compressed_model: Path,  # noqa: ARG001  saved before this node may run
    compression_report: CompressionReport,
    expectations: dict[str, Any],
    run_id: str,
) -> ValidationReport:
    """Hold the report against its suite."""
    from reclife.validation.stage import validate_stage

    tables = {"compression_report": compression_report.rows}
    return validate_stage("compression", tables, expectations, run_id)
