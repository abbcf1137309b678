"""A second day of data, with new items, goes on from the model of the first one."""

import csv
import shutil
from datetime import timedelta
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
import yaml
from tests.e2e.projects import succeed
from tests.fixtures.worlds import DAYS, world, write_rows

from reclife.contracts import FIRST_ID, FeatureSpec
from reclife.models.saved import read_weights

pytestmark = pytest.mark.slow

OLD, NEW = 80, 90
GONE = 20
"""Items that nobody rates on the second day."""
EARLIER = {
    "earlier_feature_state": {
        "type": "reclife.datasets.earlier_state.EarlierState",
        "pointer": "data/06_models/current.json",
    },
    "earlier_model": {
        "type": "reclife.datasets.earlier_model.EarlierModel",
        "pointer": "data/06_models/current.json",
        "models": "data/06_models/model/run_id={run_id}",
    },
}


def second_day(folder: Path) -> None:
    """Replace the data by that of the second day and declare that training goes on."""
    made = world(seed=5, items=NEW, per_user=60)
    data, test = folder / "tests/fixtures/tiny", folder / "conf/test"
    later = timedelta(days=DAYS)
    events = [
        (e.user + 1, e.item + 1, e.rating, int((e.when + later).timestamp()))
        for e in made.events
        if e.item >= GONE
    ]
    write_rows(data / "interactions.csv", [("user_id", "item_id", "rating", "timestamp"), *events])
    with (data / "items.csv").open(encoding="utf-8", newline="") as file:
        items = list(csv.reader(file))
    more = [
        (i + 1, f"Title {i + 1}", "|".join(made.genres[i]), made.years[i]) for i in range(OLD, NEW)
    ]
    write_rows(data / "items.csv", [*items, *more])
    (test / "catalog" / "earlier.yml").write_text(yaml.safe_dump(EARLIER), encoding="utf-8")
    path = test / "parameters" / "training.yml"
    declared = yaml.safe_load(path.read_text(encoding="utf-8"))
    declared["training"] |= {
        "warm_start": {"optimizer": False},
        "refit": False,
        "epochs": 1,
        "early_stopping": None,
    }
    path.write_text(yaml.safe_dump(declared), encoding="utf-8")


def rows(folder: Path, run: str) -> np.ndarray:
    """Return the table of items of a run's model."""
    weights, _ = read_weights(folder / f"data/06_models/model/run_id={run}")
    table: np.ndarray = weights["table/item"]
    return table


def runs(folder: Path) -> set[str]:
    found = (folder / "data/06_models/model").glob("run_id=*")
    return {path.name.removeprefix("run_id=") for path in found}


def test_rows_of_yesterday_are_kept_learnt_and_joined_by_new_ones(
    finished: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "project"
    shutil.copytree(finished, folder, symlinks=True)
    (monday,) = runs(folder)
    second_day(folder)
    succeed(folder, "kedro", "run", "--env", "test", "--pipelines", "ingest,features,training")
    (tuesday,) = runs(folder) - {monday}
    before, after = rows(folder, monday), rows(folder, tuesday)
    spec = FeatureSpec.read(folder / f"data/04_feature/spec/run_id={tuesday}/feature_spec.json")
    assert len(after) == spec.table("item").size > len(before)
    examples = pq.read_table(folder / f"data/05_model_input/train/run_id={tuesday}")
    asked = {*examples["item"].to_numpy()}
    asked |= {*examples["history"].combine_chunks().flatten().to_numpy()}
    old = np.arange(FIRST_ID, len(before))
    kept = np.array([id_ for id_ in old if id_ not in asked])
    seen = np.array([id_ for id_ in old if id_ in asked])
    assert len(kept) >= GONE // 2
    np.testing.assert_array_equal(after[kept], before[kept])
    assert (after[seen] != before[seen]).any(axis=1).all()
    assert np.abs(after[len(before) :]).max(axis=1).min() > 0
