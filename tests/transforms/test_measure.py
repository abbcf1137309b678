"""What is measured of the examples, against rows counted by hand."""

from typing import Any

import pyarrow as pa

from reclife.config.features import FeaturesConfig
from reclife.transforms.engine.plan import feature_spec
from reclife.transforms.split import Cuts
from reclife.transforms.state import FeatureState


def test_cut_events_and_unknown_values_are_counted_by_part(spark: Any) -> None:
    from reclife.transforms.engine.measure import measure

    event = {"kind": "category_sequence", "source": "interaction", "column": "event"}
    declared = [{**event, "name": "types", "length": 2}, {"kind": "gap_sequence", "name": "gaps"}]
    config = FeaturesConfig.model_validate({"split": {"kind": "hash"}, "features": declared})
    state = FeatureState(config, {"types": pa.array(["view"])}, {"mean:event:label": 0.5})
    rows = [("train", 1.0, [2, 2], 3, 0), ("train", 0.0, [0, 1], 0, 0), ("test", 1.0, [1, 1], 7, 4)]
    rows += [("train", 0.0, [2, 1], 1, 0), ("train", 1.0, [0, 0], 0, 0)]
    columns = "split string, label double, types array<bigint>, _cut_types bigint, _cut_gaps bigint"
    examples = spark.createDataFrame(rows, columns)
    spec = feature_spec(state, timed=False)
    stats = measure(examples, spec, state, Cuts(None, None))
    assert stats.cut_events == {
        "types": {"train": 4, "validation": 0, "test": 7},
        "gaps": {"train": 0, "validation": 0, "test": 4},
    }
    assert stats.oov_rates == {"types": {"train": 2 / 5, "validation": 0.0, "test": 1.0}}
    assert stats.rows == {"train": 4, "validation": 0, "test": 1}
    assert stats.base_rates["train"] == 0.5
