"""Suites that Great Expectations cannot evaluate are refused before any data is read."""

import difflib
from collections.abc import Mapping
from typing import Any

from reclife.config.problems import hint, refuse
from reclife.config.validation import ExpectationConfig, SuiteConfig
from reclife.contracts import STAGES
from reclife.errors import ConfigError
from reclife.validation.engine import load_engine


def check_stages(expectations: Mapping[str, Any]) -> None:
    """Refuse suites, as they were declared, of stages that do not exist.

    Raises:
        ConfigError: naming every one, with the nearest stage.
    """
    stages = {
        name: str(suite["stage"])
        for name, suite in expectations.items()
        if isinstance(suite, Mapping) and suite.get("stage") is not None
    }
    refuse(
        f"conf/*/expectations: {name}: there is no stage {stage!r}{hint(stage, STAGES)}"
        for name, stage in stages.items()
        if stage not in STAGES
    )


def check_declarations(suites: Mapping[str, SuiteConfig]) -> None:
    """Refuse suites that the engine cannot evaluate.

    Raises:
        ConfigError: naming every mistyped expectation, with the nearest that exists.
    """
    known = _registry()
    problems = [
        f"{name}: {problem}"
        for name, suite in suites.items()
        for declared in suite.expectations
        if (problem := _mistake(declared, known))
    ]
    if problems:
        listed = "\n".join(f"  {problem}" for problem in problems)
        raise ConfigError(f"conf/*/expectations: {len(problems)} problem(s)\n{listed}")


def _mistake(declared: ExpectationConfig, known: Mapping[str, Any]) -> str | None:
    if declared.type not in known:
        near = difflib.get_close_matches(declared.type, known, n=1)
        hint = f", did you mean {near[0]}?" if near else ""
        return f"there is no expectation {declared.type}{hint}"
    try:
        known[declared.type](**declared.kwargs)
    except ValueError as error:  # pydantic's error is one
        return f"{declared.type}: {' '.join(str(error).split())}"
    return None


def _registry() -> dict[str, Any]:
    load_engine()
    from great_expectations.expectations import registry

    names = registry.list_registered_expectation_implementations()
    return {name: registry.get_expectation_impl(name) for name in names}
