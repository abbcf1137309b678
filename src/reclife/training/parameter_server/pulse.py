"""Ends a process that waits in vain where no exception can reach it."""

import logging
import os
import threading
import time
from types import TracebackType
from typing import Self, final

_LOG = logging.getLogger(__name__)
_POLL_SECONDS = 0.5

SILENT = 71
"""Exit status of a task that waited in vain."""


@final
class Pulse:
    """Within this context `beat` has to be called every `seconds`; else the process ends.

    TensorFlow may wait for a worker in any operation of the chief, for ever, and cannot be
    interrupted there; the cluster is then started again by whoever started it.
    """

    def __init__(self, seconds: float, sentence: str) -> None:
        self._seconds = seconds
        self._sentence = sentence
        self._last = time.monotonic()
        self._done = threading.Event()

    def __enter__(self) -> Self:
        """Let the time run."""
        self.beat()
        threading.Thread(target=self._watch, name="pulse", daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop the time."""
        self._done.set()

    def beat(self) -> None:
        """Let the time run anew."""
        self._last = time.monotonic()

    def _watch(self) -> None:
        while not self._done.wait(_POLL_SECONDS):
            if time.monotonic() - self._last > self._seconds:
                _LOG.error("%s", self._sentence)
                logging.shutdown()
                os._exit(SILENT)
