"""What pydantic found wrong, told in the words of YAML."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from pydantic_core import ErrorDetails

_IN_YAML: Mapping[str, str] = MappingProxyType(
    {
        "union_tag_not_found": "`kind` is missing",
        **dict.fromkeys(("tuple_type", "list_type"), "input should be a list, `[...]`"),
        **dict.fromkeys(
            ("model_type", "model_attributes_type", "dict_type"),
            "input should be keys with values, `{key: value}`",
        ),
        "too_short": "input should have an entry",
    }
)


def in_yaml(problem: ErrorDetails) -> str:
    """Return what is wrong, without where."""
    message = _IN_YAML.get(problem["type"]) or problem["msg"].removeprefix("Value error, ")
    return message[0].lower() + message[1:]


def without_echoes(problems: Sequence[ErrorDetails]) -> list[ErrorDetails]:
    """Leave out that a list is too short where only its wrong entries make it so."""
    return [
        problem
        for problem in problems
        if problem["type"] != "too_short"
        or not any(_within(other["loc"], problem["loc"]) for other in problems)
    ]


def _within(inner: tuple[int | str, ...], outer: tuple[int | str, ...]) -> bool:
    return len(inner) > len(outer) and inner[: len(outer)] == outer
