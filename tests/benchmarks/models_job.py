"""Trains one kind of model on a made-up shape, scores with its graph, and prints one line.

Two epochs are trained, the second is timed. Scoring is onnxruntime on one thread, timed by what
the processor gave it, so that other work on the machine does not count.
"""

import argparse
import json
import os
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from reclife.config.training import TrainingConfig
from reclife.contracts import EmbeddingTable, Feature, FeatureSpec, Task

ITEMS, GENRES, VALUES = 20_000, 50, 1_000
DIM, UNITS = 16, [64, 32]
BLOCKS = {
    "vectors": {"kind": "fields"},
    "flat": {"kind": "flatten", "input": "vectors"},
    "numbers": {"kind": "numbers"},
    "all": {"kind": "concat", "inputs": ["flat", "numbers"]},
    "crossed": {"kind": "cross", "input": "all"},
    "explicit": {"kind": "linear", "input": "crossed"},
    "deep": {"kind": "perceptron", "input": "all", "hidden_units": UNITS},
    "logit": {"kind": "sum", "inputs": ["explicit", "deep"]},
}
"""DCN V2, declared."""
DECLARED: dict[str, dict[str, Any]] = {
    "sim": {"search": "history_genre", "relevant": 50, "recent": 20},
    "blocks": {"blocks": BLOCKS, "outputs": {"like": "logit"}},
}
"""What must be declared beside the kind."""


def main() -> None:
    """Train, score and print."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kind", required=True)
    parser.add_argument("--length", type=int, default=50, help="positions of the two histories")
    parser.add_argument("--rows", type=int, default=16_384)
    parser.add_argument("--batch", type=int, default=1024)
    chosen = parser.parse_args()
    spec, table = made_up(chosen.length, chosen.rows)
    figures = measured(declaration(chosen.kind, chosen.batch), spec, table)
    print(json.dumps(figures))  # noqa: T201 - this is what the program is for


def measured(config: TrainingConfig, spec: FeatureSpec, table: pa.Table) -> dict[str, float]:
    """Return rows a second in training and a processor second in scoring, and what it took.

    `memory` is by how much the most that the process had, in MB, grew while it trained.
    """
    from reclife.export.graph import open_graph, run_tasks
    from reclife.export.lower import to_onnx
    from reclife.training.train import train

    with tempfile.TemporaryDirectory() as folder:
        places = {"checkpoints": Path(folder) / "checkpoints", "logs": Path(folder) / "logs"}
        before = _memory()
        trained = train(config, spec, table, table.slice(0, 0), run_id="benchmark", **places)
        memory = _memory() - before
        to_onnx(trained.model, spec, Path(folder) / "model.onnx")
        session = open_graph(Path(folder) / "model.onnx")
        run_tasks(session, table.slice(0, config.batch_size), spec, config.batch_size)
        began = time.process_time()
        run_tasks(session, table, spec, config.batch_size)
        seconds = time.process_time() - began
    return {
        "training": len(table) / trained.report.epochs[1].seconds,
        "scoring": len(table) / seconds,
        "memory": memory,
        "parameters": trained.report.parameters,
    }


def declaration(kind: str, batch: int) -> TrainingConfig:
    """Return a training of this kind, with its own default settings but for dimension 16."""
    model = {"kind": kind, **DECLARED.get(kind, {})}
    if kind != "logistic_regression":
        model["embedding_dim"] = DIM
    return TrainingConfig.model_validate(
        {
            "model": model,
            "batch_size": batch,
            "epochs": 2,
            "early_stopping": None,
            "refit": False,
            "checkpoint": {"keep": 1},
        }
    )


def made_up(length: int, rows: int) -> tuple[FeatureSpec, pa.Table]:
    """Return examples of ten single features, a list and two histories, and their specification."""
    rng = np.random.default_rng(7)
    genre_of = rng.integers(2, GENRES, ITEMS)
    item = _skewed(rng, rows)
    history = _skewed(rng, (rows, length))
    columns: dict[str, Any] = {
        "user_id": np.arange(rows) % 1000,
        "label": (rng.random(rows) < 0.2 + 0.6 * (item % 2)).astype(float),
        "label_buy": (rng.random(rows) < 0.1).astype(float),
        "item": item,
        "genre": genre_of[item],
        "genres": _lists(rng.integers(0, GENRES, (rows, 3))),
        "history": _lists(history),
        "history_genre": _lists(genre_of[history]),
    }
    columns |= {f"category_{i}": rng.integers(2, VALUES, rows) for i in range(4)}
    columns |= {f"number_{i}": pa.array(rng.normal(size=rows), pa.float32()) for i in range(4)}
    tables = {"item": ITEMS, "genre": GENRES} | {f"category_{i}": VALUES for i in range(4)}
    ids = {"dtype": "int64", "role": "item"}
    features = [
        *(Feature(name=n, kind="category", table=n, **ids) for n in tables),
        Feature(name="genres", kind="multi_category", table="genre", shape=(3,), **ids),
        Feature(name="history", kind="sequence", table="item", shape=(length,), **ids),
        Feature(name="history_genre", kind="sequence", table="genre", shape=(length,), **ids),
        *(
            Feature(name=f"number_{i}", kind="numeric", dtype="float32", role="item")
            for i in range(4)
        ),
    ]
    spec = FeatureSpec(
        features=tuple(features),
        tables=tuple(
            EmbeddingTable(name=name, size=size, vocabulary_hash="made-up")
            for name, size in tables.items()
        ),
        tasks=(Task(name="like", label="label"), Task(name="buy", label="label_buy")),
        state_hash="made-up",
    )
    return spec, pa.table(columns)


def _skewed(rng: np.random.Generator, shape: Any) -> Any:
    """Return items of which few are frequent: the cube of a number drawn evenly."""
    return 2 + ((ITEMS - 2) * rng.random(shape) ** 3).astype(np.int64)


def _lists(values: Any) -> pa.Array:
    return pa.FixedSizeListArray.from_arrays(values.reshape(-1), values.shape[1])


def _memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
