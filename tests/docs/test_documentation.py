"""What the documentation shows is true: YAML validates, commands and files exist, links lead on."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
import yaml
from pydantic import TypeAdapter

from reclife.cli import cli
from reclife.config.json_schema import schemas
from reclife.config.root import ReclifeConfig
from reclife.config.trials import TrialsConfig
from reclife.config.validation import read_suites
from reclife.lifecycle import Lifecycle, read_lifecycles

PROJECT = Path(__file__).parents[2]
PAGES = sorted([*PROJECT.glob("*.md"), *PROJECT.glob("docs/**/*.md")])
KEDRO_COMMANDS = {("run",), ("registry", "list"), ("catalog", "describe-datasets")}


def blocks(language: str) -> Iterator[tuple[str, str]]:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for number, block in enumerate(re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)):
            yield f"{page.relative_to(PROJECT)}#{number}", block


def commands() -> Iterator[tuple[str, list[str]]]:
    for where, block in blocks("shell"):
        for line in block.splitlines():
            words = shlex.split(line, comments=True)
            if words and words[0] in ("make", "kedro", "reclife"):
                yield f"{where}: {line.strip()}", words


def check_yaml(content: dict[str, object]) -> str:
    """Validate a block by what it is and return that; raise when it is nothing known."""
    keys = set(content)
    if keys <= set(ReclifeConfig.model_fields):
        for stage, declared in content.items():
            model = ReclifeConfig.model_fields[stage].annotation
            TypeAdapter(model).validate_python(declared)
        return "parameters"
    if content.get("kind") == "trials":
        TrialsConfig.model_validate(content)
        return "trials"
    if "stages" in keys:
        Lifecycle.model_validate(content)
        return "lifecycle"
    entries = list(content.values())
    if all(isinstance(entry, dict) and "type" in entry for entry in entries):
        return "catalog"
    if all(isinstance(entry, dict) and "expectations" in entry for entry in entries):
        read_suites(content)
        return "suite"
    raise AssertionError(f"no known kind of declaration: {sorted(keys)}")


@pytest.mark.parametrize(
    "block", [pytest.param(block, id=where) for where, block in blocks("yaml")]
)
def test_every_yaml_block_is_a_valid_declaration(block: str) -> None:
    assert check_yaml(yaml.safe_load(block))


def test_every_stage_has_an_example() -> None:
    shown = {key for _, block in blocks("yaml") for key in yaml.safe_load(block)}
    assert set(ReclifeConfig.model_fields) <= shown


def test_a_wrong_block_would_be_noticed() -> None:
    with pytest.raises(ValueError, match="epoch"):
        check_yaml({"training": {"epoch": 3}})
    with pytest.raises(AssertionError):
        check_yaml({"trainig": {}})


@pytest.mark.parametrize("words", [pytest.param(words, id=where) for where, words in commands()])
def test_every_command_exists(words: list[str]) -> None:
    program, *rest = words
    plain = [word for word in rest if not word.startswith("-") and "=" not in word]
    if program == "make":
        makefile = (PROJECT / "Makefile").read_text(encoding="utf-8")
        assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in plain)
    elif program == "kedro":
        assert any(tuple(plain[: len(known)]) == known for known in KEDRO_COMMANDS)
        pipelines = {*ReclifeConfig.model_fields, *read_lifecycles(PROJECT / "pipelines")}
        if "--pipelines" in rest:
            assert set(rest[rest.index("--pipelines") + 1].split(",")) <= pipelines
    else:
        command = cli.commands[plain[0]]
        known = {name for option in command.params for name in option.opts}
        assert {word for word in rest if word.startswith("--")} <= known
        assert isinstance(command, click.Command)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(PROJECT)))
def test_links_lead_to_files(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8"))
    local = [target for target in targets if not target.startswith("http")]
    assert [target for target in local if not (page.parent / target).exists()] == []


def messages() -> list[str]:
    page = (PROJECT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
    quoted = re.findall(r"^\| `([^`]+)` \|", page, re.MULTILINE)
    return [part.strip(" ;") for message in quoted for part in message.split("...")]


@pytest.mark.parametrize("message", messages())
def test_the_messages_explained_are_those_the_code_gives(message: str) -> None:
    sources = [path.read_text(encoding="utf-8") for path in PROJECT.glob("src/reclife/**/*.py")]
    joined = [re.sub(r'"\s*\n\s*f?"', "", source) for source in sources]
    assert any(message in source for source in joined)


def test_the_schemas_are_current() -> None:
    import json

    folder = PROJECT / "conf" / "schemas"
    written = {
        path.name.removesuffix(".schema.json"): json.loads(path.read_text(encoding="utf-8"))
        for path in folder.glob("*.schema.json")
    }
    assert written == schemas(), "run `make schema`"


@pytest.mark.parametrize("path", sorted(PROJECT.glob("conf/*/parameters/*.yml")), ids=str)
def test_parameter_files_name_their_schema(path: Path) -> None:
    first = path.read_text(encoding="utf-8").splitlines()[0]
    assert first == f"# yaml-language-server: $schema=../../schemas/{path.stem}.schema.json"


def test_the_hooks_of_pre_commit_download_nothing() -> None:
    declared = yaml.safe_load((PROJECT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    assert [repo["repo"] for repo in declared["repos"]] == ["local"]
    dependencies = (PROJECT / "pyproject.toml").read_text(encoding="utf-8")
    for hook in declared["repos"][0]["hooks"]:
        assert hook["language"] == "system"
        assert f'"{Path(hook["entry"].split()[0]).name}>=' in dependencies
