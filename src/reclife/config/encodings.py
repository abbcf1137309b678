"""Declarations of features of the row whose ids need no counted vocabulary, and of vectors."""

import zoneinfo
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self, final

from pydantic import AfterValidator, Field, FiniteFloat, model_validator

from reclife.config.attributes import ColumnFeature, NamedFeature
from reclife.config.schema import Schema

Buckets = Annotated[int, Field(ge=1, le=2**30, description="Ids 2 to buckets + 1.")]


@final
class HashedCategoryFeature(ColumnFeature):
    """The hash of an int64 or text as its id: 1 for a missing one, 2 to buckets + 1 otherwise."""

    kind: Literal["hashed_category"]
    buckets: Buckets
    table: str | None = Field(None, description="Embedding table; the feature's name by default.")


@final
class Boundaries(Schema):
    """Declared boundaries b_1 < ... < b_n: n + 1 buckets, [b_i, b_i+1)."""

    kind: Literal["boundaries"]
    values: tuple[FiniteFloat, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _rise(self) -> Self:
        if list(self.values) != sorted(set(self.values)):
            raise ValueError(f"boundaries must rise strictly: {list(self.values)}")
        return self


@final
class Quantiles(Schema):
    """Boundaries at the quantiles k / count of the training rows' finite numbers, each once."""

    kind: Literal["quantiles"]
    count: int = Field(ge=2, le=1000, description="Buckets, before equal boundaries fall together.")


@final
class LogScale(Schema):
    """Boundaries 1, base, base^2, ...: below 1 the first bucket, the last one open."""

    kind: Literal["log"]
    base: float = Field(2.0, gt=1, le=1e6)
    count: int = Field(ge=2, le=1000, description="Buckets.")

    @model_validator(mode="after")
    def _is_finite(self) -> Self:
        try:
            self.base ** (self.count - 2)
        except OverflowError:
            raise ValueError(f"base {self.base} with {self.count} buckets is too large") from None
        return self


Cut = Annotated[Boundaries | Quantiles | LogScale, Field(discriminator="kind")]


@final
class BucketizeFeature(ColumnFeature):
    """The id of the bucket that a number lies in: 1 for a missing one, from 2 by rising bucket."""

    kind: Literal["bucketize"]
    cut: Cut


@final
class CrossFeature(NamedFeature):
    """The hash of two or three features' ids, as one id: 1 where one of theirs is 1."""

    kind: Literal["cross"]
    of: tuple[str, ...] = Field(
        min_length=2,
        max_length=3,
        description="Names of category, hashed_category, bucketize or date_part features.",
    )
    buckets: Buckets

    @model_validator(mode="before")
    @classmethod
    def _is_bounded(cls, declared: Any) -> Any:
        if isinstance(declared, Mapping) and declared.get("buckets") is None:
            raise ValueError(
                f"{declared.get('name')}: a cross multiplies the vocabularies that it is of, which "
                "has no bound: declare `buckets`, the number of ids that it is hashed into"
            )
        return declared


def _known_zone(name: str) -> str:
    try:
        zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError(f"{name!r} is no IANA time zone, such as Europe/Berlin or UTC") from None
    return name


@final
class DatePartFeature(NamedFeature):
    """A part of the request's local date or time, from 2 by rising value.

    hour 0-23, day_of_week 0-6 from Monday, day_of_month 1-31, month 1-12, is_weekend 0-1.
    """

    kind: Literal["date_part"]
    part: Literal["hour", "day_of_week", "day_of_month", "month", "is_weekend"]
    time_zone: Annotated[
        str, Field(pattern=r"^(UTC|[A-Z][A-Za-z]*/.+)$"), AfterValidator(_known_zone)
    ] = Field(description="IANA name; the machine's own zone never matters.")


@final
class VectorFeature(ColumnFeature):
    """A list of numbers, or a text of numbers with commas between, of one declared length."""

    kind: Literal["vector"]
    length: int = Field(ge=1, le=65536)


@final
class TextNgramsFeature(ColumnFeature):
    """Hashed n-grams of the lower-cased text, at most `max_length`, padded with 0 behind."""

    kind: Literal["text_ngrams"]
    unit: Literal["word", "char"] = "word"
    n: int = Field(1, ge=1, le=8, description="Words or characters an n-gram has.")
    buckets: Buckets
    max_length: int = Field(ge=1)
