"""Writes a proposal as an environment, checked as a run would check it."""

from pathlib import Path

import yaml

from reclife.config.root import ReclifeConfig, check_parameters
from reclife.config.validation import read_suites
from reclife.errors import ConfigError
from reclife.onboarding.catalog import catalog_text, spark_text, suites
from reclife.onboarding.parameters import parameter_texts
from reclife.onboarding.proposal import Proposal
from reclife.runtime.files import write_atomically

RESERVED = ("base", "local", "schemas")


def write(proposal: Proposal, project: Path, env: str, *, force: bool = False) -> list[Path]:
    """Write `conf/<env>` and return the files.

    Raises:
        ConfigError: The name is not usable, or the environment exists and `force` is not given.
    """
    folder = project / "conf" / env
    if not (project / "conf" / "base").is_dir():
        raise ConfigError(f"{project} is no project: it has no conf/base; change to its folder.")
    if env in RESERVED or not env.isidentifier() or not env.isascii():
        raise ConfigError(
            f"--env {env}: use a name of letters, digits and underscores, other than "
            f"{', '.join(RESERVED)}."
        )
    if folder.exists() and not force:
        raise ConfigError(f"conf/{env} exists: choose another name, or overwrite it by --force.")
    texts = _texts(proposal, project, env)
    _check(texts, project, env)
    for name, text in texts.items():
        write_atomically(folder / name, text)
    return [folder / name for name in texts]


def _texts(proposal: Proposal, project: Path, env: str) -> dict[str, str]:
    """Return every file's text by its path inside the environment."""
    texts = {"catalog/ingest.yml": catalog_text(proposal, project, env)}
    for stage, text in parameter_texts(proposal).items():
        schema = f"# yaml-language-server: $schema=../../schemas/{stage}.schema.json\n"
        texts[f"parameters/{stage}.yml"] = schema + text
    for name, text in suites(proposal).items():
        texts[f"expectations/{name}.yml"] = text
    spark = spark_text(proposal)
    return texts | ({"spark.yml": spark} if spark else {})


def _check(texts: dict[str, str], project: Path, env: str) -> None:
    """Load what is about to be written as a run would, over the base."""
    parameters: dict[str, object] = {}
    for path in sorted((project / "conf" / "base" / "parameters").glob("*.yml")):
        parameters |= yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    declared = set(ReclifeConfig.model_fields)
    for name, text in texts.items():
        content = yaml.safe_load(text)
        if name.startswith("parameters/"):
            parameters |= content
        elif name.startswith("expectations/"):
            read_suites(content)
    known = {key: value for key, value in parameters.items() if key in declared}
    check_parameters(known, project / "conf", env)
