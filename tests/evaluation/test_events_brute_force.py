"""Every figure of the test events, by slice and with its interval, against scikit-learn and copies.

A resample is written out: the rows of a user that is drawn twice stand there twice.
"""

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as hs
from sklearn.metrics import average_precision_score, log_loss, roc_auc_score

from reclife.config.evaluation import BootstrapConfig, EvaluationConfig
from reclife.config.slices import ColumnSlice
from reclife.contracts import Feature, FeatureSpec
from reclife.evaluation import like
from reclife.evaluation.slices import Entities
from reclife.metrics.resampling import resample

USERS, ITEMS, DRAWS, SEED = 8, 12, 20, 3
SPEC = FeatureSpec(
    features=(Feature(name="x", role="user", kind="numeric", dtype="float32"),),
    tables=(),
    state_hash="",
)
GENRES = ["a", "b", "c"] * 4
WHO = Entities(
    pa.table({"item_id": range(ITEMS), "genre": GENRES}),
    pa.table({"user_id": range(USERS), "age": range(USERS)}),
)
CONFIG = EvaluationConfig(
    like_baselines=(),
    slices=(
        ColumnSlice(column="genre"),
        ColumnSlice(source="user", column="age", bounds=(0, 3)),
        ColumnSlice(source="examples", column="device"),
    ),
    bootstrap=BootstrapConfig(resamples=DRAWS, seed=SEED),
)
Metric = Callable[[np.ndarray, np.ndarray, np.ndarray], float]


def grouped(labels: np.ndarray, scores: np.ndarray, users: np.ndarray) -> float:
    total = weight = 0.0
    for user in set(users.tolist()):
        own = users == user
        if 0 < labels[own].mean() < 1:
            total += own.sum() * roc_auc_score(labels[own], scores[own])
            weight += own.sum()
    return total / weight if weight else np.nan


def entropy(rate: float) -> float:
    return float(-(rate * np.log(rate) + (1 - rate) * np.log(1 - rate)))


def loss(labels: np.ndarray, scores: np.ndarray) -> float:
    return float(log_loss(labels, scores, labels=[0, 1]))


def of_both(metric: Callable[[np.ndarray, np.ndarray], float]) -> Metric:
    """Leave the metric out where there is one label only."""
    return lambda y, s, _: metric(y, s) if 0 < y.mean() < 1 else np.nan


METRICS: dict[str, Metric] = {
    "auc": of_both(roc_auc_score),
    "gauc": grouped,
    "pr_auc": lambda y, s, _: average_precision_score(y, s) if y.any() else np.nan,
    "logloss": lambda y, s, _: loss(y, s),
    "normalized_entropy": of_both(lambda y, s: loss(y, s) / entropy(y.mean())),
    "calibration": lambda y, s, _: s.sum() / y.sum() if y.any() else np.nan,
}


def resampled(metric: Metric, columns: tuple[np.ndarray, ...], counts: np.ndarray) -> list[float]:
    """Return the metric of each resample of the users, their rows copied."""
    labels, scores, users = columns
    found = []
    for drawn in counts.astype(int):
        rows = np.repeat(np.arange(len(users)), drawn[users])
        # a user that is drawn twice is two users, but its AUC is the same: it weighs twice
        found.append(metric(labels[rows], scores[rows], users[rows]) if len(rows) else np.nan)
    return found


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(hs.integers(0, 2**32 - 1), hs.integers(20, 90), hs.sampled_from([3, 1000]))
def test_every_row_equals_copied_rows(seed: int, rows: int, levels: int) -> None:
    rng = np.random.default_rng(seed)
    users, items = rng.integers(0, USERS, rows), rng.integers(0, ITEMS, rows)
    labels = rng.integers(0, 2, rows).astype(float)
    scores = ((1 + rng.integers(0, levels, rows)) / (levels + 2)).astype(np.float32)
    devices = rng.choice(["phone", "desk"], rows)
    test = pa.table(
        {
            "user_id": users,
            "item_id": items,
            "label": labels,
            "x": scores,
            "device": pa.array(devices.tolist()),
        }
    )
    examples = like.Examples(test, test.slice(0, 0), test)
    found = like.evaluate("m", scores, examples, SPEC, CONFIG, False, False, WHO)
    told = {(r.slice, r.metric): r for r in found.rows if r.model == "m"}
    places = {user: n for n, user in enumerate(dict.fromkeys(users.tolist()))}
    numbers = np.array([places[user] for user in users.tolist()])
    counts = resample(len(places), DRAWS, SEED).counts
    genres = np.array(GENRES)[items]
    masks = {"all": np.ones(rows, bool), "age:0-2": users < 3, "age:3+": users >= 3}
    masks |= {f"genre:{name}": genres == name for name in "abc"}
    masks |= {f"device:{name}": devices == name for name in ("phone", "desk")}
    for part, mask in masks.items():
        columns = labels[mask], scores[mask].astype(float), numbers[mask]
        for name, metric in METRICS.items():
            value = metric(*columns) if mask.any() else np.nan
            assert ((part, name) in told) == bool(np.isfinite(value)), (part, name)
            if not np.isfinite(value):
                continue
            row = told[part, name]
            assert row.value == pytest.approx(value, abs=1e-9), (part, name)
            if row.users == 1:
                assert row.ci_low is None
                continue
            draws = np.array(resampled(metric, columns, counts))
            bounds = np.percentile(draws[np.isfinite(draws)], [2.5, 97.5])
            assert (row.ci_low, row.ci_high) == pytest.approx(bounds, abs=1e-9), (part, name)
