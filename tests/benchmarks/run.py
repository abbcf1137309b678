"""The whole default lifecycle, warm, by stage."""

import os
import subprocess
import sys
import time
from pathlib import Path

from reclife.contracts import STAGES
from reclife.runtime.records import find_record
from reclife.runtime.run import RUN_VARIABLE, new_run_id
from tests.benchmarks.lines import Line

WARM_SECONDS = 150.0


def measure(scale: str) -> list[Line]:
    """Run the default lifecycle in a process of its own and read its completion records."""
    del scale  # the embedded data has one size
    run_id = new_run_id()
    started = time.monotonic()
    subprocess.run(
        [str(Path(sys.executable).with_name("kedro")), "run"],
        env={**os.environ, RUN_VARIABLE: run_id},
        check=True,
        stdout=subprocess.DEVNULL,
    )
    wall = time.monotonic() - started
    records = [record for stage in STAGES if (record := find_record(run_id, stage))]
    stages = [Line("run", record.stage, record.seconds, "s") for record in records]
    inside = sum(record.seconds for record in records)
    start = Line("run", "start", wall - inside, "s")
    return [start, *stages, Line("run", "total", wall, "s", WARM_SECONDS)]
