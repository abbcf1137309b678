"""The wheel ships the package alone, with the default lifecycles and suites inside it."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def wheel(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=project,
        check=True,
        capture_output=True,
    )
    (built,) = folder.glob("*.whl")
    return built


def test_nothing_lies_at_the_top_but_the_package(wheel: Path) -> None:
    tops = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"reclife"}


def test_a_project_without_lifecycles_gets_the_packages_own(
    wheel: Path, project: Path, tmp_path: Path
) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    program = (
        "from pathlib import Path; from reclife.lifecycle import read_lifecycles;"
        "from reclife.runtime.resources import packaged;"
        "print(sorted(read_lifecycles(Path('nowhere'))), len(packaged('expectations')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "site")},
        capture_output=True,
        text=True,
        check=True,
    )
    names = sorted(file.stem for file in (project / "pipelines").glob("*.yml"))
    suites = len(list((project / "conf/base/expectations").glob("*.yml")))
    assert done.stdout.strip() == f"{names} {suites}"
