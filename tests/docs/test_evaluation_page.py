"""The examples of the page on evaluation give what the page says."""

import doctest
import re
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from reclife.metrics import beyond
from reclife.metrics.ranking import METRICS, at_k, places

PAGE = Path(__file__).parents[2] / "docs" / "evaluation.md"


def cells(metric: str) -> list[float]:
    line = re.search(rf"^\| `{metric}` \|.*$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert line is not None, metric
    return [float(cell) for cell in re.findall(r"\| `([\d.]+)` ", line[0])]


def test_the_examples_run() -> None:
    failed, run = doctest.testfile(str(PAGE), module_relative=False)
    assert failed == 0
    assert run > 30


@pytest.mark.parametrize("metric", METRICS)
def test_the_table_of_list_metrics_is_computed(metric: str) -> None:
    found = places(np.array([0, 0, 1]), np.array([1, 3, 0]), np.array([1, 1, 3]), np.array([2, 1]))
    assert cells(metric) == pytest.approx(at_k(found, 2)[metric].tolist(), abs=5e-5)


def test_the_table_of_what_lists_are_like_is_computed() -> None:
    lists, met_by = np.array([[0, 1], [0, 2]]), np.array([8, 4, 2, 1])
    assert cells("coverage") == [beyond.coverage(lists, 4)]
    assert cells("gini") == [beyond.gini(lists, 4)]
    assert cells("novelty") == [beyond.novelty(lists, met_by, 8).mean()]
    assert cells("popularity") == [beyond.popularity(lists, met_by).mean()]
    genres = sparse.csr_array([[1, 1], [1, 0], [0, 1], [1, 1]])
    assert cells("diversity") == [beyond.diversity(lists, genres, "jaccard").mean()]
    repeated = beyond.repetition(lists, np.array([0, 0]), np.array([1, 2]))
    assert cells("repetition") == [np.nanmean(repeated)]
