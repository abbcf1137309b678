"""The base of every configuration model: closed, immutable, its numbers finite."""

from collections.abc import Iterator, Mapping
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, model_validator


class Schema(BaseModel):
    """A closed, immutable piece of the declaration; an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _truth_is_no_number(cls, declared: Any) -> Any:
        """Refuse `yes` or `true` for a number, which would be read as 1."""
        if isinstance(declared, Mapping):
            for name, value in declared.items():
                if isinstance(value, bool) and name in cls.model_fields:
                    members = set(_members(cls.model_fields[name].annotation))
                    if members <= {int, float, type(None)}:
                        raise ValueError(f"{name} should be a number, not {str(value).lower()}")
        return declared


def _members(annotation: Any) -> Iterator[Any]:
    """Yield the types of which a value may be."""
    if get_origin(annotation) in (Union, UnionType, Annotated):
        for member in get_args(annotation):
            yield from _members(member)
    else:
        yield annotation
