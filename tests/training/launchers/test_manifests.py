"""The manifests for a training operator: valid, and in step with what is declared."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from pydantic import TypeAdapter

from reclife.config.topology import EnvironmentConfig, TopologyConfig
from reclife.training.launchers.roles import launcher, roles

NAMES = ("multi-worker", "parameter-server")


@pytest.fixture
def folder(project: Path) -> Path:
    return project / "deploy" / "kubernetes"


def manifest(folder: Path, name: str) -> Any:
    return yaml.safe_load((folder / f"{name}.yaml").read_text())


def schema(folder: Path) -> Any:
    return json.loads((folder / "tfjob.schema.json").read_text())


def declared(folder: Path, name: str) -> Any:
    """Return the topology that the comment at the top of the manifest tells to declare."""
    lines = (folder / f"{name}.yaml").read_text().splitlines()
    comment = "\n".join(line[2:] for line in lines if line.startswith("# "))
    block = re.search(r"^ +topology:.*?(?=^\S)", comment, re.MULTILINE | re.DOTALL)
    assert block is not None
    return TypeAdapter(TopologyConfig).validate_python(yaml.safe_load(block[0])["topology"])


@pytest.mark.parametrize("name", NAMES)
def test_it_is_a_job_of_the_operator(folder: Path, name: str) -> None:
    checked = schema(folder)
    jsonschema.Draft202012Validator.check_schema(checked)
    jsonschema.validate(manifest(folder, name), checked)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("kind",), "Job"),
        (("metadata", "name"), "Not A Name"),
        (("spec", "tfReplicaSpecs", "Chief", "replicas"), 2),
        (("spec", "tfReplicaSpecs", "Worker", "restartPolicy"), "Sometimes"),
        (("spec", "tfReplicaSpecs", "Master"), {}),
        (("spec", "tfReplicaSpecs", "Worker", "template", "spec", "containers"), []),
    ],
)
def test_the_schema_refuses_what_the_operator_would(folder: Path, path, value) -> None:
    broken = manifest(folder, "multi-worker")
    at = broken
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(broken, schema(folder))


@pytest.mark.parametrize("name", NAMES)
def test_it_starts_the_tasks_of_the_declared_topology(folder: Path, name: str) -> None:
    topology = declared(folder, name)
    specs = manifest(folder, name)["spec"]["tfReplicaSpecs"]
    counts = {role.lower(): spec["replicas"] for role, spec in specs.items()}
    wanted = dict(roles(topology).counts)
    if topology.kind == "multi_worker":  # the operator's chief is the first worker
        wanted = {"chief": 1, "worker": wanted["worker"] - 1}
    assert counts == wanted
    started = launcher(topology)
    assert isinstance(started, EnvironmentConfig)
    for role, spec in specs.items():
        (container,) = spec["template"]["spec"]["containers"]
        if role == "Chief":
            assert container["command"] == ["kedro", "run", "--pipelines", "training"]
        else:
            assert container["command"][:3] == ["python", "-m", "reclife.training.task"]
            assert container["command"][3] == started.folder
