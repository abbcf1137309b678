"""The files of the configuration, each checked by itself before they are merged.

What a merge would hide is refused here: a file that nothing reads, an empty one in whose place
the base's values would count, a key that stands there twice.
"""

from collections.abc import Collection, Iterator
from pathlib import Path

import yaml

from reclife.config.problems import hint, nearest, refuse
from reclife.errors import ConfigError

_SUFFIXES = (".yml", ".yaml", ".json")
_NEVER_EMPTY = ("parameters", "catalog", "expectations", "spark")


def check_files(conf: Path, env: str | None, stages: Collection[str]) -> None:
    """Check every file of `conf/base` and of the environment.

    Args:
        conf: The configuration's folder.
        env: The environment, if any; `local` is read without one.
        stages: Names of the stages, whose files are looked for under `parameters/`.

    Raises:
        ConfigError: One line per problem of all files: the file, the line, what is wrong.
    """
    if env is not None and not (conf / env).is_dir():
        known = [folder.name for folder in conf.iterdir() if folder.is_dir()]
        environments = [name for name in known if name != "schemas"]
        raise ConfigError(
            f"There is no environment {env!r}: {conf / env} does not exist{hint(env, environments)}"
        )
    refuse(problem for folder in _folders(conf, env) for problem in _check_folder(folder, stages))


def file_of(conf: Path, env: str | None, kind: str, key: str) -> str | None:
    """Return the file that declares the top-level `key`: the environment's before the base's."""
    for folder in reversed(_folders(conf, env)):
        for file in _files(folder):
            if _kind(file, folder) == kind and key in _top_keys(file):
                return file.relative_to(conf.parent).as_posix()
    return None


def _folders(conf: Path, env: str | None) -> list[Path]:
    return [conf / "base", conf / (env or "local")]


def _files(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*") if file.suffix in _SUFFIXES)


def _kind(file: Path, folder: Path) -> str:
    """Return what a file is for: its first folder's name, or its own."""
    return file.relative_to(folder).parts[0].removesuffix(file.suffix)


def _check_folder(folder: Path, stages: Collection[str]) -> Iterator[str]:
    declared: dict[tuple[str, str], str] = {}
    for file in _files(folder):
        name = file.relative_to(folder.parent.parent).as_posix()
        kind = _kind(file, folder)
        place = _misplaced(kind, stages)
        if place:
            yield f"{name}: nothing reads this file{place}"
            continue
        try:
            keys = _read(file, may_be_empty=kind not in _NEVER_EMPTY)
        except ConfigError as error:
            yield f"{name}: {error}"
            continue
        for key in keys:
            if not key.startswith("_") and declared.setdefault((kind, key), name) != name:
                yield f"{name}: {key} is declared in {declared[kind, key]} too; keep one"


def _misplaced(kind: str, stages: Collection[str]) -> str:
    """Return where a file probably belongs, for a name close to one that is read."""
    if kind.startswith(_NEVER_EMPTY):
        return ""
    if kind in stages:
        return f"; did you mean parameters/{kind}.yml?"
    return nearest(kind, [*_NEVER_EMPTY, *stages], cutoff=0.75)


def _read(file: Path, *, may_be_empty: bool) -> list[str]:
    """Return the top-level keys of a file.

    Raises:
        ConfigError: It is no YAML, no mapping, or empty, or a key stands there twice.
    """
    try:
        root = yaml.compose(file.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    except UnicodeDecodeError as error:
        raise ConfigError(f"it is not UTF-8 text (byte {error.start})") from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line = f", line {mark.line + 1}" if mark else ""
        raise ConfigError(f"it is not valid YAML{line}: {error.problem}") from error
    except yaml.YAMLError as error:
        raise ConfigError(f"it is not valid YAML: {' '.join(str(error).split())}") from error
    if root is None:
        if may_be_empty:
            return []
        raise ConfigError("it declares nothing; delete it, or fill it in")
    if not isinstance(root, yaml.MappingNode):
        raise ConfigError("it must hold keys with values, such as `key: value`")
    for twice in _repeated(root):
        raise ConfigError(
            f"line {twice.start_mark.line + 1}: {twice.value} stands there twice; keep one"
        )
    return [str(key.value) for key, _ in root.value]


def _top_keys(file: Path) -> list[str]:
    try:
        return _read(file, may_be_empty=True)
    except ConfigError:
        return []


def _repeated(node: yaml.Node) -> Iterator[yaml.Node]:
    """Yield the keys, at any depth, that stand in their mapping a second time."""
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _repeated(item)
    if not isinstance(node, yaml.MappingNode):
        return
    seen: set[str] = set()
    for key, value in node.value:
        name = str(key.value)
        if name in seen and key.tag != "tag:yaml.org,2002:merge":
            yield key
        seen.add(name)
        yield from _repeated(value)
