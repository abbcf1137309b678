"""The closed root of the configuration: every parameter file, checked before the first node."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self, get_args

from pydantic import BaseModel, ValidationError, model_validator
from pydantic_core import ErrorDetails

from reclife.config.across import problems_across
from reclife.config.compression import CompressionConfig
from reclife.config.evaluation import EvaluationConfig
from reclife.config.export import ExportConfig
from reclife.config.feature_list import AS_OF_KINDS
from reclife.config.features import FeaturesConfig
from reclife.config.files import file_of
from reclife.config.ingest import IngestConfig
from reclife.config.problems import hint
from reclife.config.schema import Schema
from reclife.config.scoring import ScoringConfig
from reclife.config.sentences import in_yaml, without_echoes
from reclife.config.task_names import task_problems
from reclife.config.training import TrainingConfig
from reclife.config.windows import seconds_of
from reclife.errors import ConfigError

INTERACTION = "interaction"
"""Source of a feature that is read off the event itself."""


class ReclifeConfig(Schema):
    """Everything a project declares under `conf/<env>/parameters/`, one key a stage."""

    ingest: IngestConfig
    features: FeaturesConfig
    training: TrainingConfig
    evaluation: EvaluationConfig
    compression: CompressionConfig
    export: ExportConfig
    scoring: ScoringConfig

    @model_validator(mode="after")
    def _no_feature_is_the_label(self) -> Self:
        """Refuse a feature that reads, of its own event, the column behind a label."""
        answers = self.ingest.interactions.answers
        leaks = [
            feature.name
            for feature in self.features.features
            if feature.kind not in AS_OF_KINDS
            and getattr(feature, "source", None) == INTERACTION
            and getattr(feature, "column", None) in answers
        ]
        if leaks:
            raise ValueError(
                f"features {', '.join(leaks)} read the column that the label comes from: "
                "a model would see the answer"
            )
        return self

    @model_validator(mode="after")
    def _no_feature_knows_a_label_too_early(self) -> Self:
        """Refuse a feature that looks back on labels of which some are not known by then."""
        known_after = seconds_of(self.features.past.delay) or 0
        late = {c: s for c, s in self.ingest.interactions.delays.items() if s > known_after}
        leaks = [
            f"{feature.name} reads {name!r}, known {late[name]} seconds after the event only"
            for feature in self.features.features
            for name in sorted(late.keys() & set(_columns_in(feature.model_dump())))
        ]
        if leaks:
            raise ValueError(
                f"{'; '.join(leaks)}: ask for the events themselves instead, as `where: {{column: "
                "event, equals: [...]}` of a window does, or declare a past.delay as long"
            )
        return self

    @model_validator(mode="after")
    def _lists_are_ranked_as_evaluated(self) -> Self:
        """Refuse to publish lists that are ranked otherwise than those that were evaluated."""
        for name in ("rerank", "seen"):
            if getattr(self.evaluation, name) != getattr(self.scoring, name):
                raise ValueError(
                    f"evaluation.{name} and scoring.{name} differ: what is published would not be "
                    "what was evaluated"
                )
        return self

    @model_validator(mode="after")
    def _calibration_is_fitted_on_held_back_rows(self) -> Self:
        """Refuse to calibrate on rows that the model was trained on."""
        if self.evaluation.calibration and self.training.refit:
            raise ValueError(
                "evaluation.calibration and training.refit exclude each other: after a refit the "
                "model has learned the validation part, and no held-back rows are left to "
                "calibrate on; set training.refit to false"
            )
        return self


def _columns_in(declared: Any) -> Iterator[str]:
    """Yield every column that a feature's declaration names, at any depth."""
    if isinstance(declared, Mapping):
        yield from (declared[key] for key in ("value", "column") if key in declared)
        yield from (name for inner in declared.values() for name in _columns_in(inner))


def check_parameters(parameters: Mapping[str, Any], conf: Path, env: str | None) -> ReclifeConfig:
    """Check all parameters at once and return them typed.

    Args:
        parameters: What Kedro read from `conf/base` and `conf/<env>`.
        conf: The configuration's folder, to name the file of each problem.
        env: The environment, if any.

    Raises:
        ConfigError: One line per problem: where, what, what is allowed, the nearest match.
    """
    across = [
        *problems_across(parameters),
        *(("training", problem) for problem in task_problems(parameters)),
    ]
    problems = [f"{_file((key,), conf, env)}: {key}: {problem}" for key, problem in across]
    try:
        config = ReclifeConfig.model_validate(dict(parameters))
    except ValidationError as error:
        problems += [_sentence(problem, conf, env) for problem in without_echoes(error.errors())]
    else:
        if not problems:
            return config
    raise ConfigError(f"The configuration has {len(problems)} problem(s):\n" + "\n".join(problems))


def _sentence(problem: ErrorDetails, conf: Path, env: str | None) -> str:
    location = problem["loc"]
    where = ".".join(str(part) for part in location)
    file = _file(location, conf, env)
    if problem["type"] == "extra_forbidden":
        allowed = {key for one in _models_at(location[:-1]) for key in one.model_fields}
        return f"{file}: {where}: unknown key {location[-1]!r}{hint(str(location[-1]), allowed)}"
    if problem["type"] == "union_tag_invalid":
        tag = str(problem["ctx"]["tag"])
        return f"{file}: {where}: unknown kind {tag!r}{hint(tag, _allowed_values(problem))}"
    if problem["type"] == "union_tag_not_found":
        return f"{file}: {where}: {in_yaml(problem)}{hint('', _kinds(location))}"
    value = problem.get("input")
    shown = "" if isinstance(value, Mapping | list) else f" (got {value!r})"
    near = hint(str(value), _allowed_values(problem))
    return ": ".join(filter(None, (file, where, f"{in_yaml(problem)}{shown}{near}")))


def _file(location: Sequence[int | str], conf: Path, env: str | None) -> str:
    """Return the file that most likely holds the key: the environment's before the base's."""
    if not location:
        return "conf/base/parameters" if env is None else f"conf/{env}/parameters"
    key = str(location[0])
    return file_of(conf, env, "parameters", key) or f"conf/base/parameters/{key}.yml"


def _allowed_values(problem: ErrorDetails) -> list[str]:
    """Return the tags or literals that pydantic names as expected."""
    context = problem.get("ctx", {})
    expected = str(context.get("expected_tags") or context.get("expected") or "")
    words = expected.replace(" or ", ", ").split(",")
    return [word.strip().strip("'") for word in words if word.strip().startswith("'")]


def _models_at(location: Sequence[int | str]) -> list[type[BaseModel]]:
    """Return the models that may stand at `location`, following list positions and union tags."""
    models: list[type[BaseModel]] = [ReclifeConfig]
    for part in location:
        models = [inner for one in models for inner in _step(one, part)] or models
    return models


def _kinds(location: Sequence[int | str]) -> set[str]:
    """Return the kinds among which `location` chooses."""
    fields = (one.model_fields.get("kind") for one in _models_at(location))
    return {kind for field in fields if field for kind in get_args(field.annotation)}


def _step(model: type[BaseModel], part: int | str) -> list[type[BaseModel]]:
    if isinstance(part, int):
        return [model]
    if part in model.model_fields:
        return _models_in(model.model_fields[part].annotation)
    kind = model.model_fields.get("kind")
    return [model] if kind and part in get_args(kind.annotation) else []


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        root = annotation.model_fields.get("root")
        return _models_in(root.annotation) if root else [annotation]
    return [model for argument in get_args(annotation) for model in _models_in(argument)]
