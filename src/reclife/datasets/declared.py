"""The catalog as declared, held against what the stages read and write."""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from kedro.io import DataCatalog, DatasetError
from kedro.pipeline import Pipeline
from kedro.utils import load_obj
from kedro.validation import ValidationConfigurationError
from kedro.validation.core import resolve_validator

from reclife.config.problems import hint, nearest, refuse
from reclife.errors import ReclifeError

_GIVEN = re.compile(r"params:|parameters$|expectations$")
"""Node inputs that no catalog entry stands for."""


def check_catalog(
    catalog: DataCatalog,
    declared: Mapping[str, Any],
    stages: Mapping[str, Pipeline],
    file_of: Callable[[str], str | None],
) -> None:
    """Make every declared dataset and validator once; nothing is read.

    Args:
        catalog: The catalog.
        declared: Its entries as they stand in the files.
        stages: The pipeline of every stage.
        file_of: Returns the file of an entry.

    Raises:
        ConfigError: One line per problem: the file, the entry, what is wrong.
    """
    entries = {name: entry for name, entry in declared.items() if not name.startswith("_")}
    persisted = {name for stage in stages.values() for name in _persisted(stage)}
    found = [
        (name, problem)
        for name, entry in entries.items()
        if not _is_pattern(name)
        for problem in _problems(catalog, name, entry, persisted, entries)
    ]
    lines = [f"{file_of(name) or 'conf/*/catalog'}: {name}: {problem}" for name, problem in found]
    patterns = any(_is_pattern(name) for name in entries)
    missing = [] if patterns else sorted(persisted - entries.keys())
    lines += [
        f"conf/*/catalog: {name} is not declared, so it would not outlive its stage"
        for name in missing
    ]
    refuse(lines)


def _persisted(stage: Pipeline) -> set[str]:
    """Return what a stage reads from outside or leaves behind.

    A closing node takes everything that its stage leaves behind.
    """
    closing = {
        name for node in stage.nodes if node.short_name == "validate" for name in node.inputs
    }
    names = stage.inputs() | stage.outputs() | closing
    return {name for name in names if not _GIVEN.match(name)}


def _problems(
    catalog: DataCatalog,
    name: str,
    entry: Mapping[str, Any],
    persisted: set[str],
    entries: Mapping[str, Any],
) -> Iterator[str]:
    missing = {one for one in persisted if one not in entries}
    near = nearest(name, missing, cutoff=0.8)
    if near and name not in persisted:
        yield f"no stage uses a dataset of this name{near}"
    try:
        catalog.get(name)
    except DatasetError as error:
        yield _sentence(error, entry, entries)
        return
    spec = catalog.validator_specs.get(name)
    try:
        if spec:
            resolve_validator(spec)
    except ValidationConfigurationError as error:
        cause = error.__cause__
        yield str(cause) if isinstance(cause, ReclifeError) else f"validator: {error}"


def _sentence(error: DatasetError, entry: Mapping[str, Any], entries: Mapping[str, Any]) -> str:
    """Return what a dataset could not be made for, without the framework's advice."""
    cause = error.__cause__
    if isinstance(cause, ReclifeError):
        return str(cause)
    if unexpected := re.search(r"unexpected keyword argument '(\w+)'", str(error)):
        return f"unknown key {unexpected[1]!r}{hint(unexpected[1], _arguments(entry))}"
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = [line for line in lines if not line.startswith(("An exception", "Hint:", "http"))]
    types = {str(other.get("type")) for other in entries.values() if other is not entry}
    kind = str(entry.get("type"))
    near = nearest(kind, types, cutoff=0.8) if kind not in types else ""
    return f"type {kind}: {told[0].partition('. ')[0].removesuffix('.')}{near}"


def _arguments(entry: Mapping[str, Any]) -> list[str]:
    """Return the keys that an entry of this type may have."""
    kind = str(entry["type"])
    for prefix in ("", "kedro_datasets.", "kedro.io."):
        try:
            signature = inspect.signature(load_obj(f"{prefix}{kind}"))
        except (ImportError, AttributeError, ValueError):
            continue
        return ["type", *signature.parameters]
    return []


def _is_pattern(name: str) -> bool:
    return "{" in name
