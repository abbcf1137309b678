"""`python -m reclife.viz FOLDER`: the project's graph as a static site.

`kedro viz build` always writes to `build/`; this is the same site in a folder of one's choice.
Neither Java nor TensorFlow is started.
"""

import argparse
from pathlib import Path
from typing import final

from reclife.runtime.project import project_path


def build(project: Path, folder: Path, env: str | None = None) -> None:
    """Write the site of every registered pipeline of `project` under `folder`."""
    import fsspec
    from kedro.framework.startup import bootstrap_project
    from kedro_viz.integrations.deployment.base_deployer import BaseDeployer
    from kedro_viz.server import load_and_populate_data

    @final
    class FolderDeployer(BaseDeployer):
        """Writes where it is told to."""

        def __init__(self) -> None:
            super().__init__()
            self._path, self._fs = folder, fsspec.filesystem("file")

    package = bootstrap_project(project).package_name
    load_and_populate_data(project, env=env, package_name=package)
    folder.mkdir(parents=True, exist_ok=True)
    FolderDeployer().deploy(is_all_previews_enabled=False)


def main() -> None:
    """Build the site and say how to look at it."""
    parser = argparse.ArgumentParser(prog="python -m reclife.viz", description=__doc__)
    parser.add_argument("folder", type=Path, help="where the site goes")
    parser.add_argument("--env", help="folder of conf/ to draw")
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    build(project_path().resolve(), folder, arguments.env)
    print(f"The graph: python -m http.server --directory {folder}")  # noqa: T201


if __name__ == "__main__":
    main()
