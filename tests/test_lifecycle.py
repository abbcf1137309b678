"""Lifecycles: reading `pipelines/*.yml` and compiling stages behind their gates."""

from pathlib import Path

import pytest
from kedro.pipeline import Node, Pipeline

from reclife.errors import ConfigError
from reclife.lifecycle import Lifecycle, compile_lifecycle, read_lifecycles


def write(folder: Path, name: str, text: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.yml").write_text(text, encoding="utf-8")


def test_the_projects_own_lifecycles_are_read(project: Path) -> None:
    lifecycles = read_lifecycles(project / "pipelines")
    assert lifecycles["__default__"].stages[0] == "ingest"
    assert lifecycles["rescore"].stages == ("ingest", "scoring")


def test_every_problem_of_every_file_is_named_at_once(tmp_path: Path) -> None:
    write(tmp_path, "one", "description: x\nstages: [ingest, featres]\n")
    write(tmp_path, "two", "description: x\nstages: [ingest]\nscedule: '@daily'\n")
    with pytest.raises(ConfigError) as caught:
        read_lifecycles(tmp_path)
    message = str(caught.value)
    assert "one.yml" in message
    assert "did you mean 'features'?" in message
    assert "two.yml" in message
    assert "did you mean 'schedule'?" in message


@pytest.mark.parametrize(
    "stages", ["[scoring, ingest]", "[ingest, ingest]", "[training, features]", "[]"]
)
def test_an_order_against_the_data_flow_is_refused(tmp_path: Path, stages: str) -> None:
    write(tmp_path, "wrong", f"description: x\nstages: {stages}\n")
    with pytest.raises(ConfigError, match="stages"):
        read_lifecycles(tmp_path)


def test_broken_yaml_is_one_sentence(tmp_path: Path) -> None:
    write(tmp_path, "broken", "description: {x\n")
    with pytest.raises(ConfigError, match=r"broken\.yml"):
        read_lifecycles(tmp_path)


def double(table: int, factor: int) -> int:
    return table * factor


def two_stages() -> dict:
    ingest = Pipeline(
        [
            Node(lambda: 21, None, "table@spark", name="make", namespace="ingest"),
            Node(lambda table: "ok", "table@spark", "ingest_validation", name="validate",
                 namespace="ingest"),
        ]
    )  # fmt: skip
    features = Pipeline(
        [
            Node(double, ["table@arrow", "params:factor"], "examples", name="double",
                 namespace="features"),
            Node(lambda examples: "ok", "examples", "features_validation", name="validate",
                 namespace="features"),
        ]
    )  # fmt: skip
    return {"ingest": ingest, "features": features}


def test_a_stage_waits_for_the_gate_of_the_stage_it_reads_from() -> None:
    compiled = compile_lifecycle(
        Lifecycle(description="x", stages=("ingest", "features")), two_stages()
    )
    names = [node.name for node in compiled.nodes]
    assert names.index("ingest.validate") < names.index("features.double")
    reader = next(node for node in compiled.nodes if node.name == "features.double")
    assert set(reader.inputs) == {"table@arrow", "params:factor", "ingest_validation"}
    assert reader.run({"table@arrow": 21, "params:factor": 2, "ingest_validation": "ok"}) == {
        "examples": 42
    }


def test_nodes_inside_a_stage_get_no_gate() -> None:
    compiled = compile_lifecycle(
        Lifecycle(description="x", stages=("ingest", "features")), two_stages()
    )
    closing = next(node for node in compiled.nodes if node.name == "features.validate")
    assert closing.inputs == ["examples"]


def test_a_stage_whose_producer_is_not_in_the_lifecycle_has_no_gate() -> None:
    compiled = compile_lifecycle(Lifecycle(description="x", stages=("features",)), two_stages())
    assert compiled.inputs() == {"table@arrow", "params:factor"}


def test_stages_follow_one_another_even_where_no_data_ties_them() -> None:
    stages = two_stages()
    stages["training"] = Pipeline(
        [
            Node(lambda table: 1, "table@arrow", "model", name="train", namespace="training"),
            Node(lambda model: "ok", "model", "training_validation", name="validate",
                 namespace="training"),
        ]
    )  # fmt: skip
    compiled = compile_lifecycle(
        Lifecycle(description="x", stages=("ingest", "features", "training")), stages
    )
    names = [node.name for node in compiled.nodes]
    assert names.index("features.validate") < names.index("training.train")
