"""Compiles `pipelines/*.yml` into Kedro pipelines.

A lifecycle is a list of stages. Stages meet only through persisted datasets, and a stage starts
once the closing nodes of the stage before it and of every stage it reads from have passed.
"""

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from importlib import import_module
from importlib.resources.abc import Traversable
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml
from kedro.pipeline import Node, Pipeline
from pydantic import Field, ValidationError

from reclife.config.schema import Schema
from reclife.contracts import STAGES, Stage
from reclife.errors import ConfigError
from reclife.runtime.resources import packaged


class Lifecycle(Schema):
    """One `pipelines/<name>.yml`."""

    description: str = Field(description="What this lifecycle is for, in one sentence.")
    stages: tuple[Stage, ...] = Field(min_length=1, description="Stages, in the order of the data.")
    schedule: str | None = Field(None, description="Cron expression or preset of the scheduler.")
    retries: int = Field(0, ge=0, description="How often the scheduler tries a stage again.")
    tags: tuple[str, ...] = ()


def read_lifecycles(folder: Path) -> dict[str, Lifecycle]:
    """Return the lifecycles declared in `folder`, by name; the package's own where it has none.

    Raises:
        ConfigError: A file is no YAML or breaks the schema; all problems of all files at once.
    """
    declared = sorted(folder.glob("*.yml")) if folder.is_dir() else []
    sources: Sequence[Path | Traversable] = declared or packaged("pipelines")
    lifecycles: dict[str, Lifecycle] = {}
    problems: list[str] = []
    for source in sources:
        name = source.name.removesuffix(".yml")
        try:
            raw = yaml.safe_load(source.read_text(encoding="utf-8"))
            lifecycles[name] = Lifecycle.model_validate(raw)
            _check_order(lifecycles[name])
        except yaml.YAMLError as error:
            problems.append(f"pipelines/{source.name}: not readable as YAML: {error}")
        except ValidationError as error:
            problems += [f"pipelines/{source.name}: {text}" for text in _sentences(error)]
        except ConfigError as error:
            problems.append(f"pipelines/{source.name}: {error}")
    if problems:
        raise ConfigError("\n".join(problems))
    return lifecycles


def stage_pipelines() -> dict[Stage, Pipeline]:
    """Return every stage as a pipeline of its own."""
    return {
        stage: import_module(f"reclife.pipelines.{stage}.pipeline").create_pipeline()
        for stage in STAGES
    }


def compile_lifecycle(lifecycle: Lifecycle, stages: Mapping[Stage, Pipeline]) -> Pipeline:
    """Return the lifecycle's stages as one pipeline, each behind the gates of those before it."""
    producer = {
        _plain(name): stage for stage in lifecycle.stages for name in stages[stage].all_outputs()
    }
    before: dict[Stage, Stage] = dict(pairwise(reversed(lifecycle.stages)))
    nodes = [
        _behind_gates(node, stage, producer, before.get(stage))
        for stage in lifecycle.stages
        for node in stages[stage].nodes
    ]
    return Pipeline(nodes, tags=list(lifecycle.tags))


def closing_dataset(stage: str) -> str:
    """Return the name of the dataset that a stage's closing node writes."""
    return f"{stage}_validation"


def _behind_gates(
    node: Node, stage: Stage, producer: Mapping[str, Stage], previous: Stage | None
) -> Node:
    """Return `node` with the closing datasets it has to wait for as inputs.

    A node that reads from its own stage alone waits for that; all others open the stage.
    """
    read_from = {producer[_plain(name)] for name in node.inputs if _plain(name) in producer}
    if read_from == {stage}:
        return node
    waits_for = (read_from | ({previous} if previous else set())) - {stage}
    gates = [closing_dataset(other) for other in sorted(waits_for)]
    if not gates:
        return node
    return Node(
        _ignoring(node.func, gates),
        inputs={**_inputs_by_name(node), **{gate: gate for gate in gates}},
        outputs=node.outputs if len(node.outputs) != 1 else node.outputs[0],
        name=node.name.removeprefix(f"{node.namespace}."),
        tags=node.tags,
        namespace=node.namespace,
    )


def _ignoring(func: Callable[..., Any], names: Sequence[str]) -> Callable[..., Any]:
    """Return `func` that also takes, and drops, the keyword arguments `names`."""

    @functools.wraps(func)
    def run(**arguments: Any) -> Any:
        return func(**{key: value for key, value in arguments.items() if key not in names})

    return run


def _inputs_by_name(node: Node) -> dict[str, str]:
    """Return the node's inputs as parameter name to dataset name."""
    return dict(zip(inspect.signature(node.func).parameters, node.inputs, strict=True))


def _check_order(lifecycle: Lifecycle) -> None:
    if len(set(lifecycle.stages)) < len(lifecycle.stages):
        raise ConfigError("stages: a stage stands there twice")
    expected = tuple(stage for stage in STAGES if stage in lifecycle.stages)
    if lifecycle.stages != expected:
        raise ConfigError(
            f"stages: the order contradicts the data flow; write {', '.join(expected)}"
        )


def _sentences(error: ValidationError) -> list[str]:
    sentences = []
    for problem in error.errors():
        where = ".".join(str(part) for part in problem["loc"])
        value = problem.get("input")
        allowed = STAGES if where.startswith("stages") else tuple(Lifecycle.model_fields)
        wrong = problem["loc"][-1] if problem["type"] == "extra_forbidden" else value
        near = get_close_matches(str(wrong), allowed, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        sentences.append(f"{where}: {problem['msg']}{hint}")
    return sentences


def _plain(dataset: str) -> str:
    """Return a dataset's name without its transcoding."""
    return dataset.split("@", maxsplit=1)[0]
