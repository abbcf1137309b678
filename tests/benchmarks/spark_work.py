"""What a Spark session has done so far, how even its tasks were, and the memory it took."""

import os
import statistics
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


EVEN = 4
"""Tasks from which on a stage's slowest is compared with its median one."""


class Work(NamedTuple):
    """Jobs, stages that read no shuffle but a source, stages that write one, stages in all."""

    jobs: int
    scans: int
    shuffles: int
    stages: int

    def since(self, earlier: "Work") -> "Work":
        """Return what was done after `earlier`."""
        return Work(*(now - then for now, then in zip(self, earlier, strict=True)))


def work_of(spark: "SparkSession") -> Work:
    """Return what Spark's own status store counts."""
    stages = _stages(spark)
    ran = [stage for stage in stages if stage.numCompleteTasks()]
    return Work(
        _store(spark).jobsList(None).size(),
        sum(stage.shuffleReadBytes() == 0 for stage in ran),
        sum(stage.shuffleWriteBytes() > 0 for stage in ran),
        len(stages),
    )


def unevenness(spark: "SparkSession", stages: int) -> float:
    """Return the slowest task's time over the median's, of the worst of the newest `stages`."""
    found = [_seconds(spark, stage) for stage in _stages(spark)[:stages]]
    return max(max(one) / statistics.median(one) for one in found if len(one) >= EVEN)


def _seconds(spark: "SparkSession", stage: Any) -> list[float]:
    """Return how long each task of a stage ran."""
    tasks = _store(spark).taskList(stage.stageId(), stage.attemptId(), 100_000)
    return [tasks.apply(n).duration().get() / 1000 for n in range(tasks.size())]


def _store(spark: "SparkSession") -> Any:
    context: Any = spark.sparkContext._jsc.sc()
    return context.statusStore()


def _stages(spark: "SparkSession") -> list[Any]:
    """Return the stages, the newest first."""
    store = _store(spark)
    defaults = [getattr(store, f"stageList$default${place}")() for place in range(2, 6)]
    found = store.stageList(None, *defaults)
    stages = [found.apply(place) for place in range(found.size())]
    return sorted(stages, key=lambda stage: stage.stageId(), reverse=True)


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
