"""Projects that end-to-end tests run in."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.e2e.projects import copy_project, succeed


@pytest.fixture(scope="session")
def fresh(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Makes copies of the project that nothing has run in yet."""

    def make(name: str) -> Path:
        return copy_project(project, tmp_path_factory.mktemp(name))

    return make


@pytest.fixture(scope="session")
def finished(fresh: Callable[[str], Path]) -> Path:
    """A project in which the default lifecycle has run once, in the environment `test`."""
    folder = fresh("finished")
    succeed(folder, "kedro", "run", "--env", "test")
    return folder
