"""The suite of a raw input, as a validator of Kedro's catalog.

::

    raw_interactions:
      type: ...
      validator:
        class: reclife.validation.catalog.SuiteValidator
        "on": [load]
        options: {path: conf/base/expectations/raw_interactions.yml}

Kedro makes the path absolute, from the project's folder.
"""

from pathlib import Path
from typing import TypeVar, final

import yaml
from kedro.validation import CheckFailure, DataValidationError

from reclife.config.validation import read_suites
from reclife.contracts import SuiteOutcome, ValidationReport
from reclife.errors import ConfigError
from reclife.runtime.files import write_atomically
from reclife.runtime.run import current_run_id, run_folder, run_in_progress
from reclife.validation.declarations import check_declarations
from reclife.validation.outcomes import failures, sentence
from reclife.validation.page import render
from reclife.validation.suite import run_suite
from reclife.validation.tables import read

Data = TypeVar("Data")


@final
class SuiteValidator:
    """Holds what a dataset loads against the suite in the file `path`; None passes."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._suites = read_suites(self._declared())

    def validate(self, data: Data) -> Data:
        """Return `data` unchanged.

        Raises:
            ConfigError: the file does not hold exactly one suite, named as the file.
            DataValidationError: with a sentence per expectation that did not hold.
        """
        if data is None:
            return data
        check_declarations(self._suites)
        name = self._path.stem
        found = run_suite(read(name, data), self._suites[name], {})
        _keep(name, found)
        if not found.success:
            failed = [
                CheckFailure(
                    message=sentence(name, one),
                    failure_count=one.unexpected_count or 1,
                    failure_examples=list(one.examples),
                )
                for one in failures(found)
            ]
            text = "\n".join(failure.message for failure in failed)
            raise DataValidationError(text, validator=str(self._path), failures=failed)
        return data

    def _declared(self) -> dict[str, object]:
        try:
            declared = yaml.safe_load(self._path.read_text(encoding="utf-8"))
        except (OSError, yaml.YAMLError) as error:
            raise ConfigError(f"{self._path}: not readable as a suite: {error}") from error
        if not isinstance(declared, dict) or set(declared) != {self._path.stem}:
            raise ConfigError(f"{self._path}: must have one top-level key, {self._path.stem}")
        return declared


def _keep(name: str, found: SuiteOutcome) -> None:
    """Leave the outcome beside the reports of the run in progress, as JSON and as a page."""
    if not run_in_progress():
        return
    run_id = current_run_id()
    report = ValidationReport(run_id=run_id, stage="ingest", suites=(found,))
    document = run_folder(run_id) / "validation" / f"{name}.json"
    write_atomically(document, report.model_dump_json(indent=2) + "\n")
    write_atomically(document.with_suffix(".html"), render(report))
