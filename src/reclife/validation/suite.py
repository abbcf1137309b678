"""One suite against one table, complete or failed."""

from collections.abc import Mapping

from reclife.config.validation import SuiteConfig
from reclife.contracts import ExpectationOutcome, FeatureSpec, SuiteOutcome
from reclife.validation.engine import check_expectations
from reclife.validation.features import check_features
from reclife.validation.outcomes import outcome
from reclife.validation.relations import check_foreign_key
from reclife.validation.structure import check_structure
from reclife.validation.tables import Table
from reclife.validation.targets import check_targets, targets


def run_suite(
    table: Table,
    suite: SuiteConfig,
    others: Mapping[str, Table],
    spec: FeatureSpec | None = None,
) -> SuiteOutcome:
    """Evaluate everything `suite` declares; what was declared but not evaluated is a failure."""
    outcomes = check_structure(table, suite)
    outcomes += check_expectations(table, suite)
    outcomes += [check_foreign_key(table, key, others) for key in suite.foreign_keys]
    if suite.features and spec:
        outcomes += check_features(table, spec) + check_targets(table, spec)
    return judge(table, declared_checks(suite, spec), outcomes)


def declared_checks(suite: SuiteConfig, spec: FeatureSpec | None) -> int:
    """Count the checks that `suite` declares: rows, columns, expectations, keys, features.

    With the features their labels and weights are checked.
    """
    features = len(spec.features) + len(targets(spec)) if spec else 1
    listed = len(suite.columns) + len(suite.expectations) + len(suite.foreign_keys)
    return 1 + listed + (features if suite.features else 0)


def judge(table: Table, declared: int, outcomes: list[ExpectationOutcome]) -> SuiteOutcome:
    """Sum up a suite; it holds when every declared check was evaluated and held."""
    if len(outcomes) != declared:
        outcomes = [*outcomes, _incomplete(declared, len(outcomes))]
    return SuiteOutcome(
        dataset=table.name,
        success=all(found.success for found in outcomes),
        rows=table.rows,
        declared=declared,
        outcomes=tuple(outcomes),
    )


def _incomplete(declared: int, evaluated: int) -> ExpectationOutcome:
    expected = f"{declared} declared checks to be evaluated"
    return outcome("evaluated", None, expected, False, f"{evaluated} were")
