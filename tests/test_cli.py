"""A user's mistake is told in one sentence; a bug keeps its traceback."""

import errno

import click
import pytest
from click.testing import CliRunner

from reclife.cli import explain, in_sentences
from reclife.errors import DataError


def raised(error: Exception, cause: Exception | None = None) -> Exception:
    try:
        raise error from cause
    except Exception as caught:  # noqa: BLE001 - the test wants the traceback attached
        return caught


def test_our_own_error_is_found_behind_the_framework_s() -> None:
    wrapped = raised(RuntimeError("Failed while loading data"), DataError("raw.csv is empty"))
    assert explain(wrapped) == "raw.csv is empty"


def test_our_own_error_is_found_in_the_traceback_of_a_worker() -> None:
    text = "Traceback\n  File x\nreclife.errors.DataError: column x has 3 nulls.\n\tat org.apache"
    assert explain(raised(RuntimeError(text))) == "column x has 3 nulls."


def test_a_full_disk_is_told() -> None:
    full = OSError(errno.ENOSPC, "No space left on device", "/data/x")
    assert explain(raised(full)) == "The disk is full: free some space, then run again."


def test_a_bug_is_not_explained_away() -> None:
    assert explain(raised(KeyError("x"))) is None


@pytest.mark.parametrize(("error", "code"), [(DataError("raw.csv is empty"), 1)])
def test_the_command_prints_the_sentence_and_fails(error: Exception, code: int) -> None:
    @click.command()
    @in_sentences
    def command() -> None:
        raise error

    result = CliRunner().invoke(command)
    assert result.exit_code == code
    assert "raw.csv is empty" in result.output
    assert "Traceback" not in result.output


def test_a_bug_keeps_its_traceback() -> None:
    @click.command()
    @in_sentences
    def command() -> None:
        raise KeyError("x")

    assert isinstance(CliRunner().invoke(command).exception, KeyError)
