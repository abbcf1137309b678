"""Training operation by operation, where a debugger stops and `print` shows values."""

from collections.abc import Iterator
from contextlib import contextmanager

import tensorflow as tf


@contextmanager
def running_eagerly(asked: bool) -> Iterator[None]:
    """Run what is compiled as plain Python while the context is open, where it is `asked` for.

    TensorFlow has one such switch for the process; it is put back.
    """
    before = tf.config.functions_run_eagerly()
    tf.config.run_functions_eagerly(asked or before)
    try:
        yield
    finally:
        tf.config.run_functions_eagerly(before)
