"""Checks on a table's frame: how many rows, which columns, of which types."""

from reclife.config.validation import SuiteConfig
from reclife.contracts import ExpectationOutcome
from reclife.validation.outcomes import outcome
from reclife.validation.tables import Table


def check_structure(table: Table, suite: SuiteConfig) -> list[ExpectationOutcome]:
    """Return one outcome for the row count and one per declared column."""
    return [_rows(table, suite), *(_column(table, suite, name) for name in suite.columns)]


def _rows(table: Table, suite: SuiteConfig) -> ExpectationOutcome:
    enough = table.rows >= suite.min_rows or (suite.allow_empty and table.rows == 0)
    observed = f"it has {table.rows:,}" if table.rows else "it is empty"
    return outcome("rows", None, f"at least {suite.min_rows:,} row(s)", enough, observed)


def _column(table: Table, suite: SuiteConfig, name: str) -> ExpectationOutcome:
    rule = suite.columns[name]
    expected = f"a column of type {' or '.join(rule.types)}"
    found = table.types.get(name)
    if found is None:
        present = ", ".join(table.types)
        observed = f"it is missing (present: {present})" if rule.required else "absent, optional"
        return outcome("column_type", name, expected, not rule.required, observed)
    # a column of nulls only has no type of its own: its values are judged by the expectations
    fits = found in rule.types or found == "void"
    return outcome("column_type", name, expected, fits, f"its type is {found}")
