"""What no declaration may hold, whichever it is, and in which words that is told."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import PositiveInt

from reclife.config.root import check_parameters
from reclife.config.schema import Schema
from reclife.errors import ConfigError

PARAMETERS = Path("conf", "base", "parameters")


class Limits(Schema):
    """Fields of every type that true or an infinity could be read as."""

    count: int = 1
    share: float | None = None
    flag: bool = False
    either: int | bool = 1
    many: tuple[PositiveInt, ...] = ()
    perhaps: PositiveInt | None = None
    values: tuple[int | str, ...] = ()


def told(project: Path, **training: Any) -> list[str]:
    """Return the lines that refuse what the training declares, without those around them."""
    declared = {}
    for file in sorted((project / PARAMETERS).glob("*.yml")):
        declared |= yaml.safe_load(file.read_text(encoding="utf-8"))
    declared["training"] |= training
    with pytest.raises(ConfigError) as refused:
        check_parameters(declared, project / "conf", None)
    first, *lines = str(refused.value).splitlines()
    assert first == f"The configuration has {len(lines)} problem(s):"
    return [line.removeprefix(f"{PARAMETERS}/training.yml: ") for line in lines]


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), float("nan")])
def test_every_number_is_finite(value: float) -> None:
    with pytest.raises(ValueError, match="finite number"):
        Limits(share=value)


@pytest.mark.parametrize(
    ("field", "value"),
    [("count", True), ("share", False), ("perhaps", True), ("many", [3, True])],
)
def test_truth_is_no_number(field: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"{field}: a number is meant, not true"):
        Limits.model_validate({field: value})


def test_truth_is_no_text_either() -> None:
    with pytest.raises(ValueError, match="values: YAML reads yes, no, on"):
        Limits.model_validate({"values": ["a", True]})


def test_truth_may_be_declared_where_it_is_meant() -> None:
    assert Limits.model_validate({"flag": True, "either": True}).either is True


@pytest.mark.parametrize(
    ("training", "expected"),
    [
        (
            {"model": {"kind": "deepfm", "hidden_units": 64}},
            "training.model.deepfm.hidden_units: input should be a list, `[...]` (got 64)",
        ),
        (
            {"model": {"kind": "deepfm", "hidden_units": [0]}},
            "training.model.deepfm.hidden_units.0: input should be greater than 0 (got 0)",
        ),
        (
            {"model": {"kind": "deepfm", "hidden_units": []}},
            "training.model.deepfm.hidden_units: input should have an entry",
        ),
        (
            {"clipping": {"limit": 1.0}},
            "training.clipping: `kind` is missing. Allowed: global_norm, norm, value.",
        ),
        (
            {"early_stopping": False},
            "training.early_stopping: input should be keys with values, `{key: value}` (got False)",
        ),
        (
            {"clipping": {"kind": "norm", "limit": float("inf")}},
            "training.clipping.norm.limit: input should be a finite number (got inf)",
        ),
    ],
    ids=str,
)
def test_a_mistake_is_one_line_in_the_words_of_yaml(
    training: dict[str, Any], expected: str, project: Path
) -> None:
    assert told(project, **training) == [expected]


def test_tasks_that_the_interactions_do_not_have_are_named_with_the_nearest(project: Path) -> None:
    found = told(
        project,
        objective={"tasks": {"liek": {"kind": "focal"}}, "weighting": {"weights": {"like": 1}}},
        early_stopping={"task": "lik"},
        refit=False,
        stages=[
            {
                "name": "a",
                "dense_optimizer": {"kind": "adam", "schedule": {"kind": "plateau", "task": "buy"}},
            }
        ],
    )
    near = "did you mean 'like'? Allowed: like."
    assert found == [
        f"training: objective.tasks: no task is called 'liek'; {near}",
        f"training: early_stopping.task: no task is called 'lik'; {near}",
        "training: stages.0.dense_optimizer.schedule.task: no task is called 'buy'. Allowed: like.",
        # told beside them, of the same declaration
        "training.objective.weighting: `kind` is missing. Allowed: declared, uncertainty.",
    ]


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (
            {"kind": "bst", "embedding_dim": 10, "heads": 4},
            "4 heads do not divide embedding_dim 10",
        ),
        (
            {
                "kind": "blocks",
                "blocks": {
                    "rows": {"kind": "fields", "features": ["item", "year", "item"]},
                    "logit": {"kind": "linear", "input": "rows"},
                },
                "outputs": {"like": "logit"},
            },
            "blocks.rows.fields.features: names item twice",
        ),
    ],
    ids=["heads", "features"],
)
def test_what_no_shape_can_come_of_is_told_before_anything_runs(
    model: dict[str, Any], message: str, project: Path
) -> None:
    (line,) = told(project, model=model)
    assert message in line


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({"kind": "sasrec", "embedding_dim": 64, "heads": 3}, "3 heads do not divide"),
        ({"kind": "bert4rec", "embedding_dim": 8, "heads": 16}, "16 heads do not divide"),
        ({"kind": "two_tower", "max_length": 1}, "targets: others needs max_length: 2 at least"),
    ],
    ids=str,
)
def test_a_retriever_that_cannot_be_built_is_told_before_anything_runs(
    source: dict[str, Any], message: str, project: Path
) -> None:
    (line,) = told(project, candidates={"source": source})
    assert message in line
