"""Wiring of compression, export and scoring: names, types Kedro can resolve, no engine imported."""

import subprocess
import sys
from importlib import import_module
from typing import get_type_hints

import pytest

from reclife.config.compression import CompressionConfig
from reclife.config.export import ExportConfig
from reclife.config.scoring import ScoringConfig

CONFIGS = {"compression": CompressionConfig, "export": ExportConfig, "scoring": ScoringConfig}


@pytest.fixture(params=sorted(CONFIGS))
def stage(request):
    return request.param


def test_every_function_has_resolvable_hints_and_the_stage_config(stage):
    pipeline = import_module(f"reclife.pipelines.{stage}.pipeline").create_pipeline()
    configs = [
        kind
        for node in pipeline.nodes
        for kind in get_type_hints(node.func).values()
        if kind is CONFIGS[stage]
    ]
    assert configs


def test_validation_comes_last_and_waits_for_every_output(stage):
    pipeline = import_module(f"reclife.pipelines.{stage}.pipeline").create_pipeline()
    last = pipeline.nodes[-1]
    assert last.name == f"{stage}.validate"
    assert last.outputs == [f"{stage}_validation"]
    persisted = {name for node in pipeline.nodes[:-1] for name in node.outputs} - {"golden_rows"}
    assert persisted <= set(last.inputs)


def test_importing_the_wiring_imports_no_engine():
    code = "import sys\n" + "".join(
        f"import reclife.pipelines.{stage}.pipeline\n" for stage in CONFIGS
    )
    code += "assert not {'tensorflow','keras','pyspark','onnxruntime','onnx'} & sys.modules.keys()"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("stage", ["compression", "export"])
def test_declared_parameters_are_the_defaults(stage, project):
    import yaml

    file = project / "conf" / "base" / "parameters" / f"{stage}.yml"
    declared = yaml.safe_load(file.read_text(encoding="utf-8"))
    assert list(declared) == [stage]
    assert CONFIGS[stage].model_validate(declared[stage]) == CONFIGS[stage]()
