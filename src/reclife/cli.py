"""The project's command line: Kedro's `run`, told in sentences, and reclife's own commands."""

import functools
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
from kedro.framework.cli.project import run as kedro_run

from reclife.errors import ReclifeError


@click.group(name="reclife", context_settings={"help_option_names": ["-h", "--help"]})
def cli() -> None:
    """The recommender lifecycle, declared."""


def in_sentences(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return `command` with a user's mistake told in one sentence and exit code 1.

    Anything that is not the user's mistake keeps its traceback.
    """

    @functools.wraps(command)
    def run(*arguments: Any, **options: Any) -> Any:
        try:
            return command(*arguments, **options)
        except Exception as error:
            sentence = explain(error)
            if sentence is None:
                raise
            click.secho(f"\n{sentence}", fg="red", err=True)
            sys.exit(1)

    return run


def explain(error: BaseException) -> str | None:
    """Return the sentence for an error that the user can act on, else None."""
    for cause in _causes(error):
        if isinstance(cause, ReclifeError):
            return str(cause)
    for cause in _causes(error):
        kind = type(cause).__name__
        if kind == "DataValidationError":
            return str(cause)
        if kind in {"MissingConfigException", "ParameterValidationError", "ParserError"}:
            return f"The configuration cannot be read: {cause}"
        if kind == "ScannerError":
            return f"The configuration is not valid YAML: {cause}"
        if isinstance(cause, ValueError) and "Failed to find the pipeline named" in str(cause):
            return str(cause)
        if isinstance(cause, OSError) and cause.errno == 28:
            return f"The disk is full ({cause.filename}): free some space, then run again."
        if kind in {"AnalysisException", "SparkException", "Py4JJavaError"}:
            return _explain_spark(cause)
    return None


def _explain_spark(error: BaseException) -> str | None:
    text = str(error)
    first = text.splitlines()[0] if text else ""
    if "PATH_NOT_FOUND" in text:
        return f"A file is missing: {first}"
    if "No space left on device" in text:
        return "The disk is full: free some space, then run again."
    if "CANNOT_READ_FILE" in text or "is not a Parquet file" in text or "FAILED_READ_FILE" in text:
        return f"A file is damaged or cut short: {first}"
    return None


def _causes(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__


cli.add_command(
    click.Command(
        "run",
        params=kedro_run.params,
        callback=in_sentences(kedro_run.callback),
        help="Run a lifecycle (`__default__` without --pipelines) or single stages.",
    )
)


@cli.command()
@in_sentences
def resume() -> None:
    """Run the stages of the newest run that have not finished."""
    from kedro.framework.session import KedroSession
    from kedro.framework.startup import bootstrap_project

    from reclife.lifecycle import read_lifecycles
    from reclife.runtime.records import find_record
    from reclife.runtime.run import RUN_VARIABLE, current_run_id, run_info

    project = Path.cwd()
    bootstrap_project(project)
    info = run_info(current_run_id())
    stages = read_lifecycles(project / "pipelines")[info.lifecycle].stages
    missing = [stage for stage in stages if find_record(info.run_id, stage) is None]
    if not missing:
        click.echo(f"Run {info.run_id} is complete; nothing to resume.")
        return
    click.echo(f"Run {info.run_id}: resuming with {', '.join(missing)}.")
    os.environ[RUN_VARIABLE] = info.run_id
    for stage in missing:
        with KedroSession.create(project_path=project, env=info.env) as session:
            session.run(pipeline_names=[stage])


@cli.command()
@click.argument("folder", type=click.Path(path_type=Path), default=Path("conf/schemas"))
@in_sentences
def schema(folder: Path) -> None:
    """Write the JSON Schema of every parameter file, for editors."""
    from reclife.config.json_schema import write_schemas

    for path in write_schemas(folder):
        click.echo(path)


def main() -> None:
    """Entry point of the command `reclife`."""
    cli()
