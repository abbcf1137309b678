"""Bounds on gradients."""

from typing import Annotated, Literal, final

from pydantic import Field, PositiveFloat

from reclife.config.schema import Schema


class _Limit(Schema):
    limit: PositiveFloat


@final
class ValueClippingConfig(_Limit):
    """Every number of a gradient is kept within +- `limit`."""

    kind: Literal["value"] = "value"


@final
class NormClippingConfig(_Limit):
    """The gradient of each table and of each dense weight is kept to a norm of `limit`."""

    kind: Literal["norm"] = "norm"


@final
class GlobalNormClippingConfig(_Limit):
    """The whole gradient, sparse and dense together, is kept to a norm of `limit`."""

    kind: Literal["global_norm"] = "global_norm"


ClippingConfig = Annotated[
    ValueClippingConfig | NormClippingConfig | GlobalNormClippingConfig,
    Field(discriminator="kind"),
]
