"""A model of the user's own, by dotted path.

The function there is called as every `build` here: with the options, the specification and the
seed, and returns a `RankingModel`. If its first argument is annotated with a pydantic model, the
options are checked against that and arrive as one; else they arrive as the mapping they are.
"""

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Any, get_type_hints

import tensorflow as tf
from pydantic import BaseModel, ValidationError

from reclife.config.custom import CustomConfig
from reclife.contracts import FeatureSpec
from reclife.errors import ConfigError
from reclife.models.ranking import RankingModel


def build(config: CustomConfig, spec: FeatureSpec, seed: int) -> RankingModel:
    """Return the model that the function at `config.path` builds.

    Raises:
        ConfigError: It cannot be imported, refuses the options, or returns something else.
    """
    function = _imported(config.path)
    _check_call(function, config.path)
    model = function(_options(function, config), spec, seed)
    if not isinstance(model, RankingModel):
        raise ConfigError(f"{config.path} returned a {type(model).__name__}, not a RankingModel.")
    if problem := _problem(model, spec):
        raise ConfigError(f"{config.path} returned a model {problem}.")
    return model


def _problem(model: RankingModel, spec: FeatureSpec) -> str | None:
    """Return why a model cannot be trained and scored as all others are."""
    if model.tasks[:1] != spec.tasks[:1]:
        return f"whose first task is not {spec.tasks[0].name!r}, the one that ranks"
    if strange := [t.name for t in model.tasks if t not in spec.tasks]:
        return f"of tasks that the specification lacks: {', '.join(strange)}"
    if unknown := [f.name for f in model.features if f not in spec.features]:
        return f"of features that the specification lacks: {', '.join(unknown)}"
    scored = tf.function(model, input_signature=[model.signature()], autograph=False)
    shape = scored.get_concrete_function().structured_outputs.shape
    if not shape.is_compatible_with([None, len(model.tasks)]):
        axes = ", ".join(["B", *("?" if n is None else str(n) for n in shape[1:])])
        return f"that scores [{axes}], not the logits [B, {len(model.tasks)}] of its tasks"
    return None


def _imported(path: str) -> Callable[[Any, FeatureSpec, int], object]:
    module, _, name = path.partition(":")
    try:
        function = getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"{path} cannot be imported: {error}.") from error
    if not callable(function):
        raise ConfigError(f"{path} is a {type(function).__name__}, not a function.")
    return function


def _check_call(function: Callable[..., object], path: str) -> None:
    try:
        inspect.signature(function).bind("options", "spec", "seed")
    except TypeError as error:
        raise ConfigError(
            f"{path} cannot be called with (options, spec, seed): {error}."
        ) from error


def _options(function: Callable[..., object], config: CustomConfig) -> BaseModel | dict[str, Any]:
    try:
        hints = [hint for name, hint in get_type_hints(function).items() if name != "return"]
    except NameError as error:
        raise ConfigError(f"An annotation of {config.path} cannot be read: {error}.") from error
    if not (hints and isinstance(hints[0], type) and issubclass(hints[0], BaseModel)):
        return dict(config.options)
    try:
        return hints[0].model_validate(config.options)
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}" for problem in error.errors()
        )
        raise ConfigError(f"The options of {config.path} are wrong: {problems}.") from error
