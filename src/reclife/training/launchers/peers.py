"""Which task is gone, from what TensorFlow says of the loss of one."""

import re

_TASK = re.compile(r"^/job:(\w+)/replica:0/task:(\d+)$", re.MULTILINE)
_SILENT = "stopped sending heartbeats"
_NO_SERVICE = "CoordinationService/"


def lost(error: Exception) -> str | None:
    """Return in a sentence which task does not answer any more; None: that is not the error.

    Tasks send a sign of life to the first one, which tells the others who is silent; that it is
    silent itself they notice when they send theirs.
    """
    message = str(error)
    names = ", ".join(f"{job}-{index}" for job, index in _TASK.findall(message))
    if _SILENT in message and names:
        return f"{names} does not answer any more: killed, standing still, or cut off."
    if _NO_SERVICE in message:
        return "The first task does not answer any more: killed, standing still, or cut off."
    return None
