"""Run identity: who starts a run, who continues one."""

from pathlib import Path

import pytest

from reclife.errors import ArtifactError
from reclife.runtime.project import PROJECT_VARIABLE
from reclife.runtime.run import (
    RUN_VARIABLE,
    choose_run_id,
    new_run_id,
    run_folder,
    runs_folder,
    safe_run_id,
    set_current_run,
)


@pytest.fixture(autouse=True)
def empty_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PROJECT_VARIABLE, str(tmp_path))
    monkeypatch.delenv(RUN_VARIABLE, raising=False)


def test_a_lifecycle_starts_a_run_and_a_stage_continues_it() -> None:
    first = choose_run_id(["__default__"])
    set_current_run(first)
    assert choose_run_id(["features"]) == first
    assert choose_run_id(["features", "training"]) == first
    assert choose_run_id(["__default__"]) != first
    assert choose_run_id([]) != first


def test_ingest_on_its_own_starts_a_run() -> None:
    set_current_run("old")
    assert choose_run_id(["ingest"]) != "old"


def test_a_stage_without_a_run_to_continue_says_so() -> None:
    with pytest.raises(ArtifactError, match="no run to continue"):
        choose_run_id(["training"])


def test_the_schedulers_id_counts_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(RUN_VARIABLE, "scheduled__2026-01-02T00:00:00+00:00")
    expected = choose_run_id(["ingest"])
    assert expected.startswith("scheduled__2026-01-02T00-00-00-00-00")
    assert choose_run_id(["__default__"]) == expected
    assert choose_run_id(["scoring"]) == expected


def test_ids_are_distinct_and_fit_a_file_name() -> None:
    ids = {new_run_id() for _ in range(100)}
    assert len(ids) == 100
    assert all(safe_run_id(one) == one for one in ids)


@pytest.mark.parametrize(
    "given",
    [
        "../x",
        "/etc/passwd",
        "a b",
        "a/b",
        "..",
        ".",
        "-",
        "运行 1",
        "current.json",
        "x" * 300,
        "a\nb",
    ],
)
def test_a_scheduler_s_id_stays_inside_the_folder_of_runs(
    given: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(RUN_VARIABLE, given)
    run_id = choose_run_id(["__default__"])
    assert run_folder(run_id).parent == runs_folder()
    assert run_folder(run_id).resolve().parent == runs_folder().resolve()
    assert run_id != "current.json"
    assert len(run_id) < 130
    assert safe_run_id(run_id) == run_id


def test_ids_that_differ_only_in_odd_characters_are_two_runs() -> None:
    given = ["scheduled__2026-01-01T00:00:00+00:00", "scheduled__2026-01-01T00:00:00-00:00"]
    assert len({safe_run_id(one) for one in given}) == 2


@pytest.mark.parametrize("given", ["", " ", "\n"])
def test_a_blank_id_is_none(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(RUN_VARIABLE, given)
    first, second = choose_run_id(["__default__"]), choose_run_id(["__default__"])
    assert first.strip("-.")
    assert first != second
