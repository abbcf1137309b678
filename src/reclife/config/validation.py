"""Expectation suites: what a dataset must look like before a later stage may read it."""

from collections.abc import Mapping
from typing import Any, final

from pydantic import Field, ValidationError, field_validator
from pydantic_core import ErrorDetails

from reclife.config.problems import hint
from reclife.config.schema import Schema
from reclife.errors import ConfigError


@final
class ColumnRule(Schema):
    """A declared column; `types` are Spark SQL names (`bigint`, `double`, `array<bigint>`)."""

    types: tuple[str, ...] = Field(min_length=1)
    required: bool = Field(
        default=True,
        description="false: the column may be absent, and then every expectation on it holds.",
    )


@final
class ExpectationConfig(Schema):
    """One expectation by its Great Expectations name, with that expectation's arguments."""

    type: str
    kwargs: dict[str, Any] = Field(default_factory=dict)


@final
class ForeignKey(Schema):
    """Every non-null value of `column` exists as `key` of `table`."""

    column: str
    table: str
    key: str


@final
class SuiteConfig(Schema):
    """All that one dataset must satisfy."""

    stage: str | None = Field(
        default=None,
        description="The stage that validates the dataset; none for a source, checked on load.",
    )
    min_rows: int = Field(default=1, ge=1)
    allow_empty: bool = Field(default=False, description="true: no row at all is fine.")
    columns: dict[str, ColumnRule] = Field(
        default_factory=dict,
        description="Column name -> type, list of types, or {types, required}.",
    )
    features: bool = Field(
        default=False,
        description="Check every feature column against the feature specification.",
    )
    expectations: tuple[ExpectationConfig, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()

    @field_validator("columns", mode="before")
    @classmethod
    def _spell_out(cls, value: object) -> object:
        """Read `name: bigint` and `name: [bigint, string]` as rules."""
        if not isinstance(value, Mapping):
            return value
        return {name: _rule(rule) for name, rule in value.items()}


def _rule(rule: object) -> object:
    if isinstance(rule, str):
        return {"types": (rule,)}
    if isinstance(rule, list | tuple):
        return {"types": tuple(rule)}
    if isinstance(rule, Mapping) and isinstance(rule.get("types"), str):
        return {**rule, "types": (rule["types"],)}
    return rule


def read_suites(expectations: Mapping[str, object]) -> dict[str, SuiteConfig]:
    """Check the declared suites, dataset name -> suite.

    Raises:
        ConfigError: with every problem of every suite.
    """
    suites: dict[str, SuiteConfig] = {}
    problems: list[str] = []
    for name, declared in expectations.items():
        try:
            suites[name] = SuiteConfig.model_validate(declared)
        except ValidationError as error:
            problems += [
                f"{name}: {'.'.join(map(str, e['loc'])) or 'suite'}: {_message(e)}"
                for e in error.errors()
            ]
    if problems:
        listed = "\n".join(f"  {problem}" for problem in problems)
        raise ConfigError(f"conf/*/expectations: {len(problems)} problem(s)\n{listed}")
    return suites


def _message(problem: ErrorDetails) -> str:
    if problem["type"] != "extra_forbidden":
        return problem["msg"]
    models = (SuiteConfig, ColumnRule, ExpectationConfig, ForeignKey)
    place = {"columns": 1, "expectations": 2, "foreign_keys": 3}.get(str(problem["loc"][0]), 0)
    model = models[place] if len(problem["loc"]) > 1 else SuiteConfig
    key = str(problem["loc"][-1])
    return f"unknown key {key!r}{hint(key, model.model_fields)}"
