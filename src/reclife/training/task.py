"""`python -m reclife.training.task FOLDER`: one process of a training cluster."""

import argparse
import logging
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from reclife.errors import ReclifeError
from reclife.training.launchers.cluster import TF_CONFIG, Cluster, Task, from_tf_config
from reclife.training.launchers.guard import die_with_parent
from reclife.training.launchers.job import Job
from reclife.training.launchers.peers import lost

_LOG = logging.getLogger(__name__)
_FORMAT = "%(asctime)s %(levelname)-8s %(message)s"
_ALONE = Task("worker", 0)
REFUSED = 65
"""Exit status of a task that gave up for a reason it noted: to start it again would not help."""

CRASHED = 70
"""Exit status of a task that failed otherwise: its log has the trace."""


def main() -> int:
    """Do the part of the task that `TF_CONFIG` names; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m reclife.training.task", description=__doc__)
    parser.add_argument("folder", type=Path, help="folder of the training, shared by all tasks")
    parser.add_argument("--wait", type=float, default=120.0, help="seconds to wait for it")
    parser.add_argument("--guarded", action="store_true", help="end when standard input closes")
    arguments = parser.parse_args()
    if arguments.guarded:
        die_with_parent()
    # A handler of Python's own goes on when the log cannot be written: the disk may be full.
    logging.basicConfig(level=logging.INFO, format=_FORMAT, datefmt="%H:%M:%S", stream=sys.stdout)
    logging.getLogger("tensorflow").setLevel(logging.ERROR)
    job, cluster, task = Job(arguments.folder), None, _ALONE
    try:
        if TF_CONFIG in os.environ:
            cluster, task = from_tf_config(os.environ[TF_CONFIG])
        _do(job, cluster, task, arguments.wait)
    except ReclifeError as error:
        job.finish(task, error)
        _LOG.error("%s", error)
        return REFUSED
    return 0


def _do(job: Job, cluster: Cluster | None, task: Task, wait: float) -> None:
    description = job.awaited(wait)
    from reclife.training.duties import DUTIES

    DUTIES[description.config.topology.kind](job, description, cluster, task)


def run() -> NoReturn:
    """End this process with the status of `main`."""
    status = CRASHED
    try:
        status = main()
    except Exception as error:  # noqa: BLE001 - the trace goes to the log of the task
        _LOG.exception("The task crashed.")
        first, *_ = str(error).splitlines() or [""]
        _LOG.error("%s", lost(error) or f"{type(error).__name__}: {first}")  # its last words
    finally:
        with suppress(OSError):
            sys.stdout.flush()
        os._exit(status)  # TensorFlow's threads wait for other tasks when they are asked to end


if __name__ == "__main__":
    run()
