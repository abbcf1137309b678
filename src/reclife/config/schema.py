"""The base of every configuration model: closed, immutable, its numbers finite."""

from collections.abc import Iterator, Mapping, Sequence
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, model_validator

QUOTE = "YAML reads yes, no, on, off, true and false as booleans: quote the text"
"""What to do with a boolean that was meant as a text."""


class Schema(BaseModel):
    """A closed, immutable piece of the declaration; an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _truth_is_no_number(cls, declared: Any) -> Any:
        """Refuse `yes` or `true` for a number, alone or in a list, which would be read as 1."""
        if isinstance(declared, Mapping):
            for name, value in declared.items():
                if name in cls.model_fields:
                    for meant in _misread(value, [cls.model_fields[name].annotation]):
                        raise ValueError(f"{name}: {meant}")
        return declared


def _misread(value: Any, annotations: Sequence[Any]) -> Iterator[str]:
    """Yield what to do wherever `value` is true or false and would be read as a number."""
    members = [member for one in annotations for member in _members(one)]
    if isinstance(value, bool):
        if {int, float} & set(members) and bool not in members:
            yield QUOTE if str in members else "a number is meant, not true or false"
    elif isinstance(value, list | tuple):
        lists = [member for member in members if get_origin(member) in (tuple, list, frozenset)]
        for element in value:
            yield from _misread(element, [one for each in lists for one in get_args(each)])


def _members(annotation: Any) -> Iterator[Any]:
    """Yield the types of which a value may be."""
    if get_origin(annotation) is Annotated:
        yield from _members(get_args(annotation)[0])
    elif get_origin(annotation) in (Union, UnionType):
        for member in get_args(annotation):
            yield from _members(member)
    else:
        yield annotation
