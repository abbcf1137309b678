"""Run declared expectations with Great Expectations, quietly and offline."""

import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from reclife.config.validation import ExpectationConfig, SuiteConfig
from reclife.contracts import ExpectationOutcome
from reclife.validation.outcomes import counted, outcome
from reclife.validation.tables import Table

_COLUMN_KEYS = ("column", "column_A", "column_B")
_DAY = 86_400


def check_expectations(table: Table, suite: SuiteConfig) -> list[ExpectationOutcome]:
    """Evaluate the suite's expectations on `table`, in their declared order.

    An expectation on an optional column that is absent holds; on any other absent column it fails
    without being evaluated. The parameter `now` (seconds since the epoch, a day of grace) may
    stand for a bound: `max_value: {$PARAMETER: now}`.
    """
    outcomes: dict[int, ExpectationOutcome] = {}
    present: dict[int, ExpectationConfig] = {}
    for position, declared in enumerate(suite.expectations):
        absent = _absent(table, suite, declared)
        if absent is None:
            present[position] = _narrowed(table, suite, declared)
        else:
            outcomes[position] = absent
    if present:
        outcomes |= _evaluate(table, present)
    return [outcomes[position] for position in sorted(outcomes)]


def load_engine() -> Any:
    """Import Great Expectations, which takes seconds; nothing is sent anywhere."""
    os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")
    with _named_main():
        import great_expectations

    return great_expectations


@contextmanager
def _named_main() -> Iterator[None]:
    """Give the main module a file while Spark Connect is imported.

    Without one, as in `python -c`, Spark Connect takes it for a test of its own and ends the
    process with status 0.
    """
    main = sys.modules["__main__"]
    nameless = not hasattr(main, "__file__")
    if nameless:
        main.__file__ = __file__
    try:
        yield
    finally:
        if nameless:
            del main.__file__


def columns_of(declared: ExpectationConfig) -> tuple[str, ...]:
    """Return the columns that an expectation is about."""
    single = [declared.kwargs[key] for key in _COLUMN_KEYS if key in declared.kwargs]
    return (*single, *declared.kwargs.get("column_list", ()))


def _absent(
    table: Table, suite: SuiteConfig, declared: ExpectationConfig
) -> ExpectationOutcome | None:
    """Return the outcome of an expectation on declared columns that the table lacks, if any."""
    columns = columns_of(declared)
    missing = [c for c in columns if c in suite.columns and c not in table.types]
    required = [c for c in missing if suite.columns[c].required]
    if required:
        gone = ", ".join(required)
        return _outcome(declared, success=False, observed="", exception=f"no column {gone}")
    if missing and len(missing) == len(columns):
        return _outcome(declared, success=True, observed="column absent, optional")
    return None


def _narrowed(table: Table, suite: SuiteConfig, declared: ExpectationConfig) -> ExpectationConfig:
    """Leave optional columns that are absent out of a key of several columns."""
    keys = declared.kwargs.get("column_list")
    if keys is None:
        return declared
    present = [c for c in keys if c in table.types or c not in suite.columns]
    return declared.model_copy(update={"kwargs": {**declared.kwargs, "column_list": present}})


def _evaluate(
    table: Table, declared: Mapping[int, ExpectationConfig]
) -> dict[int, ExpectationOutcome]:
    """Return the outcome of each position of `declared` that the engine reported back."""
    gx = load_engine()
    from great_expectations.core.expectation_suite import ExpectationSuite

    context = gx.get_context(mode="ephemeral", project_config=_settings())
    suite = ExpectationSuite(
        name=table.name,
        expectations=[
            {"type": e.type, "kwargs": dict(e.kwargs), "meta": {"position": position}}
            for position, e in declared.items()
        ],
    )
    frame = _frame(table, declared.values())
    sources = context.data_sources
    add = sources.add_pandas if table.arrow is not None else sources.add_spark
    asset = add("data").add_dataframe_asset(table.name)
    batch = asset.add_batch_definition_whole_dataframe("whole").get_batch({"dataframe": frame})
    now = {"now": int(time.time()) + _DAY}
    try:
        results = batch.validate(suite, result_format="SUMMARY", expectation_parameters=now).results
    finally:
        if table.arrow is None:
            frame.unpersist()
    return {
        int(result.expectation_config.meta["position"]): _result(
            declared[int(result.expectation_config.meta["position"])], result
        )
        for result in results
    }


