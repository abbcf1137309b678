"""How one evaluated expectation is written down and read out."""

from collections.abc import Iterable

from reclife.contracts import ExpectationOutcome, SuiteOutcome

EXAMPLES = 5
"""How many offending values a report shows."""


def outcome(
    expectation: str,
    column: str | None,
    expected: str,
    success: bool,
    observed: str,
    *,
    unexpected: int | None = None,
    examples: Iterable[object] = (),
    exception: str | None = None,
) -> ExpectationOutcome:
    """Build an outcome; the examples are cut to a few short strings."""
    shown = tuple(_short(value) for value, _ in zip(examples, range(EXAMPLES), strict=False))
    return ExpectationOutcome(
        expectation=expectation,
        column=column,
        expected=expected,
        success=success,
        observed=observed,
        unexpected_count=unexpected,
        examples=shown,
        exception=exception,
    )


def counted(unexpected: int, rows: int) -> str:
    """Say how many rows break an expectation."""
    return f"{unexpected:,} of {rows:,} rows break it"


def sentence(dataset: str, found: ExpectationOutcome) -> str:
    """Say in one sentence what was expected of `dataset` and what was found."""
    where = f"{dataset}.{found.column}" if found.column else dataset
    what = f"could not be evaluated ({found.exception})" if found.exception else found.observed
    examples = f", e.g. {', '.join(found.examples)}" if found.examples else ""
    return f"{where}: expected {found.expected}; {what}{examples}"


def failures(suite: SuiteOutcome) -> list[ExpectationOutcome]:
    """Return the failed outcomes worth telling: causes, not their consequences.

    An empty table, or a column that is missing or of the wrong type, fails more than one
    expectation; the first one says it all.
    """
    failed = [found for found in suite.outcomes if not found.success]
    told = [found for found in failed if found.expectation == "rows"]
    if told and suite.rows == 0:
        return told
    broken = {found.column for found in failed if found.expectation == "column_type"}
    return [
        found
        for found in failed
        if found.expectation == "column_type" or found.column not in broken
    ]


def _short(value: object, limit: int = 60) -> str:
    text = str(value)
    return text if len(text) <= limit else f"{text[: limit - 3]}..."
