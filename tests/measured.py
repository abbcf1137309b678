"""What stages measured, for tests of what reads it: little happened, unless a test says so."""

from typing import Any

from reclife.contracts import FeatureStats, TrainingReport


def feature_stats(**measured: Any) -> FeatureStats:
    """Return statistics of a split without a cut; `measured` replaces fields."""
    nothing: dict[str, Any] = {
        "validation_start": None,
        "test_start": None,
        "leaking": False,
        "label_mean": 0.5,
        "rows": {},
        "base_rates": {},
        "oov_rates": {},
        "vocabularies": {},
    }
    return FeatureStats(**nothing | measured)


def training_report(model_kind: str, run_id: str) -> TrainingReport:
    """Return the report of a training without a step."""
    return TrainingReport(
        run_id=run_id,
        model_kind=model_kind,
        seed=0,
        spec_hash="",
        epochs=(),
        best_epoch=0,
        refitted=False,
        steps=0,
        rows=0,
        seconds=0.0,
        rows_per_second=0.0,
        parameters=0,
        used_features=(),
        unused_features=(),
        validation={},
    )
