"""JSON Schema of the parameter files, so that an editor completes and checks them."""

import json
from pathlib import Path
from typing import Any

from pydantic import create_model

from reclife.config.root import ReclifeConfig
from reclife.config.schema import Schema


def schemas() -> dict[str, dict[str, Any]]:
    """Return the JSON Schema of each `conf/<env>/parameters/<stage>.yml`, by stage."""
    return {
        stage: _file_model(stage, field.annotation).model_json_schema()
        for stage, field in ReclifeConfig.model_fields.items()
    }


def _file_model(stage: str, config: Any) -> type[Schema]:
    """Return the model of a whole file: the stage's key alone."""
    fields: dict[str, Any] = {stage: (config, ...)}
    return create_model(f"{stage.capitalize()}File", __base__=Schema, **fields)


def write_schemas(folder: Path) -> list[Path]:
    """Write one `<stage>.schema.json` a stage into `folder` and return the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for stage, schema in schemas().items():
        path = folder / f"{stage}.schema.json"
        path.write_text(json.dumps(schema, indent=2, sort_keys=True) + "\n", encoding="utf-8")
        paths.append(path)
    return paths
