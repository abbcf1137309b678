"""A small world: users, items, events, fitted features, candidates, a bundle of a random DeepFM."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from reclife.config.compression import CompressionConfig
from reclife.config.export import ExportConfig
from reclife.config.features import FeaturesConfig
from reclife.config.model import ModelConfig
from reclife.config.retrieval import CandidatesConfig
from reclife.contracts import (
    Calibrations,
    CompressionReport,
    EvaluationReport,
    FeatureSpec,
    Origin,
    Platt,
)
from toys import deepfm

ORIGIN = Origin(run_id="run-1", code_version="1", config_hash="c", data_fingerprint="d")
FEATURES = {
    "split": {"kind": "global_time"},
    "features": [
        {"kind": "category", "name": "item", "source": "item", "column": "item_id"},
        {
            "kind": "multi_category",
            "name": "genres",
            "source": "item",
            "column": "genres",
            "max_length": 3,
        },
        {"kind": "mean", "name": "user_mean", "by": "user"},
        {"kind": "mean", "name": "item_mean", "by": "item"},
        {"kind": "count", "name": "user_count", "by": "user"},
        {"kind": "count", "name": "item_count", "by": "item"},
    ],
}
USERS, ITEMS, COLD = 24, 60, (901, 902)
GENRES = ["Drama", "Comedy", "Action", "War"]


@dataclass
class World:
    interactions: pa.Table
    items: pa.Table
    users: pa.Table
    spec: FeatureSpec
    state: object
    source: object
    model: object
    folder: Path


def tables(rng: np.random.Generator) -> tuple[pa.Table, pa.Table, pa.Table]:
    """Events with many ties in time; two users without any; large ids."""
    pairs = [(u, i) for u in range(1, USERS + 1) for i in range(ITEMS) if rng.random() < 0.3]
    users, items = (np.array(column) for column in zip(*pairs, strict=True))
    events = pa.table(
        {
            "user_id": users + 2**53,
            "item_id": items + 2**60,
            "timestamp": rng.integers(1_600_000_000, 1_600_000_300, len(pairs)),
            "label": rng.integers(0, 2, len(pairs)).astype(np.float64),
        }
    )
    genres = ["|".join(rng.choice(GENRES, 2, replace=False)) for _ in range(ITEMS)]
    known = pa.table(
        {
            "item_id": np.arange(ITEMS) + 2**60,
            "title": [f"T{i}" for i in range(ITEMS)],
            "genres": genres,
        }
    )
    people = pa.table({"user_id": [*(np.arange(1, USERS + 1) + 2**53), *COLD]})
    return events, known, people


def frame(spark, table: pa.Table):
    return spark.createDataFrame(table)


@pytest.fixture(scope="session")
def world(spark, tmp_path_factory) -> World:
    from reclife.compression.compress import Examples, compress
    from reclife.export.bundle import Parts, write
    from reclife.export.report import parity_report, pick_golden
    from reclife.models.saved import save_model
    from reclife.retrieval.candidates import CandidateSource
    from reclife.transforms.engine.fit import fit
    from reclife.transforms.engine.plan import feature_spec
    from reclife.transforms.engine.requests import features_for

    events, items, users = tables(np.random.default_rng(0))
    config = FeaturesConfig.model_validate(FEATURES)
    state = fit(*(frame(spark, t) for t in (events, items, users)), config)
    spec = feature_spec(state, timed=True)
    source = CandidateSource.fit(events, CandidatesConfig())
    model = deepfm(spec)
    rows = features_for(events, events, items, users, state, item_cut=None)
    root = tmp_path_factory.mktemp("world")
    for name in ("state", "candidates", "model", "compressed", "bundle"):
        (root / name).mkdir()
    state.save(root / "state")
    source.save(root / "candidates")
    save_model(model, ModelConfig.model_validate({"kind": "deepfm"}), spec, root / "model")
    budget = {"min_ratio": 1.0, "max_auc_drop": 1, "max_abs_diff": 1, "min_top10_overlap": 0}
    methods = [{"kind": "static_int8", "parts": ["embeddings"]}]
    compressed = compress(
        model,
        spec,
        Examples(rows, rows, rows),
        CompressionConfig.model_validate({"methods": methods, "budget": budget}),
        "run-1",
    )
    compressed.save(root / "compressed")
    golden = pick_golden(rows, 1000)
    report = parity_report(model, root / "compressed", spec, golden, ExportConfig(), "run-1")
    parts = Parts(
        origin=ORIGIN,
        model=root / "model",
        compressed=root / "compressed",
        state=root / "state",
        candidates=root / "candidates",
        spec=spec,
        evaluation=EvaluationReport(run_id="run-1", rows=()),
        calibrations=Calibrations(tasks={spec.tasks[0].name: Platt(slope=2.0, intercept=-1.0)}),
        compression=CompressionReport(run_id="run-1", rows=(), chosen="int8"),
        export=report,
        golden=golden,
        items=items,
    )
    write(parts, root / "bundle")
    return World(events, items, users, spec, state, source, model, root / "bundle")
