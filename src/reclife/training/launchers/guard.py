"""Ends a task when the process that started it is gone, however that one went."""

import os
import sys
import threading

ORPHANED = 86
"""Exit status of a task whose parent went away."""


def die_with_parent() -> None:
    """End this process as soon as its standard input closes.

    The parent holds the other end and writes nothing: the system closes it even when the parent is
    killed outright.
    """
    threading.Thread(target=_wait, name="parent-guard", daemon=True).start()


def _wait() -> None:
    while os.read(sys.stdin.fileno(), 4096):
        pass
    os._exit(ORPHANED)
