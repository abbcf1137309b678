"""Writes YAML that explains itself: values in flow style, remarks as comments."""

from collections.abc import Iterable, Mapping
from typing import Any

import yaml

_ENDLESS = 1_000_000


def flow(value: Any) -> str:
    """Return `value` as YAML on one line."""
    text = yaml.safe_dump(
        value, default_flow_style=True, allow_unicode=True, sort_keys=False, width=_ENDLESS
    )
    return text.removesuffix("...\n").strip()


def remark(text: str, indent: int = 0) -> str:
    """Return `text` as one comment line; control characters are spelled out."""
    plain = "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)
    return f"{' ' * indent}# {plain}"


def pairs(values: Mapping[str, Any], indent: int = 0) -> list[str]:
    """Return one line per key."""
    return [f"{' ' * indent}{flow(key)}: {flow(value)}" for key, value in values.items()]


def document(lines: Iterable[str]) -> str:
    """Return the lines as a file's text."""
    return "\n".join(lines) + "\n"
