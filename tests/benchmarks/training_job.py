"""Trains DeepFM on click rows by our loop and prints one line of figures.

The first epoch warms up and gives the AUC on the held-out rows; the second one is timed. Its rows
per second count the reading of the Parquet file, which programs that stream it do beside the steps.
"""

import argparse
import json
import os
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from reclife.config.training import TrainingConfig
from reclife.contracts import FIRST_ID, EmbeddingTable, Feature, FeatureSpec
from tests.benchmarks.click_rows import CATEGORIES, NUMBERS

RATES = {"adagrad": 0.1, "lazy_adam": 0.001, "row_wise_adagrad": 0.1, "ftrl": 0.1, "sgd": 1.0}


def main() -> None:
    """Train and print."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--test", type=Path, required=True, help="rows held out, for the AUC")
    parser.add_argument("--optimizer", choices=sorted(RATES), default="adagrad")
    chosen = parser.parse_args()
    began = time.perf_counter()
    spec, train_table = read(chosen.data)
    validation = read(chosen.test)[1]
    seconds_read = time.perf_counter() - began

    from reclife.training.train import train

    with tempfile.TemporaryDirectory() as folder:
        places = {"checkpoints": Path(folder) / "checkpoints", "logs": Path(folder) / "logs"}
        config = declaration(chosen.optimizer)
        report = train(config, spec, train_table, validation, run_id="benchmark", **places).report
    warm, timed = report.epochs
    figures = {
        "optimizer": chosen.optimizer,
        "rows_per_s": round(len(train_table) / (timed.seconds + seconds_read)),
        "ms_per_step": round(1000 * timed.seconds / (report.steps / 2), 3),
        "waiting_share": round(timed.waiting_seconds / timed.seconds, 4),
        "auc": round(warm.validation["like"]["auc"], 4),
        "seconds_read": round(seconds_read, 2),
    }
    print(json.dumps(figures))  # noqa: T201 - this is what the program is for


def declaration(optimizer: str) -> TrainingConfig:
    """Return the same model as that of the baselines."""
    model = {"kind": "deepfm", "embedding_dim": 16, "hidden_units": [256, 128], "dropout": 0.0}
    return TrainingConfig.model_validate(
        {
            "model": model,
            "batch_size": 4096,
            "epochs": 2,
            "early_stopping": None,
            "refit": False,
            "xla": True,
            "sparse_optimizer": {"kind": optimizer, "learning_rate": RATES[optimizer]},
            "dense_optimizer": {"kind": "adam", "learning_rate": 0.001},
            "checkpoint": {"keep": 1},
        }
    )


def read(path: Path) -> tuple[FeatureSpec, pa.Table]:
    """Return the rows in `path` as examples, and their specification."""
    sizes = json.loads(pq.read_schema(path).metadata[b"vocabulary_sizes"])
    features = [
        Feature(name=name, role="item", kind="category", dtype="int64", table=name)
        for name in CATEGORIES
    ] + [Feature(name=name, role="item", kind="numeric", dtype="float32") for name in NUMBERS]
    tables = [
        EmbeddingTable(name=name, size=size + FIRST_ID, vocabulary_hash="made-up")
        for name, size in zip(CATEGORIES, sizes, strict=True)
    ]
    table = pq.read_table(path)
    columns = {name: pc.add(table[name], FIRST_ID) for name in CATEGORIES}
    columns |= {name: pc.log1p(pc.fill_null(table[name], 0.0)) for name in NUMBERS}
    columns |= {"label": table["label"], "user_id": pa.array(np.arange(len(table)) % 1000)}
    spec = FeatureSpec(features=tuple(features), tables=tuple(tables), state_hash="made-up")
    return spec, pa.table(columns)


if __name__ == "__main__":
    main()
