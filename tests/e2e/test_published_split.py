"""A published split through the pipeline: the report's lists, and two of its runs held together."""

import csv
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from scipy import stats
from tests.e2e.projects import call
from tests.fixtures.worlds import world, write_rows

pytestmark = pytest.mark.slow

USERS, ITEMS, K, L2 = 60, 80, 10, 250
PARTS = ("train", "valid", "test")
Pairs = set[tuple[int, int]]


def split(root: Path, seed: int) -> None:
    """Write made-up events as the environment `ml100k_top10` finds them, divided 8:1:1 by user."""
    rng = np.random.default_rng(seed)
    rows: dict[str, list[tuple[int, int]]] = {part: [] for part in PARTS}
    for user in range(USERS):
        met = sorted({event.item for event in world(9).events if event.user == user})
        place = rng.permutation(len(met)) * 10 // len(met)
        for item, tenth in zip(met, place.tolist(), strict=True):
            rows["train" if tenth < 8 else PARTS[tenth - 7]].append((user, item))
    for part, pairs in rows.items():
        target = root / "ml-100k" / "general_RSuser811" / f"{part}.csv"
        write_rows(target, [("user_id", "item_id"), *pairs])


def pairs(root: Path, part: str) -> Pairs:
    path = root / "ml-100k" / "general_RSuser811" / f"{part}.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return {(int(row["user_id"]), int(row["item_id"])) for row in csv.DictReader(file)}


def declare(folder: Path, **training: object) -> None:
    path = folder / "conf/ml100k_top10/parameters/training.yml"
    declared = yaml.safe_load(path.read_text(encoding="utf-8"))
    declared["training"] |= training
    path.write_text(yaml.safe_dump(declared), encoding="utf-8")


def run(folder: Path, root: Path) -> str:
    """Run from the sources to the evaluation and return the run's id."""
    stages = "ingest,features,training,evaluation"
    arguments = ("run", "--env", "ml100k_top10", "--pipelines", stages)
    done = call(folder, "kedro", *arguments, RECLIFE_DATA=str(root))
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads((folder / "data/08_reporting/evaluation.json").read_text(encoding="utf-8"))
    return str(report["run_id"])


@pytest.fixture(scope="module")
def runs(fresh: Callable[[str], Path]) -> tuple[Path, Path, dict[str, str]]:
    """The same split trained with two seeds, and another split."""
    folder = fresh("published")
    root = folder.parent / "outside"
    split(root, seed=0)
    ids = {"first": run(folder, root)}
    source = {"kind": "mf", "embedding_dim": 8, "epochs": 2, "batch_size": 64, "seed": 5}
    declare(folder, seed=5, candidates={"source": source})
    ids["second"] = run(folder, root)
    split(root, seed=1)
    ids["other"] = run(folder, root)
    split(root, seed=0)
    return folder, root, ids


def reported(folder: Path, run_id: str) -> dict[tuple[str, str], float]:
    path = folder / f"data/08_reporting/runs/{run_id}/evaluation.json"
    rows = json.loads(path.read_text(encoding="utf-8"))["rows"]
    return {
        (row["model"], row["metric"]): row["value"]
        for row in rows
        if (row["task"], row["slice"]) == ("lists", "all") and row["k"] in (K, None)
    }


def examples(folder: Path, run_id: str, part: str) -> pa.Table:
    return pq.read_table(folder / f"data/05_model_input/{part}/run_id={run_id}", partitioning=None)


def expected_ease(root: Path) -> tuple[float, float]:
    """Recall and NDCG of EASE fitted on train and validation, of which nothing may be listed."""
    matrix, wanted = np.zeros((USERS, ITEMS)), np.zeros((USERS, ITEMS), bool)
    for user, item in pairs(root, "train") | pairs(root, "valid"):
        matrix[user, item] = 1
    for user, item in pairs(root, "test"):
        wanted[user, item] = True
    inverse = np.linalg.inv(matrix.T @ matrix + L2 * np.eye(ITEMS))
    weights = -inverse / np.diag(inverse)
    np.fill_diagonal(weights, 0)
    scores = matrix @ weights
    scores[:, matrix.sum(axis=0) == 0] = -np.inf
    scores[matrix > 0] = -np.inf
    recalls, gains = [], []
    for user in np.flatnonzero(wanted.any(axis=1)).tolist():
        best = np.argsort(-scores[user])[:K]
        hits, count = wanted[user, best], int(wanted[user].sum())
        discounts = 1 / np.log2(np.arange(K) + 2)
        recalls.append(hits.sum() / count)
        gains.append((hits * discounts).sum() / discounts[: min(K, count)].sum())
    return float(np.mean(recalls)), float(np.mean(gains))


def test_lists_are_measured_on_what_the_split_says(
    runs: tuple[Path, Path, dict[str, str]],
) -> None:
    folder, root, ids = runs
    train = examples(folder, ids["first"], "train")
    drawn = train.filter(pa.array(np.asarray(train["label"]) == 0))
    negatives = zip(drawn["user_id"].to_pylist(), drawn["item_id"].to_pylist(), strict=True)
    assert len(set(negatives) & pairs(root, "test")) > 10  # what must not count as met
    found = reported(folder, ids["first"])
    recall, ndcg = expected_ease(root)
    assert found["queries", "count"] == len({user for user, _ in pairs(root, "test")})
    assert found["ease", "recall"] == pytest.approx(recall, abs=1e-6)
    assert found["ease", "ndcg"] == pytest.approx(ndcg, abs=1e-6)


def test_two_runs_of_one_split_are_compared_by_user(
    runs: tuple[Path, Path, dict[str, str]],
) -> None:
    folder, _, ids = runs
    done = call(folder, "reclife", "compare", ids["first"], ids["second"])
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    assert any(line[:2] == ["lists", "NDCG@10"] for line in lines)
    name = f"{ids['first']}_{ids['second']}.json"
    path = folder / "data/08_reporting/comparisons" / name
    rows = json.loads(path.read_text(encoding="utf-8"))["rows"]
    (row,) = [r for r in rows if (r["task"], r["slice"], r["metric"]) == ("lists", "all", "ndcg")]
    values = []
    for run_id in (ids["first"], ids["second"]):
        place = folder / f"data/07_model_output/scored_lists/run_id={run_id}"
        table = pq.read_table(place, partitioning=None).sort_by("user_id")
        values.append(np.asarray(table["ndcg@10"]))
    gaps = values[1] - values[0]
    assert row["users"] == len(gaps)
    assert row["difference"] == pytest.approx(gaps.mean(), abs=1e-9)
    signs = stats.permutation_test(
        (gaps,), np.mean, permutation_type="samples", n_resamples=5000, rng=1
    )
    assert row["p"] == pytest.approx(signs.pvalue, abs=0.03)
    assert row["ci_low"] < row["difference"] < row["ci_high"]


def test_runs_of_other_test_rows_are_refused_in_a_sentence(
    runs: tuple[Path, Path, dict[str, str]],
) -> None:
    folder, _, ids = runs
    done = call(folder, "reclife", "compare", ids["first"], ids["other"])
    assert done.returncode == 1
    (sentence,) = done.stderr.split("\n")[1:-1]
    assert sentence.startswith("like: the runs have other test rows (")