def _settings() -> Any:
    """No progress bars, no analytics, and no folder for a documentation site."""
    from great_expectations.data_context.types.base import (
        DataContextConfig,
        InMemoryStoreBackendDefaults,
        ProgressBarsConfig,
    )

    return DataContextConfig(
        store_backend_defaults=InMemoryStoreBackendDefaults(init_temp_docs_sites=False),
        progress_bars=ProgressBarsConfig(globally=False),
        analytics_enabled=False,
    )


def _result(declared: ExpectationConfig, result: Any) -> ExpectationOutcome:
    details = dict(result.result or {})
    unexpected = details.get("unexpected_count") if "element_count" in details else None
    if unexpected is None:
        observed = f"observed {details.get('observed_value')}"
    else:
        observed = counted(int(unexpected), int(details["element_count"]))
    exception = _exception(result.exception_info)
    return _outcome(
        declared,
        success=bool(result.success) and exception is None,
        observed=observed,
        unexpected=None if unexpected is None else int(unexpected),
        examples=details.get("partial_unexpected_list") or (),
        exception=exception,
    )


def _exception(info: Mapping[str, Any] | None) -> str | None:
    """Find the message of an exception, which is nested by metric or not."""
    entries = [info or {}, *(v for v in (info or {}).values() if isinstance(v, Mapping))]
    for entry in entries:
        if entry.get("raised_exception"):
            return str(entry.get("exception_message") or "unknown error").strip()
    return None


def _outcome(
    declared: ExpectationConfig,
    *,
    success: bool,
    observed: str,
    unexpected: int | None = None,
    examples: Sequence[object] = (),
    exception: str | None = None,
) -> ExpectationOutcome:
    columns = columns_of(declared)
    arguments = {
        k: v for k, v in declared.kwargs.items() if v not in columns and k != "column_list"
    }
    told = ", ".join(f"{k} {_bound(v)}" for k, v in arguments.items())
    phrase = declared.type.removeprefix("expect_column_").removeprefix("expect_").replace("_", " ")
    return outcome(
        declared.type,
        ", ".join(columns) or None,
        f"{phrase} ({told})" if told else phrase,
        success,
        observed,
        unexpected=unexpected,
        examples=examples,
        exception=exception,
    )


def _bound(value: object) -> object:
    """Show a parameter by its name."""
    return value["$PARAMETER"] if isinstance(value, Mapping) and "$PARAMETER" in value else value


def _frame(table: Table, declared: Iterable[ExpectationConfig]) -> Any:
    """Return what the engine reads: an exact pandas frame, or the cached Spark frame.

    In Spark, NaN becomes null, as it is in pandas, so that both engines judge alike.
    """
    if table.arrow is None:
        from pyspark.sql import functions as sf

        floats = {c for c, kind in table.types.items() if kind in ("float", "double")}
        cleaned = {c: sf.when(~sf.isnan(c), sf.col(c)) for c in floats}
        return table.data.withColumns(cleaned).cache()
    import pandas as pd

    named = {column for e in declared for column in columns_of(e)}
    flat = {c for c, kind in table.types.items() if not kind.startswith("array<")}
    kept = [c for c in table.arrow.column_names if c in named | flat]
    return pd.DataFrame({c: _series(table.arrow[c]) for c in kept})


def _series(column: pa.ChunkedArray) -> Any:
    """Convert a column; integers with nulls stay integers, never floats."""
    import pandas as pd

    if pa.types.is_integer(column.type) and column.null_count:
        dtype = pd.Series([], dtype=column.type.to_pandas_dtype()).dtype.name
        nullable = pd.api.types.pandas_dtype(dtype.replace("int", "Int").replace("uI", "UI"))
        return column.to_pandas(types_mapper=lambda _: nullable)
    return column.to_pandas()
