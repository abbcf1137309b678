"""The fitted state of the features: declaration, vocabularies, statistics; pure data."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, final

from reclife.config.features import FeaturesConfig
from reclife.contracts import FIRST_ID, OOV_ID, digest
from reclife.errors import ArtifactError

if TYPE_CHECKING:
    import pyarrow as pa

    from reclife.transforms.kernels.arrays import Ints

_STATE = "state.json"
_VOCABULARIES = "vocabularies"


@final
@dataclass(frozen=True)
class FeatureState:
    """Everything learnt from the training part.

    Attributes:
        config: The declaration it was fitted for.
        vocabularies: Per embedding table its values; that at position i has the id i + 2, or
            i + 2 + B behind B buckets of hashes: a vocabulary that grows moves no id. A bucket of
            numbers is called by its lower end. Tables of hashes alone have none.
        statistics: Fitted numbers by name, see `mean_of` and `deviation_of`.
    """

    config: FeaturesConfig
    vocabularies: Mapping[str, "pa.Array"]
    statistics: Mapping[str, float]

    @property
    def hash(self) -> str:
        """One hash over declaration and fitted values, the same under any partitioning."""
        return digest(
            {
                "features": self.config.model_dump(mode="json", include={"features", "past"}),
                "statistics": dict(self.statistics),
                "vocabularies": {name: self.vocabulary_hash(name) for name in self.vocabularies},
            }
        )

    def vocabulary_hash(self, table: str) -> str:
        """Return the hash of one vocabulary, order included, and of its number of buckets."""
        values = self.vocabularies[table].to_pylist() if table in self.vocabularies else []
        buckets = self.config.buckets(table)
        return digest({"values": values, "buckets": buckets} if buckets else values)

    def table_size(self, table: str) -> int:
        """Return the rows of an embedding table, the reserved ids included."""
        return self.first_value(table) + len(self.vocabularies.get(table, ()))

    def first_value(self, table: str) -> int:
        """Return the id of the vocabulary's first value, behind those of all buckets."""
        return FIRST_ID + self.config.buckets(table)

    def encode(self, table: str, values: "pa.Array") -> "Ints":
        """Return the id of each value, [N]: 1 for null.

        A value outside the vocabulary has the id 1 or, in a table with buckets, that of its hash's
        bucket.
        """
        import numpy as np

        from reclife.transforms.kernels.arrays import bucket_ids, positions, value_hashes

        ids = np.full(len(values), OOV_ID, np.int64)
        if table in self.vocabularies:
            places = positions(values, self.vocabularies[table])
            ids = np.where(places >= 0, places + self.first_value(table), OOV_ID)
        buckets = self.config.buckets(table)
        if not buckets:
            return ids
        outside = (ids == OOV_ID) & values.is_valid().to_numpy(zero_copy_only=False)
        hashed = bucket_ids(value_hashes(values), buckets, FIRST_ID)
        return np.where(outside, hashed, ids)

    def prior(self, value: str) -> float:
        """Return the mean of an event value over the training part."""
        return self.statistics[mean_of("event", value)]

    def save(self, folder: Path) -> None:
        """Write `state.json` and one Parquet file per vocabulary."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        (folder / _VOCABULARIES).mkdir(parents=True, exist_ok=True)
        for table, values in self.vocabularies.items():
            pq.write_table(pa.table({"value": values}), folder / _VOCABULARIES / f"{table}.parquet")
        document = {
            "config": self.config.model_dump(mode="json"),
            "statistics": dict(self.statistics),
            "vocabularies": sorted(self.vocabularies),
        }
        (folder / _STATE).write_text(json.dumps(document, indent=1), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> "FeatureState":
        """Read what `save` wrote.

        Raises:
            ArtifactError: The folder holds no complete state.
        """
        import pyarrow.parquet as pq

        try:
            document = json.loads((folder / _STATE).read_text(encoding="utf-8"))
            vocabularies = {
                table: pq.read_table(folder / _VOCABULARIES / f"{table}.parquet")["value"]
                for table in document["vocabularies"]
            }
        except (OSError, ValueError, KeyError) as problem:
            raise ArtifactError(f"{folder} holds no readable feature state: {problem}") from problem
        return cls(
            FeaturesConfig.model_validate(document["config"]),
            {table: values.combine_chunks() for table, values in vocabularies.items()},
            document["statistics"],
        )


def mean_of(source: str, column: str) -> str:
    """Return the name of a fitted mean."""
    return f"mean:{source}:{column}"


def minimum_of(source: str, column: str) -> str:
    """Return the name of a fitted minimum."""
    return f"minimum:{source}:{column}"


def maximum_of(source: str, column: str) -> str:
    """Return the name of a fitted maximum."""
    return f"maximum:{source}:{column}"


def deviation_of(source: str, column: str) -> str:
    """Return the name of a fitted standard deviation."""
    return f"deviation:{source}:{column}"
