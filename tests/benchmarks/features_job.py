"""Computes the features of a click log in a process of its own and prints one JSON line.

Per event: ten encodings, counts and click rates over a day, a week and ever by user and item, the
user's last 50 items, thirteen standardized numbers and whether they were missing.
"""

import argparse
import json
import resource
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reclife.config.features import FeaturesConfig
from tests.benchmarks.click_log import NUMBERS, SIZES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SPARK = {
    "spark.master": "local[2]",
    "spark.driver.memory": "2g",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
    "spark.sql.shuffle.partitions": "4",
    "spark.sql.parquet.compression.codec": "zstd",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}
FITTED_SHARE = (8, 10)
"""Vocabularies and statistics know this part of the time span, its beginning."""


def declaration() -> FeaturesConfig:
    """Return the features as a user would declare them."""
    return FeaturesConfig.model_validate(
        {
            "split": {"kind": "global_time"},
            "past": {"ties": ["item_id"]},
            "features": [*_encodings(), *_windows(), *_numbers()],
        }
    )


def _encodings() -> Iterator[dict[str, Any]]:
    columns = {"user_id": "user", "item_id": "item"}
    columns |= {f"cat{number}": "interaction" for number in range(1, len(SIZES) + 1)}
    for column, source in columns.items():
        named = {"kind": "category", "name": f"{column}_enc", "source": source, "column": column}
        yield {**named, "min_count": 5}
    yield {"kind": "sequence", "name": "history", "of": "item_id_enc", "length": 50}


def _windows() -> Iterator[dict[str, Any]]:
    clicks = {"column": "event", "equals": ["click"]}
    for by in ("user", "item"):
        for window in ("1d", "7d", "all"):
            shared = {"kind": "window", "by": by, "window": window}
            yield {**shared, "name": f"{by}_n_{window}", "statistic": "count"}
            rate = {"statistic": "rate", "where": clicks}
            yield {**shared, "name": f"{by}_ctr_{window}", **rate}


def _numbers() -> Iterator[dict[str, Any]]:
    scaled = {"missing": "mean", "standardize": True, "indicator": True}
    for number in range(1, NUMBERS + 1):
        column = f"num{number}"
        read = {"kind": "numeric", "source": "interaction", "column": column}
        yield {**read, "name": f"{column}_z", **scaled}


def run(spark: "SparkSession", data: Path, out: Path) -> int:
    """Fit, compute and write the features; return the rows written."""
    from pyspark.sql import functions as sf

    from reclife.transforms.fit import fit
    from reclife.transforms.spark import features_for_spark

    config = declaration()
    log = spark.read.parquet(str(data)).withColumnRenamed("ts", "timestamp")
    log = log.withColumn("label", (sf.col("event") == "click").cast("double"))
    low, high = log.agg(sf.min("timestamp"), sf.max("timestamp")).first() or (0, 0)
    part, whole = FITTED_SHARE
    items, users = log.select("item_id").distinct(), log.select("user_id").distinct()
    train = log.where(sf.col("timestamp") < low + (high - low) * part // whole)
    state = fit(train, items, users, config)
    found = features_for_spark(log, log, items, users, state, item_cut=None)
    written = [output for feature in config.features for output in feature.outputs]
    names = {name: name.replace("_z_missing", "_null").removesuffix("_z") for name in written}
    renamed = [sf.col(name).alias(other) for name, other in names.items()]
    rows = found.select("event_id", sf.col("timestamp").alias("ts"), *renamed)
    rows.write.mode("overwrite").parquet(str(out))
    return spark.read.parquet(str(out)).count()


def main() -> None:
    """Parse the command line, warm up once, then measure."""
    from reclife.runtime.spark import start

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--repeats", type=int, default=1)
    chosen = parser.parse_args()
    begun = time.monotonic()
    spark = start(SPARK)
    started = time.monotonic() - begun
    seconds = []
    for _ in range(1 + chosen.repeats):
        begun = time.monotonic()
        rows = run(spark, chosen.data, chosen.out)
        seconds.append(time.monotonic() - begun)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    figures = {
        "rows": rows,
        "seconds_start": started,
        "seconds_first": seconds[0],
        "seconds_median": statistics.median(seconds[1:] or seconds),
        "python_mb": peak / 1024,
    }
    print(json.dumps(figures))  # noqa: T201 - this is what the command is for
    spark.stop()


if __name__ == "__main__":
    main()
