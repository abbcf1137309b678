"""`kind: text_ngrams`: the n-grams of a text, hashed."""

import re
from collections.abc import Mapping
from typing import final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reclife.config.encodings import TextNgramsFeature
from reclife.contracts import FIRST_ID, PADDING_ID, Feature
from reclife.transforms.base import Transform, attached, role_of
from reclife.transforms.kernels.arrays import (
    Ints,
    bucket_ids,
    column,
    lists,
    positions,
    value_hashes,
)
from reclife.transforms.kernels.frame import Frame

_WORD = re.compile(r"\w+")


@final
class TextNgrams(Transform):
    """2 + hash mod buckets of the first `max_length` n-grams, in their order, repeats kept."""

    def __init__(self, declaration: TextNgramsFeature) -> None:
        self._declaration = declaration
        self.request_attributes = frozenset({(declaration.source, declaration.column)})

    def features(self) -> tuple[Feature, ...]:
        """Return one list of int64."""
        return (
            Feature(
                name=self._declaration.name,
                role=role_of(self._declaration.source),
                kind="multi_category",
                dtype="int64",
                shape=(self._declaration.max_length,),
                table=self._declaration.name,
            ),
        )

    def compute(self, frame: Frame) -> Mapping[str, pa.Array]:
        """Return the ids, [M, L]; a null text, or one too short, is all padding."""
        name = attached(self._declaration.source, self._declaration.column)
        texts = column(frame.requests, name).cast(pa.string())
        distinct = pc.unique(texts.drop_null())
        encoded = self._encode(distinct.to_pylist())
        return {self._declaration.name: lists(encoded[positions(texts, distinct)])}

    def _encode(self, texts: list[str]) -> Ints:
        """Return the ids of each text, and a last row of padding for no text, [N + 1, L]."""
        declaration = self._declaration
        grams = [ngrams(text, declaration)[: declaration.max_length] for text in texts]
        flat = pa.array([gram for row in grams for gram in row], pa.string())
        ids = np.full((len(texts) + 1, declaration.max_length), PADDING_ID, np.int64)
        filled = np.arange(declaration.max_length) < np.array([*map(len, grams), 0])[:, None]
        ids[filled] = bucket_ids(value_hashes(flat), declaration.buckets, FIRST_ID)
        return ids


def ngrams(text: str, declaration: TextNgramsFeature) -> list[str]:
    """Return the n-grams of a text in lower case: words joined by a space, or characters.

    Words are runs of letters, digits and underscores; for characters, white space of any length is
    one space, and none at the ends.
    """
    lower, n = text.lower(), declaration.n
    if declaration.unit == "word":
        words = _WORD.findall(lower)
        return [" ".join(words[i : i + n]) for i in range(len(words) - n + 1)]
    plain = " ".join(lower.split())
    return [plain[i : i + n] for i in range(len(plain) - n + 1)]
