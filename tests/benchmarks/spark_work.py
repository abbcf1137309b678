"""What a Spark session has done so far, and the memory of all its processes."""

import os
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Work(NamedTuple):
    """Jobs, stages that read a source and stages that write a shuffle."""

    jobs: int
    scans: int
    shuffles: int

    def since(self, earlier: "Work") -> "Work":
        """Return what was done after `earlier`."""
        return Work(*(now - then for now, then in zip(self, earlier, strict=True)))


def work_of(spark: "SparkSession") -> Work:
    """Return what Spark's own status store counts."""
    context: Any = spark.sparkContext._jsc.sc()
    store = context.statusStore()
    defaults = [getattr(store, f"stageList$default${place}")() for place in range(2, 6)]
    found = store.stageList(None, *defaults)
    stages = [found.apply(place) for place in range(found.size())]
    scans = sum(stage.inputBytes() > 0 for stage in stages)
    return Work(
        store.jobsList(None).size(), scans, sum(stage.shuffleWriteBytes() > 0 for stage in stages)
    )


def peak_mb() -> float:
    """Return the sum of the largest resident sizes of this process and all that descend from it."""
    children: dict[int, list[int]] = defaultdict(list)
    peaks: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            status = (folder / "status").read_text(encoding="utf-8")
        except OSError:
            continue  # it has ended
        fields = dict(line.split(":", 1) for line in status.splitlines())
        children[int(fields["PPid"])].append(int(folder.name))
        peaks[int(folder.name)] = int(fields.get("VmHWM", "0 kB").split()[0])
    family = [os.getpid()]
    for process in family:
        family += children[process]
    return sum(peaks[process] for process in family) / 1024
