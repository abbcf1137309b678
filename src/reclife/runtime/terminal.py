"""How a run talks: in colour on a terminal, in whole plain lines where something else reads."""

import logging
import sys
from typing import final

_FORMAT, _TIME = "%(asctime)s %(levelname)-8s %(message)s", "%H:%M:%S"


@final
class PlainLines(logging.Handler):
    """Writes each record as it is, however long, to what is standard output at that moment."""

    def __init__(self, level: int = logging.NOTSET) -> None:
        super().__init__(level)
        self.setFormatter(logging.Formatter(_FORMAT, _TIME))

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record."""
        print(self.format(record), flush=True)  # noqa: T201 - this is where lines are written


def plain_unless_terminal() -> None:
    """Put plain lines in the place of rich ones, which wrap at 80 columns without a terminal."""
    from rich.logging import RichHandler

    if sys.stdout.isatty():
        return
    root = logging.getLogger()
    for handler in root.handlers[:]:
        if isinstance(handler, RichHandler):
            root.removeHandler(handler)
            root.addHandler(PlainLines(handler.level))
