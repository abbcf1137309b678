"""Ways in which data goes wrong, each caught by the suites that the project ships."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

from reclife.contracts import EmbeddingTable, Feature, FeatureSpec
from reclife.validation.stage import SuitesFailed, validate_stage

SUITES = Path(__file__).parents[2] / "conf" / "base" / "expectations"
SPEC = FeatureSpec(
    features=(
        Feature(name="item", role="item", kind="category", dtype="int64", table="item"),
        Feature(name="rate", role="user", kind="numeric", dtype="float32"),
    ),
    tables=(EmbeddingTable(name="item", size=5, vocabulary_hash="h"),),
    state_hash="s",
)
Tables = dict[str, pd.DataFrame]


def suites() -> dict[str, Any]:
    declared: dict[str, Any] = {}
    for path in SUITES.glob("*.yml"):
        declared |= yaml.safe_load(path.read_text())
    return declared


def ingested() -> Tables:
    return {
        "interactions": pd.DataFrame(
            {
                "user_id": [1, 1, 2, 2**53 + 1],
                "item_id": [10, 11, 10, 12],
                "timestamp": [100, 200, 300, 400],
                "label": [0.0, 1.0, 1.0, 0.0],
            }
        ),
        "users": pd.DataFrame({"user_id": [1, 2, 2**53 + 1]}),
        "items": pd.DataFrame({"item_id": [10, 11, 12], "title": ["a", "b", None]}),
        "quarantine": pd.DataFrame({"source": [""], "reason": [""], "row": [""]}).head(0),
        "ingest_report": pd.DataFrame(
            {
                "table": ["interactions", "users", "items"],
                "rows_in": [4, 3, 3],
                "rows_out": [4, 3, 3],
                "conflicts": [0, 0, 0],
                "completed": [0, 0, 0],
            }
        ),
    }


def examples() -> Tables:
    frame = pd.DataFrame(
        {
            "user_id": [1, 1, 2, 2],
            "item_id": [10, 11, 10, 12],
            "timestamp": [100, 200, 300, 400],
            "label": np.array([0, 1, 1, 0], dtype=np.float32),
            "item": [2, 3, 2, 1],
            "rate": np.array([0.1, 0.2, 0.3, 0.4], dtype=np.float32),
        }
    )
    names = ("train_examples", "validation_examples", "test_examples")
    return {name: frame.copy() for name in names}


def check_ingest(tables: Tables) -> None:
    validate_stage("ingest", tables, suites(), "run")


def check_features(tables: Tables) -> None:
    validate_stage("features", tables, suites(), "run", spec=SPEC)


def with_column(name: str, value: object) -> Callable[[pd.DataFrame], pd.DataFrame]:
    return lambda frame: frame.assign(**{name: value})


def with_cell(name: str, value: object) -> Callable[[pd.DataFrame], pd.DataFrame]:
    def change(frame: pd.DataFrame) -> pd.DataFrame:
        frame = frame.copy()
        frame[name] = [*frame[name].tolist()[:-1], value]
        return frame

    return change


def repeated(frame: pd.DataFrame) -> pd.DataFrame:
    return pd.concat([frame, frame.head(1)], ignore_index=True)


def with_null_id(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(user_id=pd.array([1, 1, 2, None], dtype="Int64"))


def with_nan(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(rate=np.array([0.1, 0.2, 0.3, np.nan], dtype=np.float32))


MUTATIONS: dict[str, tuple[Any, str, Callable[[pd.DataFrame], pd.DataFrame], str]] = {
    "empty": ("ingest", "interactions", lambda f: f.head(0), "interactions: expected at least 1"),
    "empty partition": ("features", "test_examples", lambda f: f.head(0), "it is empty"),
    "null": ("ingest", "interactions", with_null_id, "interactions.user_id"),
    "NaN": ("features", "train_examples", with_nan, "train_examples.rate"),
    "wrong type": ("ingest", "interactions", with_column("label", "like"), "its type is string"),
    "dropped column": ("ingest", "interactions", lambda f: f.drop(columns="label"), "is missing"),
    "duplicate key": ("ingest", "interactions", repeated, "compound columns to be unique"),
    "late day": ("ingest", "interactions", with_cell("timestamp", 2**33), "e.g. 8589934592"),
    "negative time": ("ingest", "interactions", with_cell("timestamp", -1), "e.g. -1"),
    "out-of-range id": ("features", "test_examples", with_cell("item", 5), "below 5; 1 of 4"),
    "constant label": (
        "features",
        "train_examples",
        lambda f: f.assign(label=np.float32(1)),
        "unique value count",
    ),
    "unknown label": (
        "features",
        "train_examples",
        with_cell("label", None),
        "train_examples.label",
    ),
    "broken foreign key": ("ingest", "interactions", with_cell("item_id", 99), "items.item_id; 1"),
}


def test_untouched_tables_pass() -> None:
    check_ingest(ingested())
    check_features(examples())


@pytest.mark.parametrize("name", MUTATIONS)
def test_mutation_is_caught(name: str) -> None:
    stage, table, mutate, message = MUTATIONS[name]
    tables, check = {
        "ingest": (ingested(), check_ingest),
        "features": (examples(), check_features),
    }[stage]
    tables[table] = mutate(tables[table])
    with pytest.raises(SuitesFailed) as caught:
        check(tables)
    assert message in str(caught.value)
    failed = [suite.dataset for suite in caught.value.report.suites if not suite.success]
    assert failed == [table]


def test_timeless_data_with_text_ids_pass() -> None:
    tables = ingested()
    for name, frame in tables.items():
        text = {c: frame[c].astype(str) for c in ("user_id", "item_id") if c in frame}
        tables[name] = frame.assign(**text).drop(columns="timestamp", errors="ignore")
    check_ingest(tables)
    tables["interactions"] = repeated(tables["interactions"])
    with pytest.raises(SuitesFailed, match="compound columns to be unique"):
        check_ingest(tables)
