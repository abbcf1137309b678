"""What a log file gets: whole lines, however long."""

import logging
from collections.abc import Iterator

import pytest
from rich.logging import RichHandler

from reclife.runtime.terminal import PlainLines, plain_unless_terminal


@pytest.fixture
def root() -> Iterator[logging.Logger]:
    """The root logger with a rich handler, put back afterwards."""
    logger = logging.getLogger()
    before = logger.handlers[:]
    logger.handlers[:] = [RichHandler()]
    yield logger
    logger.handlers[:] = before


def test_without_a_terminal_lines_are_not_wrapped(
    root: logging.Logger, capsys: pytest.CaptureFixture[str]
) -> None:
    plain_unless_terminal()
    text = "a path " * 40 + "[in brackets]"
    logging.getLogger("reclife.x").warning(text)
    line = capsys.readouterr().out
    assert line.endswith(f" WARNING  {text}\n")
    assert line.count("\n") == 1
    plain_unless_terminal()  # a second context changes nothing
    kinds = [type(handler) for handler in root.handlers]
    assert kinds.count(PlainLines) == 1
    assert RichHandler not in kinds


def test_a_terminal_keeps_its_colours(
    root: logging.Logger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    plain_unless_terminal()
    assert RichHandler in [type(handler) for handler in root.handlers]
