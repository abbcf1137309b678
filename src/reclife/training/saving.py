"""When the state of training is saved within an epoch."""

import time
from collections.abc import Callable
from typing import final

from reclife.config.training import CheckpointConfig


@final
class Saving:
    """By steps and by time, as declared; `clock` gives seconds."""

    def __init__(
        self, config: CheckpointConfig, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._config = config
        self._clock = clock
        self._last = clock()

    def due(self, step: int) -> bool:
        """Return whether to save after `step`."""
        every, minutes = self._config.every_steps, self._config.every_minutes
        if every and step % every == 0:
            return True
        return minutes is not None and self._clock() - self._last >= 60 * minutes

    def done(self) -> None:
        """Count the time from now on."""
        self._last = self._clock()
