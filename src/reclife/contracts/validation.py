"""What a stage's closing node found in the datasets that it checked."""

from reclife.contracts.base import Contract
from reclife.contracts.stages import Stage


class ExpectationOutcome(Contract):
    """One evaluated expectation: what was declared, what was found, and values that broke it."""

    expectation: str
    column: str | None
    expected: str
    success: bool
    observed: str
    unexpected_count: int | None
    examples: tuple[str, ...]
    exception: str | None


class SuiteOutcome(Contract):
    """One suite against one dataset: `declared` must equal the number of outcomes."""

    dataset: str
    success: bool
    rows: int
    declared: int
    outcomes: tuple[ExpectationOutcome, ...]


class ValidationReport(Contract):
    """What a stage's closing node found; written only when everything held."""

    run_id: str
    stage: Stage
    suites: tuple[SuiteOutcome, ...]
