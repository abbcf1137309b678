"""Computes the features of a click log in a process of its own and prints one JSON line.

Per event: ten encodings, counts and click rates over a day, a week and ever by user and item, the
user's last 50 items, thirteen standardized numbers and whether they were missing.
"""

import argparse
import json
import statistics
import time
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reclife.config.features import FeaturesConfig
from tests.benchmarks.click_log import NUMBERS, SIZES
from tests.benchmarks.spark_work import peak_mb, unevenness, work_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SPARK = {
    "spark.master": "local[2]",
    "spark.driver.memory": "1g",
    "spark.sql.shuffle.partitions": "16",
    "spark.sql.parquet.compression.codec": "zstd",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}
WINDOWS = ("1d", "7d", "all")
HISTORY = {"kind": "sequence", "name": "history", "of": "item_id_enc", "length": 50}
FITTED_SHARE = (8, 10)
"""Vocabularies and statistics know this part of the time span, its beginning."""


def declaration() -> FeaturesConfig:
    """Return the features as a user would declare them."""
    return FeaturesConfig.model_validate(
        {
            "split": {"kind": "global_time"},
            "past": {"ties": ["item_id"]},
            "features": [*encodings(len(SIZES)), HISTORY, *looks_back(WINDOWS), *numbers()],
        }
    )


def encodings(categories: int) -> Iterator[dict[str, Any]]:
    """Yield the encodings of user, item and some categories."""
    columns = {"user_id": "user", "item_id": "item"}
    columns |= {f"cat{number}": "interaction" for number in range(1, categories + 1)}
    for column, source in columns.items():
        named = {"kind": "category", "name": f"{column}_enc", "source": source, "column": column}
        yield {**named, "min_count": 5}


def looks_back(windows: Collection[str]) -> Iterator[dict[str, Any]]:
    """Yield counts and click rates by user and by item."""
    clicks = {"column": "event", "equals": ["click"]}
    for by in ("user", "item"):
        for window in windows:
            shared = {"kind": "window", "by": by, "window": window}
            yield {**shared, "name": f"{by}_n_{window}", "statistic": "count"}
            rate = {"statistic": "rate", "where": clicks}
            yield {**shared, "name": f"{by}_ctr_{window}", **rate}


def numbers() -> Iterator[dict[str, Any]]:
    """Yield the standardized numbers, each with whether it was missing."""
    scaled = {"missing": "mean", "standardize": True, "indicator": True}
    for number in range(1, NUMBERS + 1):
        column = f"num{number}"
        read = {"kind": "numeric", "source": "interaction", "column": column}
        yield {**read, "name": f"{column}_z", **scaled}


def run(spark: "SparkSession", config: FeaturesConfig, data: Path, out: Path) -> None:
    """Fit, compute and write the features."""
    from pyspark.sql import functions as sf

    from reclife.transforms.engine.fit import fit
    from reclife.transforms.engine.spark import features_for_spark
    from reclife.transforms.engine.written import Into

    log = spark.read.parquet(str(data)).withColumnRenamed("ts", "timestamp")
    log = log.withColumn("label", (sf.col("event") == "click").cast("double"))
    low, high = log.agg(sf.min("timestamp"), sf.max("timestamp")).first() or (0, 0)
    part, whole = FITTED_SHARE
    items, users = log.select("item_id").distinct(), log.select("user_id").distinct()
    train = log.where(sf.col("timestamp") < low + (high - low) * part // whole)
    state = fit(train, items, users, config)
    written = [output for feature in config.features for output in feature.outputs]
    names = {name: name.replace("_z_missing", "_null").removesuffix("_z") for name in written}
    own = {"event_id": "event_id", "timestamp": "ts"}
    into = Into(str(out), own | names)
    features_for_spark(log, log, items, users, state, item_cut=None, kept=[*own], into=into)


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
        before = work_of(spark)
        begun = time.monotonic()
        run(spark, declaration(), chosen.data, chosen.out)
        seconds.append(time.monotonic() - begun)
    work = work_of(spark).since(before)
    figures = {
        "rows": spark.read.parquet(str(chosen.out)).count(),
        "seconds_start": started,
        "seconds_first": seconds[0],
        "seconds_median": statistics.median(seconds[1:] or seconds),
        "peak_rss_mb": peak_mb(),
        "slowest_to_median_task": unevenness(spark, work.stages),
        **work._asdict(),
    }
    print(json.dumps(figures))  # noqa: T201 - this is what the command is for
    spark.stop()


if __name__ == "__main__":
    main()
