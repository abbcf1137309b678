"""What evaluation reports of a run, and of two runs held against each other."""

from reclife.contracts.base import Contract


class EvaluationRow(Contract):
    """One measured value; the interval is 95 %, by bootstrap over users, where there is one."""

    model: str
    task: str
    """`lists`, or what is predicted of an event."""
    split: str
    slice: str
    metric: str
    k: int | None
    value: float
    ci_low: float | None
    ci_high: float | None
    users: int | None


class EvaluationReport(Contract):
    """`evaluation.json`."""

    run_id: str
    rows: tuple[EvaluationRow, ...]
    leaking: bool = False
    """As in `FeatureSpec`."""


class ComparisonRow(Contract):
    """One metric of two runs on the same events or lists.

    The difference is `second - first`; its 95 % interval is by bootstrap over users. `p` is the
    chance of a difference as large between models that are alike; over slices it is adjusted for
    their number (Holm). Both are null where there is one user only.
    """

    task: str
    slice: str
    metric: str
    k: int | None
    first: float
    second: float
    difference: float
    ci_low: float | None
    ci_high: float | None
    p: float | None
    users: int


class ComparisonReport(Contract):
    """Two runs held against each other; `common` rows of each task were in both.

    `left_out` says what could not be compared, a sentence each.
    """

    first: str
    second: str
    models: tuple[str, str]
    rows_of_first: dict[str, int]
    rows_of_second: dict[str, int]
    common: dict[str, int]
    rows: tuple[ComparisonRow, ...]
    left_out: tuple[str, ...] = ()
