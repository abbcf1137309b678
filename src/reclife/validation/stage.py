"""The closing check of a stage: every table it wrote against its suite, then a verdict."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import final

from reclife.config.validation import SuiteConfig, read_suites
from reclife.contracts import STAGES, FeatureSpec, Stage, ValidationReport
from reclife.errors import ConfigError, ValidationFailed
from reclife.validation.declarations import check_declarations
from reclife.validation.outcomes import failures, sentence
from reclife.validation.suite import run_suite
from reclife.validation.tables import read

REPORT = "data/08_reporting/runs/{run_id}/validation/{stage}.html"
"""Where the page of a stage's report lies in a project."""


@final
class SuitesFailed(ValidationFailed):
    """Some suites of a stage did not hold; `report` holds every outcome."""

    def __init__(self, message: str, report: ValidationReport) -> None:
        super().__init__(message)
        self.report = report


def validate_stage(
    stage: Stage,
    tables: Mapping[str, object],
    expectations: Mapping[str, object],
    run_id: str,
    *,
    references: Mapping[str, object] | None = None,
    spec: FeatureSpec | None = None,
) -> ValidationReport:
    """Hold all persisted tables of `stage` against their suites.

    Args:
        stage: The stage that ends.
        tables: Dataset name -> Spark DataFrame, Arrow table, pandas frame, or rows of a report.
        expectations: Dataset name -> declared suite, of every stage.
        run_id: The run that wrote the tables.
        references: Further tables that foreign keys refer to; they are not validated again.
        spec: The specification of the examples among `tables`.

    Raises:
        ConfigError: a table without a suite, a suite without its table, or an unusable suite.
        SuitesFailed: some expectation did not hold; raised after all were evaluated.
    """
    suites = read_suites(expectations)
    _pair(stage, tables, suites, spec)
    own = {name: suites[name] for name in tables}
    check_declarations(own)
    read_tables = {name: read(name, data) for name, data in tables.items()}
    others = read_tables | {name: read(name, data) for name, data in (references or {}).items()}
    outcomes = tuple(run_suite(read_tables[name], own[name], others, spec) for name in own)
    report = ValidationReport(run_id=run_id, stage=stage, suites=outcomes)
    if not all(suite.success for suite in outcomes):
        raise SuitesFailed(verdict(report), report)
    return report


def verdict(report: ValidationReport) -> str:
    """Say what failed in a stage, a sentence per expectation, and where to read more."""
    sentences = [
        sentence(suite.dataset, found) for suite in report.suites for found in failures(suite)
    ]
    listed = "\n".join(f"  {text}" for text in sentences)
    page = REPORT.format(run_id=report.run_id, stage=report.stage)
    count = f"{len(sentences)} expectation(s) did not hold"
    return f"{report.stage}: {count} (report: {page})\n{listed}"


def _pair(
    stage: Stage,
    tables: Mapping[str, object],
    suites: Mapping[str, SuiteConfig],
    spec: FeatureSpec | None,
) -> None:
    """Check that the stage's tables and the suites declared for it are the same set."""
    declared = {name for name, suite in suites.items() if suite.stage == stage}
    problems = [
        f"{name} has no suite of stage {stage}: write conf/base/expectations/{name}.yml"
        for name in tables
        if name not in declared
    ]
    problems += [
        f"{name} has a suite of stage {stage} but was not given to its validation"
        for name in sorted(declared - set(tables))
    ]
    problems += [
        f"{name} declares `features: true` but no feature specification was given"
        for name in sorted(declared & set(tables))
        if suites[name].features and spec is None
    ]
    problems += [
        f"{name}: there is no stage {suite.stage}{_nearest(suite.stage)}"
        for name, suite in suites.items()
        if suite.stage is not None and suite.stage not in STAGES
    ]
    if not declared:
        problems.append(f"no suite is declared for stage {stage}: nothing would be validated")
    if problems:
        listed = "\n".join(f"  {problem}" for problem in problems)
        raise ConfigError(f"validation of {stage}: {len(problems)} problem(s)\n{listed}")


def _nearest(stage: str) -> str:
    near = get_close_matches(stage, STAGES, n=1)
    return f", did you mean {near[0]}?" if near else ""
