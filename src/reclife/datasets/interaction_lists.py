"""Files of lines `user item item ...`, the form in which Gowalla and others are published."""

from typing import TYPE_CHECKING, final

from reclife.datasets.read_only import ReadOnly
from reclife.runtime.spark import session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@final
class InteractionLists(ReadOnly["DataFrame"]):
    """One row for each item of a line, of which the first word is the user.

    Args:
        filepath: A file, or a folder of files, on any file system that Spark reads.
        separator: Between the words of a line; white space of any length by default.
    """

    def __init__(self, filepath: str, separator: str | None = None) -> None:
        self._filepath = filepath
        self._separator = separator

    def load(self) -> "DataFrame":
        """Return `user, item` (texts) and `place` (0 for the line's first item), lazily."""
        from pyspark.sql import functions as sf

        pattern = r"\s+" if self._separator is None else rf"\Q{self._separator}\E"
        lines = session().read.text(self._filepath).where(sf.trim("value") != "")
        words = lines.select(sf.split(sf.trim("value"), pattern).alias("words"))
        first, others = sf.element_at("words", 1), sf.slice("words", 2, sf.size("words"))
        rows = words.select(first.alias("user"), sf.posexplode(others).alias("place", "item"))
        return rows.select("user", "item", "place").where("item <> ''")

    def _describe(self) -> dict[str, str]:
        return {"filepath": self._filepath}
