"""What the installed package carries for projects that declare nothing of their own."""

from importlib.resources import files
from importlib.resources.abc import Traversable


def packaged(folder: str) -> list[Traversable]:
    """Return the YAML files under `reclife/resources/<folder>`; none in a source checkout.

    The checkout is itself a project: there the files lie under `pipelines/` and `conf/base/`.
    """
    place = files("reclife").joinpath("resources", folder)
    if not place.is_dir():
        return []
    return sorted(
        (entry for entry in place.iterdir() if entry.name.endswith(".yml")),
        key=lambda entry: entry.name,
    )
