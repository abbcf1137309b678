"""The environment that `reclife init` writes: valid, readable by Spark as it was profiled, safe."""

from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from tests.fixtures import worlds

from reclife.cli import cli
from reclife.config.root import check_parameters
from reclife.config.validation import read_suites
from reclife.errors import ConfigError
from reclife.onboarding import Request, propose, write
from reclife.onboarding.catalog import catalog_text, spark_text

SHAPES = ("chinese", "chinese_gb18030", "spanish", "untimed", "clicks")


def request_of(shape: str, folder: Path) -> Request:
    if shape == "chinese":
        return Request(worlds.chinese_ratings(folder))
    if shape == "chinese_gb18030":
        return Request(worlds.chinese_ratings(folder, encoding="gb18030"))
    if shape == "spanish":
        return Request(*worlds.spanish_ratings(folder))
    if shape == "untimed":
        return Request(*worlds.untimed_ratings(folder))
    return Request(*worlds.clicks(folder))


@pytest.fixture
def copied(tmp_path: Path, project: Path) -> Path:
    """A folder that looks like the project, to write an environment into."""
    (tmp_path / "project" / "conf").mkdir(parents=True)
    (tmp_path / "project" / "conf" / "base").symlink_to(project / "conf" / "base")
    return tmp_path / "project"


def load(folder: Path) -> dict[str, object]:
    merged: dict[str, object] = {}
    for path in sorted(folder.glob("*.yml")):
        merged |= yaml.safe_load(path.read_text(encoding="utf-8"))
    return merged


@pytest.mark.parametrize("shape", SHAPES)
def test_every_file_is_valid_and_explains_its_guesses(
    shape: str, tmp_path: Path, copied: Path
) -> None:
    files = write(propose(request_of(shape, tmp_path / "raw")), copied, "mine")
    environment = copied / "conf" / "mine"
    base = load(copied / "conf" / "base" / "parameters")
    config = check_parameters({**base, **load(environment / "parameters")}, copied / "conf", "mine")
    columns = config.ingest.interactions.columns
    assert {"user_id", "item_id"} <= set(columns)
    suites = read_suites(load(environment / "expectations"))
    sources = yaml.safe_load((environment / "catalog" / "ingest.yml").read_text(encoding="utf-8"))
    validated = {name for name, entry in sources.items() if "validator" in entry}
    assert set(suites) == validated
    assert all("# " in path.read_text(encoding="utf-8") for path in files)


def test_what_users_think_of_a_category_is_learned(tmp_path: Path, copied: Path) -> None:
    write(propose(request_of("spanish", tmp_path / "raw")), copied, "mine")
    declared = load(copied / "conf" / "mine" / "parameters")["features"]["features"]
    assert {"kind": "affinity", "name": "genres_affinity", "of": "genres"} in declared


@pytest.mark.parametrize("shape", SHAPES)
def test_spark_reads_what_was_profiled(shape: str, tmp_path: Path, spark) -> None:
    proposal = propose(request_of(shape, tmp_path))
    extra = yaml.safe_load(spark_text(proposal) or "{}")
    for key, value in extra.items():
        spark.conf.set(key, str(value).lower())
    entries = yaml.safe_load(catalog_text(proposal, tmp_path, "mine"))
    tables = {"raw_interactions": proposal.interactions}
    tables |= {"raw_items": proposal.items.table} if proposal.items else {}
    for name, table in tables.items():
        if "filepath" not in entries[name]:
            continue
        path = tmp_path / entries[name]["filepath"]
        read = spark.read.options(**entries[name]["load_args"]).csv(str(path)).toArrow()
        assert read.column_names == list(table.form.columns)
        assert read.to_pylist() == table.sample.to_pylist()
    for key in extra:
        spark.conf.unset(key)


def test_a_file_of_the_project_is_named_from_its_folder(copied: Path) -> None:
    proposal = propose(Request(worlds.chinese_ratings(copied / "data" / "01_raw")))
    entries = yaml.safe_load(catalog_text(proposal, copied, "mine"))
    assert entries["raw_interactions"]["filepath"] == "data/01_raw/评分.tsv"


def test_an_environment_is_not_overwritten_unasked(tmp_path: Path, copied: Path) -> None:
    proposal = propose(request_of("chinese", tmp_path))
    write(proposal, copied, "mine")
    with pytest.raises(ConfigError, match="exists"):
        write(proposal, copied, "mine")
    write(proposal, copied, "mine", force=True)


@pytest.mark.parametrize("name", ["base", "local", "../x", "a b", ""])
def test_names_that_cannot_be_an_environment(name: str, tmp_path: Path, copied: Path) -> None:
    proposal = propose(request_of("chinese", tmp_path))
    with pytest.raises(ConfigError, match="--env"):
        write(proposal, copied, name)


def test_the_command_tells_what_it_guessed_and_what_comes_next(
    tmp_path: Path, copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interactions, items, users = worlds.clicks(tmp_path)
    monkeypatch.chdir(copied)
    arguments = ["init", str(interactions), "--items", str(items), "--users", str(users)]
    result = CliRunner().invoke(cli, [*arguments, "--env", "mine"])
    assert result.exit_code == 0, result.output
    assert "visitor string" in result.output
    assert "make run ENV=mine" in result.output


def test_the_command_answers_a_mistake_in_one_sentence(
    tmp_path: Path, copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(copied)
    result = CliRunner().invoke(cli, ["init", str(tmp_path / "none.csv"), "--env", "mine"])
    assert result.exit_code == 1
    assert "there is no such file" in result.output
    assert "Traceback" not in result.output
    assert not (copied / "conf" / "mine").exists()
