"""The project's command line: Kedro's `run`, told in sentences, and reclife's own commands."""

import functools
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
from kedro.framework.cli.project import run as kedro_run

from reclife.config.problems import hint
from reclife.contracts import STAGES
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
    return next((text for cause in _causes(error) if (text := _explain_foreign(cause))), None)


_FOREIGN = {
    "DataValidationError": "{text}",
    "MissingConfigException": "The configuration cannot be read: {text}",
    "ParameterValidationError": "The configuration cannot be read: {text}",
    "ParserError": "The configuration is not valid YAML: {text}",
    "ScannerError": "The configuration is not valid YAML: {text}",
    "ValidationConfigurationError": "The catalog is wrong: {text}",
}
"""Errors of other libraries that stand for a user's mistake, by the name of their class."""

_FOREIGN_TEXTS = {
    "Pipeline does not contain": "{line}",
    "Pipeline contains no nodes": "{line}",
    "An exception occurred when parsing config": "The catalog is wrong: {text}",
    "PATH_NOT_FOUND": "A file is missing: {line}",
    "No space left on device": "The disk is full: free some space, then run again.",
    "PARQUET_COLUMN_DATA_TYPE_MISMATCH": "The files of a source disagree: {line}",
    "CANNOT_READ_FILE": "A file is damaged or cut short: {line}",
    "FAILED_READ_FILE": "A file is damaged or cut short: {line}",
    "is not a Parquet file": "A file is damaged or cut short: {line}",
}
"""The same, by what the message says."""


_RAISED_BY_A_WORKER = re.compile(r"reclife\.errors\.\w+: (.+)")
"""Our own error inside the traceback of a Spark worker."""


_OTHER_HEADER = re.compile(
    r"CSV header does not conform to the schema\.\s+Header: (?P<found>.+)\s+"
    r"Schema: (?P<first>.+)\s+Expected: .+\s+CSV file: (?P<file>\S+)"
)
"""What Spark says of a file whose columns stand in another order than those of the first one."""


_NO_PIPELINE = re.compile(r"Failed to find the pipeline named '([^']*)'")


def _pipelines() -> list[str]:
    """Return the names of all lifecycles and stages."""
    from kedro.framework.project import pipelines

    return list(pipelines)


def _explain_foreign(error: BaseException) -> str | None:
    text = str(error)
    if found := _RAISED_BY_A_WORKER.search(text):
        return found[1]
    if found := _OTHER_HEADER.search(text):
        return (
            f"The files of a source disagree: {found['file']} has the columns {found['found']}, "
            f"another one {found['first']}"
        )
    if found := _NO_PIPELINE.search(text):
        return f"There is no lifecycle and no stage {found[1]!r}{hint(found[1], _pipelines())}"
    if template := _FOREIGN.get(type(error).__name__):
        return template.format(text=text)
    for mark, template in _FOREIGN_TEXTS.items():
        if mark in text:
            line = next(line for line in text.splitlines() if mark in line)
            return template.format(
                text=text, line=line[line.index(mark) :].partition("] ")[2] or line
            )
    return None


