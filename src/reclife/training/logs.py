"""Scalars for TensorBoard."""

import logging
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, final

import tensorflow as tf

_LOG = logging.getLogger(__name__)


@final
class Scalars:
    """Writes named numbers by step into `folder`; used as a context manager."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._writer: Any = None

    def write(self, step: int, values: Mapping[str, float]) -> None:
        """Write `values` at `step`; the file appears with the first of them."""
        if self._writer is None:
            self._writer = tf.summary.create_file_writer(str(self._folder))
        with self._writer.as_default(step=step):
            for name, value in values.items():
                tf.summary.scalar(name, value)

    def __enter__(self) -> Self:
        """Return the writer."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Write what is still in memory and close the file."""
        if self._writer is None:
            return
        try:
            self._writer.close()
        except tf.errors.OpError as failure:
            _LOG.warning("The scalars in %s are not complete: %s", self._folder, failure.message)
