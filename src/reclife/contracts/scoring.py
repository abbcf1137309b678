"""What scoring reports."""

from reclife.contracts.base import Contract


class ScoringReport(Contract):
    """`scoring.json`."""

    run_id: str
    model_run_id: str
    date: str
    users: int
    cold_users: int
    rows: int
    candidates: int
    rows_per_second: float
    path: str
    leaking: bool = False
    """As in `FeatureSpec`: the model was trained and judged on such a split."""
