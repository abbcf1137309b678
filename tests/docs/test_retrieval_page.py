"""The page on retrieval: fitted on its log, each retriever lists what the page shows."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import yaml

from reclife.config.neural import NeuralConfig, ShareHoldoutConfig
from reclife.config.retrieval import CandidatesConfig
from reclife.config.training import TrainingConfig
from reclife.retrieval.candidates import CandidateSource
from reclife.training.retrieval.sources import fit

PAGE = (Path(__file__).parents[2] / "docs" / "retrieval.md").read_text(encoding="utf-8")
HISTORIES = [["a", "b"], ["c", "d"]]


def rows(section: str, first: str) -> list[list[Any]]:
    """Return the rows of the table whose first column is `first`."""
    found = re.search(rf"\| `{first}` \|[^\n]*\n\|[-|]+\n((?:\|[^\n]+\n)+)", section)
    lines = found[1].splitlines() if found else []
    return [[json.loads(cell) for cell in re.findall(r"`([^`]*)`", line)] for line in lines]


def sections() -> Iterator[Any]:
    for section in re.split(r"^##+ ", PAGE, flags=re.MULTILINE)[1:]:
        for block in re.findall(r"```yaml\n(.*?)```", section, re.DOTALL):
            config = TrainingConfig.model_validate(yaml.safe_load(block)["training"]).candidates
            trained = isinstance(config.source, NeuralConfig)
            marks = pytest.mark.slow if trained else ()
            yield pytest.param(config, section, id=section.splitlines()[0], marks=marks)


def log() -> pa.Table:
    users, items = zip(*rows(PAGE, "user_id"), strict=True)
    return pa.table({"user_id": pa.array(users), "item_id": pa.array(items)})


def short(source: NeuralConfig) -> NeuralConfig:
    """Return `source` for a log of a few events: two epochs, half of the events to judge by."""
    changes: dict[str, Any] = {"epochs": 2}
    if source.validation is not None:
        holdout = ShareHoldoutConfig(share=0.5)
        changes["validation"] = source.validation.model_copy(update={"holdout": holdout})
    return source.model_copy(update=changes)


@pytest.mark.parametrize(("config", "section"), sections())
def test_the_page_shows_what_is_listed(config: CandidatesConfig, section: str) -> None:
    if isinstance(config.source, NeuralConfig):
        config = config.model_copy(update={"source": short(config.source)})
    source = CandidateSource.fit(log(), config, fit)
    found = source.top(pa.array(HISTORIES), 2)
    listed = [(HISTORIES[row["query"]], row["item_id"]) for row in found.to_pylist()]
    for history, item in listed:
        assert item not in history
    if shown := rows(section, "history"):
        assert listed == [(history, item) for history, item, _ in shown]
        scores = [score for *_, score in shown]
        np.testing.assert_allclose(np.asarray(found["score"]), scores, atol=1e-6)


def test_the_page_shows_tables() -> None:
    assert sum(bool(rows(part, "history")) for part in PAGE.split("### ")) == 3
