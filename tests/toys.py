"""Tiny specifications, models and examples, for the tests of export, compression and scoring."""

from typing import Any

import numpy as np
import pyarrow as pa

from reclife.contracts import EmbeddingTable, Feature, FeatureSpec

ITEMS, GENRES = 300, 12


def toy_spec() -> FeatureSpec:
    """An item, a padded list of genres (a name in Chinese), two numbers."""
    return FeatureSpec(
        features=(
            Feature(name="item", role="item", kind="category", dtype="int64", table="item"),
            Feature(
                name="类别",
                role="item",
                kind="multi_category",
                dtype="int64",
                shape=(4,),
                table="genres",
            ),
            Feature(name="user_mean", role="user", kind="numeric", dtype="float32"),
            Feature(name="item_count", role="item", kind="numeric", dtype="float32"),
        ),
        tables=(
            EmbeddingTable(name="item", size=ITEMS, vocabulary_hash="i"),
            EmbeddingTable(name="genres", size=GENRES, vocabulary_hash="g"),
        ),
        state_hash="state",
    )


def toy_examples(rows: int, seed: int = 0, users: int = 20) -> pa.Table:
    """Random examples that fit `toy_spec`, with ids, label and time."""
    rng = np.random.default_rng(seed)
    genres = rng.integers(0, GENRES, (rows, 4))
    return pa.table(
        {
            "user_id": rng.integers(1, users + 1, rows),
            "item_id": rng.integers(10**15, 10**15 + 50, rows),
            "timestamp": np.sort(rng.integers(0, 10**6, rows)),
            "label": rng.integers(0, 2, rows).astype(np.float64),
            "item": rng.integers(0, ITEMS, rows),
            "类别": pa.array(genres.tolist(), pa.list_(pa.int64())),
            "user_mean": rng.random(rows).astype(np.float32),
            "item_count": (5 * rng.random(rows)).astype(np.float32),
        }
    )


def deepfm(spec: FeatureSpec, seed: int = 0) -> Any:
    """A DeepFM with embeddings large enough to matter."""
    from reclife.config.model import ModelConfig
    from reclife.models import build

    model = build(ModelConfig.model_validate({"kind": "deepfm"}), spec, seed)
    rng = np.random.default_rng(seed)
    for table in model.tables.values():
        table.assign(0.3 * rng.standard_normal(table.shape).astype(np.float32))
    return model


def module(spec: FeatureSpec, function: Any, names: tuple[str, ...] | None = None) -> Any:
    """A model whose logits are `function(inputs)`, of all features or those named."""
    import tensorflow as tf

    class Toy(tf.Module):
        tasks = spec.tasks[:1]
        features = tuple(f for f in spec.features if names is None or f.name in names)

        def __call__(self, inputs: Any, training: bool = False) -> Any:
            return function(inputs)[:, tf.newaxis]

        def signature(self) -> dict[str, Any]:
            return {f.name: tf.TensorSpec([None, *f.shape], f.dtype, f.name) for f in self.features}

    return Toy()
