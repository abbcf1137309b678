"""A model of the user's own."""

from typing import Any, Literal, final

from pydantic import Field

from reclife.config.dotted import DottedPath
from reclife.config.schema import Schema


@final
class CustomConfig(Schema):
    """What a function of the user's own builds; it says itself which options it takes."""

    kind: Literal["custom"] = "custom"
    path: DottedPath = Field(description="Where the function is: `package.module:function`.")
    options: dict[str, Any] = Field(default_factory=dict, description="Its first argument.")
