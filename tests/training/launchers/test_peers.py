"""What TensorFlow 2.21 said when one of two tasks was stopped or killed."""

import pytest

from reclife.training.launchers.peers import lost

SILENT = """Graph execution error:

Detected at node CollectiveReduceV2 defined at (most recent call last):
  File "reclife/training/task.py", line 71, in <module>

Collective ops is aborted by: Error reported from /job:worker/task:1: The following tasks are \
unhealthy (stopped sending heartbeats):
/job:worker/replica:0/task:1
The tasks have crashed. Check the task logs for an earlier error."""
FIRST = """Graph execution error:

Collective ops is aborted by: Deadline Exceeded

RPC: /tensorflow.CoordinationService/Heartbeat
The error could be from a previous operation."""


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (SILENT, "worker-1 does not answer any more: killed, standing still, or cut off."),
        (FIRST, "The first task does not answer any more: killed, standing still, or cut off."),
        ("division by zero", None),
    ],
)
def test_who_is_gone(message: str, expected: str | None) -> None:
    assert lost(RuntimeError(message)) == expected
