"""A share of the negative training rows stays; every other row does."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from reclife.config.features import FeaturesConfig
from reclife.config.negatives import DownSampling
from reclife.transforms.engine.plan import feature_spec
from reclife.transforms.state import FeatureState

ROWS = 12_000


def examples() -> pa.Table:
    draw = np.random.default_rng(6)
    labels = draw.random(ROWS)
    return pa.table(
        {
            "user_id": draw.integers(0, 500, ROWS),
            "item_id": np.arange(ROWS),
            "timestamp": draw.integers(0, 900, ROWS),
            "label": [None if x < 0.1 else float(x > 0.5) for x in labels],
            "split": draw.choice(["train", "train", "validation", "test"], ROWS).tolist(),
        }
    )


def kept(spark: Any, share: float, seed: int = 0, partitions: int = 2) -> list[dict[str, Any]]:
    from reclife.transforms.sampling.down_sampling import down_sample

    frame = spark.createDataFrame(examples()).repartition(partitions)
    rows = down_sample(frame, DownSampling(negatives=share, seed=seed)).toArrow().to_pylist()
    return sorted(rows, key=lambda row: row["item_id"])


@pytest.mark.parametrize("share", [0.1, 0.75])
def test_the_declared_share_of_negative_training_rows_stays(spark: Any, share: float) -> None:
    def negative(row: dict[str, Any]) -> bool:
        return row["split"] == "train" and row["label"] == 0

    before = examples().to_pylist()
    after = kept(spark, share)
    assert [r for r in after if not negative(r)] == [r for r in before if not negative(r)]
    count = sum(map(negative, before))
    left = sum(map(negative, after))
    assert abs(left - share * count) < 5 * np.sqrt(count * share * (1 - share))


def test_the_same_rows_under_any_partitioning(spark: Any) -> None:
    first = kept(spark, 0.3, 0, 1)
    assert kept(spark, 0.3, 0, 7) == first
    assert kept(spark, 0.3, 1, 7) != first


def test_the_specification_tells_the_share() -> None:
    item = {"kind": "category", "name": "item", "source": "item", "column": "item_id"}
    declared: dict[str, Any] = {"split": {"kind": "hash"}, "features": [item]}

    def spec(**changes: Any) -> Any:
        config = FeaturesConfig.model_validate({**declared, **changes})
        return feature_spec(FeatureState(config, {"item": pa.array([1])}, {}), timed=False)

    thinned = spec(down_sampling={"negatives": 0.1})
    assert thinned.negative_rate == 0.1
    assert thinned.sampling_probability is None
    drawn = spec(negatives={"kind": "uniform"})
    assert (drawn.negative_rate, drawn.sampling_probability) == (1.0, "sampling_probability")
    assert len({spec().hash, thinned.hash, drawn.hash}) == 3
    with pytest.raises(ValueError, match="per_positive"):
        spec(negatives={"kind": "uniform"}, down_sampling={"negatives": 0.1})
