"""What must hold between the parameter files, however much else is wrong in them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from reclife.config.column_types import row_type_problems, type_problems
from reclife.config.evaluated import evaluation_problems
from reclife.config.evaluation import EvaluationConfig
from reclife.config.feature_columns import column_problems, row_problems
from reclife.config.feature_list import FeatureDeclaration
from reclife.config.features import FeaturesConfig, readable
from reclife.config.ingest import IngestConfig
from reclife.config.problems import nearest
from reclife.config.windows import Past

Model = TypeVar("Model", bound=BaseModel)


def problems_across(parameters: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield, with the key of its file, each problem of what can be read of `parameters`."""
    declared = parameters.get("features")
    features, unread = readable(declared)
    if ingest := _read(IngestConfig, parameters.get("ingest")):
        columns = (
            ingest.interactions.canonical,
            ingest.items.columns if ingest.items else ("item_id",),
            ingest.users.columns if ingest.users else ("user_id",),
        )
        past = _read(Past, declared.get("past", {}) if isinstance(declared, Mapping) else {})
        found = column_problems(features, past or Past(), *columns)
        found += type_problems(features, past or Past(), ingest)
        if config := _read(FeaturesConfig, declared):
            found += [*row_problems(config, *columns[:2]), *row_type_problems(config, ingest)]
        yield from (("features", problem) for problem in found)
        if evaluation := _read(EvaluationConfig, parameters.get("evaluation")):
            model = _at(parameters, "training", "model", "kind")
            source = _at(parameters, "training", "candidates", "source", "kind") or "ease"
            problems = evaluation_problems(evaluation, ingest, model, source)
            yield from (("evaluation", problem) for problem in problems)
    if not unread:
        model = _at(parameters, "training", "model")
        for problem in (*_excluded(features, model), *_read_by_blocks(features, model)):
            yield "training", problem


def _excluded(features: Sequence[FeatureDeclaration], model: Any) -> Iterator[str]:
    """Yield what is wrong with the features that the model leaves out.

    All others are its inputs: none is declared and silently unused.
    """
    excluded = _at(model, "exclude_features")
    if not isinstance(excluded, list | tuple):
        return
    outputs = {name for feature in features for name in feature.outputs}
    for name in excluded:
        if name not in outputs:
            yield f"exclude_features: no feature is called {name!r}{nearest(str(name), outputs)}"
    for feature in features:
        if feature.kind == "multi_category" and feature.weights:
            ids, weights = feature.outputs
            if ids in excluded and weights not in excluded:
                yield f"exclude_features: nothing uses {weights} without {ids}; exclude it too"


def _read_by_blocks(features: Sequence[FeatureDeclaration], model: Any) -> Iterator[str]:
    """Yield what blocks of a declared model read and no feature writes."""
    blocks = _at(model, "blocks")
    if _at(model, "kind") != "blocks" or not isinstance(blocks, Mapping):
        return
    outputs = {name for feature in features for name in feature.outputs}
    for block, declared in blocks.items():
        for name in (_at(declared, "feature"), *(_at(declared, "features") or ())):
            if isinstance(name, str) and name not in outputs:
                yield f"model.blocks.{block}: no feature is called {name!r}{nearest(name, outputs)}"


def _read(model: type[Model], declared: Any) -> Model | None:
    try:
        return model.model_validate(declared)
    except ValidationError:
        return None


def _at(declared: Any, *keys: str) -> Any:
    for key in keys:
        declared = declared.get(key) if isinstance(declared, Mapping) else None
    return declared
