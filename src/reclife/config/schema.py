"""The base of every configuration model: closed and frozen."""

from pydantic import BaseModel, ConfigDict


class Schema(BaseModel):
    """A closed, immutable piece of the declaration; an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)
