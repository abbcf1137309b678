"""A learnable toy: made-up examples of every kind of feature, and short trainings of it."""

from pathlib import Path

import numpy as np
import pyarrow as pa

from reclife.config.objective import ObjectiveConfig
from reclife.config.training import TrainingConfig
from reclife.contracts import EmbeddingTable, Feature, FeatureSpec
from reclife.models.ranking import RankingModel
from reclife.training.examples import Examples

ITEMS, GENRES = 40, 9
HISTORY = 6

SPEC = FeatureSpec(
    features=(
        Feature(name="item", role="item", kind="category", dtype="int64", table="items"),
        Feature(
            name="genres",
            role="item",
            kind="multi_category",
            dtype="int64",
            shape=(3,),
            table="genres",
        ),
        Feature(
            name="history",
            role="user",
            kind="sequence",
            dtype="int64",
            shape=(HISTORY,),
            table="items",
        ),
        Feature(name="mean", role="item", kind="numeric", dtype="float32"),
        Feature(name="mood", role="user", kind="vector", dtype="float32", shape=(2,)),
    ),
    tables=(
        EmbeddingTable(name="items", size=ITEMS, vocabulary_hash="i"),
        EmbeddingTable(name="genres", size=GENRES, vocabulary_hash="g"),
    ),
    state_hash="toy",
)


def spec_of(*names: str) -> FeatureSpec:
    """Return the toy's specification with only the features called `names`."""
    features = tuple(SPEC.feature(name) for name in names)
    return SPEC.model_copy(update={"features": features})


def table(rows: int, seed: int) -> pa.Table:
    """Return examples whose label follows from the item and `mean`, with a little noise."""
    rng = np.random.default_rng(seed)
    item = rng.integers(2, ITEMS, rows)
    mean = rng.normal(size=rows)
    taste = np.random.default_rng(0).normal(size=ITEMS)
    label = (taste[item] + mean + 0.2 * rng.normal(size=rows) > 0).astype(float)
    return pa.table(
        {
            "user_id": rng.integers(0, 20, rows),
            "item_id": item * 10,
            "label": label,
            "item": item,
            "genres": _lists(rng.integers(0, GENRES, (rows, 3))),
            "history": _lists(rng.integers(0, ITEMS, (rows, HISTORY))),
            "mean": pa.array(mean, pa.float32()),
            "mood": _lists(rng.normal(size=(rows, 2)).astype("float32")),
        }
    )


def _lists(values: np.ndarray) -> pa.Array:
    return pa.FixedSizeListArray.from_arrays(values.reshape(-1), values.shape[1])


def config(**changes: object) -> TrainingConfig:
    """Return a declaration of a training that takes a second."""
    base: dict[str, object] = {"batch_size": 64, "epochs": 2, "seed": 5}
    return TrainingConfig.model_validate(base | changes)


def examples(data: pa.Table, model: RankingModel, spec: FeatureSpec = SPEC) -> Examples:
    """Return the examples in `data` as `model` takes them."""
    return Examples.from_table(data, model.features, spec, ObjectiveConfig())


def folders(root: Path) -> dict[str, Path]:
    """Return the two working folders of a training below `root`."""
    return {"checkpoints": root / "checkpoints", "logs": root / "logs"}
