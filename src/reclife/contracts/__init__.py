"""What crosses a stage: reserved ids, feature specification, completion records, bundles, reports.

One module a stage, and what all share. No engine is imported here, so every stage, the scheduler
and a notebook read the same types.
"""

from reclife.contracts.base import Contract, digest
from reclife.contracts.calibration import Calibration, Calibrations, Isotonic, Platt
from reclife.contracts.columns import (
    EVENT,
    FIRST_ID,
    ITEM,
    LABEL,
    OOV_ID,
    ORDER,
    PADDING_ID,
    SAMPLING_PROBABILITY,
    SPLIT,
    TIME,
    USER,
    WEIGHT,
)
from reclife.contracts.compression import ChosenGraph, CompressionReport, CompressionRow
from reclife.contracts.evaluation import (
    ComparisonReport,
    ComparisonRow,
    EvaluationReport,
    EvaluationRow,
)
from reclife.contracts.export import BundleFile, BundleManifest, ExportReport, ParityRow
from reclife.contracts.features import EmbeddingTable, Feature, FeatureSpec, FeatureStats, Task
from reclife.contracts.ingest import IngestedDays, IngestReport, LabelReport, TableReport
from reclife.contracts.runs import Artifact, CompletionRecord, Origin, Pointer, RunInfo
from reclife.contracts.scoring import ScoringReport
from reclife.contracts.stages import STAGES, Stage
from reclife.contracts.training import EpochRow, ModelPart, ModelSummary, StageRow, TrainingReport
from reclife.contracts.validation import ExpectationOutcome, SuiteOutcome, ValidationReport

__all__ = [
    "EVENT",
    "FIRST_ID",
    "ITEM",
    "LABEL",
    "OOV_ID",
    "ORDER",
    "PADDING_ID",
    "SAMPLING_PROBABILITY",
    "SPLIT",
    "STAGES",
    "TIME",
    "USER",
    "WEIGHT",
    "Artifact",
    "BundleFile",
    "BundleManifest",
    "Calibration",
    "Calibrations",
    "ChosenGraph",
    "ComparisonReport",
    "ComparisonRow",
    "CompletionRecord",
    "CompressionReport",
    "CompressionRow",
    "Contract",
    "EmbeddingTable",
    "EpochRow",
    "EvaluationReport",
    "EvaluationRow",
    "ExpectationOutcome",
    "ExportReport",
    "Feature",
    "FeatureSpec",
    "FeatureStats",
    "IngestReport",
    "IngestedDays",
    "Isotonic",
    "LabelReport",
    "ModelPart",
    "ModelSummary",
    "Origin",
    "ParityRow",
    "Platt",
    "Pointer",
    "RunInfo",
    "ScoringReport",
    "Stage",
    "StageRow",
    "SuiteOutcome",
    "TableReport",
    "Task",
    "TrainingReport",
    "ValidationReport",
    "digest",
]
