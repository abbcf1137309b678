"""Every environment of the project, its parameters taken together as Kedro does."""

from pathlib import Path

import pytest
import yaml

from reclife.config.root import check_parameters

CONF = Path(__file__).parents[2] / "conf"
ENVIRONMENTS = sorted(
    folder.parent.name for folder in CONF.glob("*/parameters") if folder.parent.name != "base"
)


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_an_environment_holds_together(name: str) -> None:
    files = [path for env in ("base", name) for path in (CONF / env).glob("parameters/*.yml")]
    parameters: dict[str, object] = {}
    for path in files:
        parameters |= yaml.safe_load(path.read_text(encoding="utf-8"))
    check_parameters(parameters, CONF, name)
