"""Trials of the current run's training, from the command line."""

from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from reclife.config.training import TrainingConfig
from reclife.config.trials import TrialsConfig
from reclife.errors import ConfigError
from reclife.runtime.files import write_atomically
from reclife.runtime.project import project_path

_FOLDER = "data/08_reporting/trials"


def compare(file: Path, catalog: Any, training: Any) -> str:
    """Do the trials that `file` declares and return a table of them, the best one first.

    Args:
        file: YAML with a `TrialsConfig`.
        catalog: Where the examples of the current run are.
        training: The declaration that the trials vary.

    Raises:
        ReclifeError: The declaration is wrong, or there are no examples.
    """
    from reclife.training.trials import Trials, as_json, as_text

    config = TrainingConfig.model_validate(
        training.model_dump() if isinstance(training, TrainingConfig) else training
    )
    folder = project_path() / _FOLDER / file.stem
    trials = Trials(read_trials(file), config, catalog.load("feature_spec"), folder)
    tables = (catalog.load(f"{part}_examples@arrow") for part in ("train", "validation"))
    tried = trials.run(*tables)
    write_atomically(folder / "trials.json", as_json(tried))
    return as_text(tried)


def read_trials(file: Path) -> TrialsConfig:
    """Return what `file` declares.

    Raises:
        ConfigError: One line per problem.
    """
    try:
        return TrialsConfig.model_validate(yaml.safe_load(file.read_text(encoding="utf-8")))
    except (ValidationError, yaml.YAMLError) as error:
        problems = (
            [f"{'.'.join(map(str, p['loc']))}: {p['msg']}" for p in error.errors()]
            if isinstance(error, ValidationError)
            else [str(error)]
        )
        listed = "\n".join(f"{file}: {problem}" for problem in problems)
        raise ConfigError(f"The trials have {len(problems)} problem(s):\n{listed}") from error
