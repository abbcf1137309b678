"""How even the tasks are where one user has a million events and one item every third one.

Nulls are no keys: ingest sets aside interactions without a user or an item.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.click_log import write_click_log
from tests.benchmarks.lines import Line

ROWS = 5_000_000
HOT_ITEM, HOT_USER = 0.3, 0.2
"""The user's share makes a million events."""
AT_MOST = 3.0


def measure() -> list[Line]:
    """Compute the features of a skewed log in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="reclife-bench-") as name:
        data, out = Path(name, "log.parquet"), Path(name, "out")
        write_click_log(data, ROWS, hot_item=HOT_ITEM, hot_user=HOT_USER)
        job = ("-m", "tests.benchmarks.features_job", "--data", str(data), "--out", str(out))
        done = subprocess.run([sys.executable, *job], check=True, capture_output=True, text=True)
    told = json.loads(done.stdout.strip().splitlines()[-1])
    uneven = told["slowest_to_median_task"]
    return [
        Line("features", f"skewed_seconds_{ROWS}", told["seconds_median"], "s"),
        Line("features", f"skewed_peak_rss_mb_{ROWS}", told["peak_rss_mb"], "MB"),
        Line("features", f"skewed_slowest_to_median_task_{ROWS}", uneven, "x", AT_MOST),
    ]
