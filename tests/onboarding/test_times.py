"""Time formats, each held against Spark's own reading in the ingest stage."""

from datetime import UTC, datetime

import pytest

from reclife.config.columns import TimeColumn
from reclife.onboarding.times import time_format

NOON = datetime(2024, 3, 14, 12, 5, 9, tzinfo=UTC)
DAY = datetime(2024, 3, 14, tzinfo=UTC)
MINUTE = datetime(2024, 3, 14, 12, 5, tzinfo=UTC)
CASES = [
    ("1710417909", "epoch_seconds", NOON),
    ("1710417909.25", "epoch_seconds", NOON),
    ("1710417909000", "epoch_milliseconds", NOON),
    ("2024-03-14T12:05:09Z", "iso", NOON),
    ("2024-03-14T20:05:09+08:00", "iso", NOON),
    ("2024-03-14T20:05:09.125+0800", "iso", NOON),
    ("2024-03-14 12:05:09", "iso", NOON),
    ("2024-03-14", "iso", DAY),
    ("2024-03-14 12:05", "yyyy-M-d H:m", MINUTE),
    ("2024/3/14 12:05:09", "yyyy/M/d H:m:s", NOON),
    ("2024/03/14", "yyyy/M/d", DAY),
    ("2024年3月14日 12:05", "yyyy'年'M'月'd'日' H:m", MINUTE),
    ("14.03.2024 12:05:09", "d.M.yyyy H:m:s", NOON),
    ("14/03/2024", "d/M/yyyy", DAY),
    ("03/14/2024 12:05", "M/d/yyyy H:m", MINUTE),
    ("20240314", "yyyyMMdd", DAY),
    ("20240314120509", "yyyyMMddHHmmss", NOON),
]


@pytest.mark.parametrize(("text", "expected", "_when"), CASES)
def test_formats_are_recognised(text: str, expected: str, _when: datetime) -> None:
    found = time_format([text] * 10)
    assert found is not None
    assert found.format == expected


def test_ingest_reads_each_recognised_format(spark) -> None:
    from pyspark.sql import functions as sf
    from pyspark.sql.types import StringType

    from reclife.sources.parsing import parse_time

    frame = spark.createDataFrame([(text,) for text, _, _ in CASES], ["raw"])
    values = []
    for text, expected, _ in CASES:
        declared = TimeColumn.model_validate({"from": "raw", "format": expected})
        parsed = parse_time("timestamp", declared, sf.col("raw"), StringType())
        values.append(sf.when(sf.col("raw") == text, parsed.value))
    rows = frame.select("raw", sf.coalesce(*values).alias("seconds")).collect()
    read = {row.raw: row.seconds for row in rows}
    assert read == {text: int(when.timestamp()) for text, _, when in CASES}


@pytest.mark.parametrize(
    "texts", [[], ["1", "2"], ["4.5", "3.0"], ["abc"], ["12345678901234567"], ["2024"]]
)
def test_what_is_no_time_is_not_taken_for_one(texts: list[str]) -> None:
    assert time_format(texts) is None
