"""Every kind of model once, with examples of every kind of feature and two tasks."""

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import tensorflow as tf

from reclife.config.model import ModelConfig
from reclife.contracts import EmbeddingTable, Feature, FeatureSpec, Task
from reclife.datasets.tensors import to_arrays
from reclife.models.ranking import RankingModel

ITEMS, GENRES = 40, 9
LENGTH, PARTS = 6, 3


def feature(name: str, role: str, kind: str, **more: object) -> Feature:
    dtype = "float32" if "table" not in more else "int64"
    return Feature.model_validate({"name": name, "role": role, "kind": kind, "dtype": dtype} | more)


SPEC = FeatureSpec(
    features=(
        feature("item", "item", "category", table="items"),
        feature("genre", "item", "category", table="genre"),
        feature(
            "genres", "item", "multi_category", shape=(PARTS,), table="genres", weights="shares"
        ),
        feature("shares", "item", "weights", shape=(PARTS,)),
        feature("history", "user", "sequence", shape=(LENGTH,), table="items"),
        feature("history_genre", "user", "sequence", shape=(LENGTH,), table="genre"),
        feature("mean", "item", "numeric"),
        feature("mood", "user", "vector", shape=(2,)),
    ),
    tables=(
        EmbeddingTable(name="items", size=ITEMS, vocabulary_hash="i"),
        EmbeddingTable(name="genre", size=GENRES, vocabulary_hash="g"),
        EmbeddingTable(name="genres", size=GENRES, vocabulary_hash="g"),
    ),
    tasks=(Task(name="like", label="label"), Task(name="buy", label="label_buy")),
    state_hash="zoo",
)

DECLARED: Mapping[str, dict[str, object]] = {
    "logistic_regression": {},
    "fm": {},
    "wide_and_deep": {},
    "deepfm": {},
    "xdeepfm": {},
    "dcn_v2": {},
    "autoint": {},
    "din": {},
    "bst": {},
    "sim": {"search": "history_genre", "relevant": 2, "recent": 2},
    "shared_bottom": {},
    "mmoe": {"experts": 2},
    "ple": {"shared_experts": 1, "task_experts": 1},
    "esmm": {},
    "blocks": {
        "blocks": {
            "vectors": {"kind": "fields"},
            "weights": {"kind": "first_order"},
            "pairs": {"kind": "factorization", "input": "vectors"},
            "flat": {"kind": "flatten", "input": "vectors"},
            "numbers": {"kind": "numbers"},
            "all": {"kind": "concat", "inputs": ["flat", "numbers"]},
            "deep": {"kind": "perceptron", "input": "all"},
            "logit": {"kind": "sum", "inputs": ["weights", "pairs", "deep"]},
            "bought": {"kind": "perceptron", "input": "all", "hidden_units": [16]},
        },
        "outputs": {"buy": "bought", "like": "logit"},
    },
    "custom": {"path": "tests.models.own:build"},
}
"""By kind, what must be declared beside it."""

NEEDED: Mapping[str, set[str]] = {
    "din": {"item", "history"},
    "bst": {"item", "history"},
    "sim": {"item", "history", "genre", "history_genre"},
    "blocks": {"genres", "mean"},
}
"""Features without which a kind is refused."""


def declared(kind: str, **fields: object) -> ModelConfig:
    """Return the declaration of `kind`, with `fields` beside what it must have."""
    if kind == "custom":
        return ModelConfig.model_validate({"kind": kind, **DECLARED[kind], "options": fields})
    return ModelConfig.model_validate({"kind": kind, **DECLARED[kind], **fields})


def spec_of(*names: str) -> FeatureSpec:
    """Return the specification with only the features called `names`."""
    return SPEC.model_copy(update={"features": tuple(SPEC.feature(name) for name in names)})


def table(rows: int, seed: int) -> pa.Table:
    """Return examples whose labels follow from item and `mean`; only what is liked is bought."""
    rng = np.random.default_rng(seed)
    item, mean = rng.integers(2, ITEMS, rows), rng.normal(size=rows)
    taste = np.random.default_rng(0).normal(size=ITEMS)
    liked = taste[item] + mean > 0
    columns: dict[str, object] = {
        "label": liked.astype(float),
        "label_buy": (liked & (item % 2 == 0)).astype(float),
        "item": item,
        "genre": rng.integers(0, 4, rows),
        "genres": _lists(rng.integers(0, GENRES, (rows, PARTS))),
        "shares": _lists(rng.random((rows, PARTS), np.float32)),
        "history": _lists(rng.integers(0, ITEMS, (rows, LENGTH))),
        "history_genre": _lists(rng.integers(0, 4, (rows, LENGTH))),
        "mean": pa.array(mean, pa.float32()),
        "mood": _lists(rng.normal(size=(rows, 2)).astype("float32")),
    }
    return pa.table(columns)


def inputs_of(model: RankingModel, rows: int) -> dict[str, tf.Tensor]:
    """Return inputs of `model`."""
    arrays = to_arrays(table(rows, seed=3), model.features)
    return {name: tf.constant(array) for name, array in arrays.items()}


def scrambled(model: RankingModel, seed: int = 0) -> RankingModel:
    """Give every weight a random value, so that no zero at the start hides a fault."""
    rng = np.random.default_rng(seed)
    for name, variable in model.weights().items():
        value = rng.uniform(0.1, 0.5, variable.shape).astype("float32")
        positive = "norm" in name or "variance" in variable.name
        variable.assign(value * (1 if positive else rng.choice([-1, 1], variable.shape)))
    return model


def _lists(values: np.ndarray) -> pa.Array:
    return pa.FixedSizeListArray.from_arrays(values.reshape(-1), values.shape[1])
