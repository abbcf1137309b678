"""What evaluation declares and cannot be: told before anything runs."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from reclife.config.evaluation import EvaluationConfig
from reclife.config.root import check_parameters
from reclife.errors import ConfigError

GENRE = {"kind": "column", "column": "genres"}


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        ({"k": [10, 20, 10]}, "k: 10 is declared twice"),
        ({"k": [1001]}, "less than or equal to 1000"),
        ({"k": [True]}, "k: a number is meant, not true"),
        ({"slices": [GENRE, {**GENRE, "most": 3}]}, "item column 'genres' is declared twice"),
        ({"slices": [{"kind": "new_users"}] * 2}, "slices: new_users is declared twice"),
        ({"slices": [{**GENRE, "bounds": [3, 1]}]}, "bounds must ascend"),
        ({"slices": [{**GENRE, "bounds": [1, float("inf")]}]}, "finite number"),
        ({"slices": [{**GENRE, "bounds": [1], "separator": "|"}]}, "declare one of both"),
        ({"slices": [{"kind": "activity", "bounds": [5, 5]}]}, "bounds must ascend"),
        (
            {"gate": {"floors": [{"metric": "ndcg", "at_least": 0.1}]}},
            "floors: ndcg needs k; evaluation.k is 10",
        ),
        (
            {"gate": {"floors": [{"metric": "map", "k": 5, "at_least": 0}]}, "k": [10, 20]},
            "floors: map at k 5 is not measured; evaluation.k is 10, 20",
        ),
        (
            {"gate": {"floors": [{"metric": "auc", "k": 10, "at_least": 0}]}},
            "floors: auc is of events and has no k",
        ),
        (
            {"gate": {"floors": [{"metric": "graded_ndcg", "k": 10, "at_least": 0}]}},
            "graded_ndcg needs queries.gain",
        ),
        (
            {"gate": {"must_beat": [{"metric": "auc", "baselines": ["item_meen"]}]}},
            "'item_meen' is not among like_baselines; did you mean 'item_mean'?",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused(declared: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError, match=words.replace("[", r"\[").replace("?", r"\?")):
        EvaluationConfig.model_validate(declared)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"slices": [{"kind": "column", "column": "genre"}]},
            "slices: 'genre' is not a column of the items .*; did you mean 'genres'?",
        ),
        (
            {"slices": [{"kind": "column", "source": "user", "column": "age"}]},
            r"slices: 'age' is not a column of the users \(user_id\)",
        ),
        (
            {"slices": [{"kind": "column", "column": "genres", "bounds": [1]}]},
            "slices: bounds need numbers, but 'genres' holds texts",
        ),
        (
            {"diversity": {"kind": "category", "column": "genre"}},
            "diversity: 'genre' is not a column of the items .*; did you mean 'genres'?",
        ),
        (
            {"queries": {"gain": "ratnig"}},
            "queries.gain: 'ratnig' is not a column of the interactions .* did you mean 'rating'?",
        ),
        (
            {"queries": {"gain": "note"}},
            "queries.gain: grades are numbers, but 'note' holds texts",
        ),
        (
            {"gate": {"floors": [{"metric": "auc", "at_least": 0.5, "task": "liek"}]}},
            "gate.floors: auc: no task is called 'liek'; did you mean 'like'?",
        ),
        (
            {"gate": {"floors": [{"metric": "auc", "at_least": 0.5, "model": "deepfn"}]}},
            "gate.floors: auc: no model is called 'deepfn'; did you mean 'deepfm'?",
        ),
        (
            {"gate": {"floors": [{"metric": "ndcg", "k": 10, "at_least": 0, "model": "deepfm"}]}},
            r"gate.floors: ndcg: no model is called 'deepfm'.* Allowed: .*ease, ease\+deepfm",
        ),
    ],
)
def test_what_is_asked_for_must_be_there(change: dict[str, Any], words: str, project: Path) -> None:
    declared: dict[str, Any] = {}
    for file in sorted((project / "conf" / "base" / "parameters").glob("*.yml")):
        declared |= yaml.safe_load(file.read_text(encoding="utf-8"))
    declared["ingest"]["interactions"]["columns"]["note"] = {"from": "note", "type": "string"}
    declared["evaluation"] = {**change, "rerank": declared["scoring"]["rerank"]}
    with pytest.raises(
        ConfigError, match=f"evaluation.yml: evaluation: {words}".replace("?", r"\?")
    ):
        check_parameters(declared, project / "conf", None)


def test_no_task_is_called_as_the_lists_are(project: Path) -> None:
    declared: dict[str, Any] = {}
    for file in sorted((project / "conf" / "base" / "parameters").glob("*.yml")):
        declared |= yaml.safe_load(file.read_text(encoding="utf-8"))
    interactions = declared["ingest"]["interactions"]
    interactions["labels"] = {"lists": interactions.pop("label")}
    with pytest.raises(ConfigError, match="figures of the lists are called 'lists'; rename"):
        check_parameters(declared, project / "conf", None)


def test_models_and_baselines_of_one_kind_have_names_of_their_own() -> None:
    config = EvaluationConfig.model_validate(
        {"like_baselines": [{"kind": "item_mean"}, {"kind": "item_mean", "smoothing": 1}]}
    )
    assert config.trained_name("deepfm") == "deepfm"
    assert config.trained_name("item_mean") == "trained item_mean"
    EvaluationConfig.model_validate(
        {
            **config.model_dump(),
            "gate": {"must_beat": [{"metric": "auc", "baselines": ["item_mean#2"]}]},
        }
    )