def _causes(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__


def _find_project() -> None:
    """Load the project's settings, which `kedro` has done already and `reclife` has not."""
    from kedro.framework import project
    from kedro.framework.startup import bootstrap_project

    if project.PACKAGE_NAME is None:
        bootstrap_project(Path.cwd())


def _run(pipelines: list[str], **options: Any) -> None:
    """Run as Kedro does; several stages go one after the other, in the order of the data."""
    _find_project()
    several = len(pipelines) > 1 and set(pipelines) <= set(STAGES)
    for group in [[one] for one in STAGES if one in pipelines] if several else [pipelines]:
        click.get_current_context().invoke(kedro_run, pipelines=group, **options)


cli.add_command(
    click.Command(
        "run",
        params=kedro_run.params,
        callback=in_sentences(_run),
        help="Run a lifecycle (`__default__` without --pipelines) or single stages.",
    )
)


@cli.command()
@in_sentences
def resume() -> None:
    """Run the stages of the newest run that have not finished."""
    from kedro.framework.session.session import KedroSession

    from reclife.lifecycle import read_lifecycles
    from reclife.runtime.records import find_record
    from reclife.runtime.run import RUN_VARIABLE, current_run_id, run_info

    _find_project()
    project = Path.cwd()
    info = run_info(current_run_id())
    stages = read_lifecycles(project / "pipelines")[info.lifecycle].stages
    missing = [stage for stage in stages if find_record(info.run_id, stage) is None]
    if not missing:
        click.echo(f"Run {info.run_id} is complete; nothing to resume.")
        return
    click.echo(f"Run {info.run_id}: resuming with {', '.join(missing)}.")
    os.environ[RUN_VARIABLE] = info.run_id
    for stage in missing:
        session = KedroSession.create(project_path=project, env=info.env)
        session.run(pipeline_names=[stage])
        session.close()


@cli.command()
@click.argument("first")
@click.argument("second")
@click.option("--resamples", type=click.IntRange(100, 10_000), default=2000, help="Of the users.")
@click.option("--seed", type=click.IntRange(0), default=17, help="Of the resamples.")
@in_sentences
def compare(first: str, second: str, resamples: int, seed: int) -> None:
    """Hold run SECOND against run FIRST on the test events and lists of both, with significance."""
    from reclife.evaluation.compared import compare_runs

    text, page = compare_runs(first, second, resamples, seed)
    click.echo(f"{text}\n{page}")


@cli.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--env", help="Environment whose training is varied.")
@in_sentences
def trials(file: Path, env: str | None) -> None:
    """Train variants side by side on the examples of the current run, as FILE declares."""
    from kedro.framework.session.session import KedroSession

    from reclife.pipelines.training.trials import compare

    _find_project()
    session = KedroSession.create(project_path=Path.cwd(), env=env)
    context = session.load_context()
    click.echo(compare(file, context.catalog, context.params["training"]))
    session.close()


@cli.command()
@click.argument("folder", type=click.Path(path_type=Path), default=Path("conf/schemas"))
@in_sentences
def schema(folder: Path) -> None:
    """Write the JSON Schema of every parameter file, for editors."""
    from reclife.config.json_schema import write_schemas

    for path in write_schemas(folder):
        click.echo(path)


@cli.command()
@click.argument("interactions", type=click.Path(path_type=Path))
@click.option("--items", type=click.Path(path_type=Path), help="Attributes of the items.")
@click.option("--users", type=click.Path(path_type=Path), help="Attributes of the users.")
@click.option("--env", required=True, help="Name of the environment to write, conf/<env>.")
@click.option("--user-column", help="Column of the user's id.")
@click.option("--item-column", help="Column of the item's id.")
@click.option("--time-column", help="Column of the event's time.")
@click.option("--label-column", help="Column of ratings or events.")
@click.option("--at-least", type=float, help="Smallest rating that counts as liked.")
@click.option("--positive", multiple=True, help="Event that counts as liked; may be repeated.")
@click.option("--delimiter", help="Between the columns of the interactions.")
@click.option("--encoding", help="Of all files, for example gb18030.")
@click.option("--header/--no-header", default=None, help="Whether the first line holds names.")
@click.option("--force", is_flag=True, help="Overwrite an environment of that name.")
@in_sentences
def init(
    interactions: Path,
    items: Path | None,
    users: Path | None,
    env: str,
    user_column: str | None,
    item_column: str | None,
    time_column: str | None,
    label_column: str | None,
    at_least: float | None,
    positive: tuple[str, ...],
    delimiter: str | None,
    encoding: str | None,
    header: bool | None,
    force: bool,
) -> None:
    """Propose an environment for your own files: columns, types, times, labels, split."""
    from reclife.onboarding import Request, print_guesses, propose, write

    columns = {"user": user_column, "item": item_column, "time": time_column, "label": label_column}
    request = Request(
        interactions, items, users, columns, at_least, positive, delimiter, encoding, header
    )
    project = Path.cwd()
    proposal = propose(request)
    files = write(proposal, project, env, force=force)
    print_guesses(proposal, files, project, env)


def main() -> None:
    """Entry point of the command `reclife`."""
    cli()
