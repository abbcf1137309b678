"""Code of the user's own, named by where it can be imported from."""

import ast
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, StringConstraints

from reclife.config.problems import hint


def check_dotted(path: str) -> str:
    """Return `path` if there is such a function, without importing its module.

    Raises:
        ValueError: The module cannot be found, or has nothing of that name.
    """
    module, _, name = path.partition(":")
    try:
        spec = find_spec(module)
    except (ImportError, ValueError) as error:
        raise ValueError(f"module {module} cannot be imported: {error}") from error
    if spec is None or spec.origin is None:
        raise ValueError(f"there is no module {module}; its folder must be on Python's path")
    defined = _names(Path(spec.origin))
    if defined is not None and name not in defined:
        raise ValueError(f"module {module} has no {name}{hint(name, defined)}")
    return path


DottedPath = Annotated[
    str, StringConstraints(pattern=r"^\w+(\.\w+)*:\w+$"), AfterValidator(check_dotted)
]
"""`package.module:name`."""


def _names(file: Path) -> set[str] | None:
    """Return what a module defines or imports by name; `None` where its source cannot tell."""
    if file.suffix != ".py":
        return None
    names: set[str] = set()
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.Assign(targets=targets):
                names |= {target.id for target in targets if isinstance(target, ast.Name)}
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                names |= {alias.asname or alias.name for alias in aliases}
    return None if "*" in names else names
