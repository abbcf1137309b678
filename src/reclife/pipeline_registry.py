"""Kedro's registry: every stage on its own, and every lifecycle under `pipelines/`."""

from kedro.pipeline import Pipeline

from reclife.lifecycle import compile_lifecycle, read_lifecycles, stage_pipelines
from reclife.runtime.project import project_path


def register_pipelines() -> dict[str, Pipeline]:
    """Return stages and lifecycles by name."""
    stages = stage_pipelines()
    lifecycles = read_lifecycles(project_path() / "pipelines")
    compiled = {name: compile_lifecycle(one, stages) for name, one in lifecycles.items()}
    return {**{str(stage): pipeline for stage, pipeline in stages.items()}, **compiled}
