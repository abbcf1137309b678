"""What one more feature costs: 26 categories, 13 numbers, two sequences, six windows."""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

from reclife.config.features import FeaturesConfig
from tests.benchmarks.click_log import SIZES, write_click_log
from tests.benchmarks.features_job import HISTORY, SPARK, encodings, looks_back, numbers, run
from tests.benchmarks.lines import Line

ROWS = {"small": 1_000_000, "full": 5_000_000}
ROUNDS = 2
"""The faster run counts: what another program takes away only adds."""
WINDOWS = ("1h", "6h", "1d", "7d", "30d", "all")
CATEGORIES = 3 * SIZES
"""Sizes of 24 categories; user and item make 26."""
Declared = list[dict[str, Any]]


def groups() -> Iterator[tuple[str, Declared]]:
    """Yield what is added to the declaration, step by step."""
    first, second, *others = encodings(len(CATEGORIES))
    types = {"source": "interaction", "column": "event", "length": 50}
    yield "ids", [first, second]
    yield "category", others
    yield "number", list(numbers())
    yield "window", list(looks_back(WINDOWS))
    yield "sequence", [HISTORY, {"kind": "category_sequence", "name": "types", **types}]


def measure(scale: str) -> list[Line]:
    """Time the declarations in a process of their own, one group of features after the other."""
    rows = ROWS[scale]
    with tempfile.TemporaryDirectory(prefix="reclife-bench-") as folder:
        write_click_log(Path(folder, "log.parquet"), rows, sizes=CATEGORIES)
        command = [sys.executable, "-m", "tests.benchmarks.features_zoo", "--folder", folder]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds = json.loads(done.stdout.strip().splitlines()[-1])
    lines = [Line("features", f"zoo_{rows}", seconds[-1], "s")]
    for (name, added), (before, after) in zip(list(groups())[1:], pairwise(seconds), strict=True):
        lines.append(Line("features", f"zoo_{name}_{rows}", (after - before) / len(added), "s"))
    return lines


def main() -> None:
    """Print the seconds of each declaration, each with one group more than the one before."""
    from reclife.runtime.spark import start

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, required=True)
    folder = parser.parse_args().folder
    spark = start(SPARK)
    declared = [
        FeaturesConfig.model_validate(
            {"split": {"kind": "global_time"}, "past": {"ties": ["item_id"]}, "features": features}
        )
        for features in accumulate(added for _, added in groups())
    ]
    run(spark, declared[-1], folder / "log.parquet", folder / "out")  # warms up
    rounds = []
    for _ in range(ROUNDS):
        seconds = []
        for config in declared:
            begun = time.monotonic()
            run(spark, config, folder / "log.parquet", folder / "out")
            seconds.append(time.monotonic() - begun)
        rounds.append(seconds)
    print(json.dumps([min(each) for each in zip(*rounds, strict=True)]))  # noqa: T201 - as meant
    spark.stop()


if __name__ == "__main__":
    main()
