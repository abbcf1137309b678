"""Where the project lies."""

import os
from pathlib import Path

PROJECT_VARIABLE = "RECLIFE_PROJECT"
"""Environment variable that names the project's folder; set by the hooks, inherited by workers."""


def project_path() -> Path:
    """Return the project's folder: as declared by the environment, else the current folder."""
    return Path(os.environ.get(PROJECT_VARIABLE) or Path.cwd())
