"""A model of the user's own, by dotted path.

The function there is called as every `build` here: with the options, the specification and the
seed, and returns a `RankingModel`. If its first argument is annotated with a pydantic model, the
options are checked against that and arrive as one; else they arrive as the mapping they are.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any, get_type_hints

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
    model = function(_options(function, config), spec, seed)
    if not isinstance(model, RankingModel):
        raise ConfigError(f"{config.path} returned a {type(model).__name__}, not a RankingModel.")
    if model.tasks[:1] != spec.tasks[:1]:
        raise ConfigError(
            f"{config.path} returned a model whose first task is not {spec.tasks[0].name!r}, the "
            "one that ranks."
        )
    if unknown := [f.name for f in model.features if f not in spec.features]:
        raise ConfigError(
            f"{config.path} returned a model of features that the specification lacks: "
            f"{', '.join(unknown)}."
        )
    return model


def _imported(path: str) -> Callable[[Any, FeatureSpec, int], object]:
    module, _, name = path.partition(":")
    try:
        function = getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"{path} cannot be imported: {error}.") from error
    if not callable(function):
        raise ConfigError(f"{path} is a {type(function).__name__}, not a function.")
    return function


def _options(function: Callable[..., object], config: CustomConfig) -> BaseModel | dict[str, Any]:
    hints = [hint for name, hint in get_type_hints(function).items() if name != "return"]
    if not (hints and isinstance(hints[0], type) and issubclass(hints[0], BaseModel)):
        return dict(config.options)
    try:
        return hints[0].model_validate(config.options)
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}" for problem in error.errors()
        )
        raise ConfigError(f"The options of {config.path} are wrong: {problems}.") from error
