"""One column through one feature: the shortest way from values to what is written."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from reclife.config.features import FeaturesConfig
from reclife.transforms.engine.requests import features_for
from reclife.transforms.state import FeatureState


def state_of(
    *features: dict[str, Any],
    vocabularies: Mapping[str, pa.Array] | None = None,
    statistics: Mapping[str, float] | None = None,
    past: Mapping[str, Any] | None = None,
) -> FeatureState:
    """Return a state made by hand."""
    declared = {"split": {"kind": "global_time"}, "past": past or {}, "features": features}
    config = FeaturesConfig.model_validate(declared)
    return FeatureState(config, vocabularies or {}, statistics or {})


def written(state: FeatureState, times: list[int] | None = None, **columns: pa.Array) -> pa.Table:
    """Return the feature columns of requests whose items, users and selves carry `columns`."""
    rows = len(times) if times is not None else len(next(iter(columns.values())))
    ids = pa.array(np.arange(rows))
    keys = {"user_id": ids, "item_id": ids, "timestamp": pa.array(times or [0] * rows, pa.int64())}
    requests = pa.table({**keys, **columns})
    items, users = ({key: ids, **columns} for key in ("item_id", "user_id"))
    found = features_for(requests, requests, pa.table(items), pa.table(users), state, item_cut=None)
    return found.drop_columns(requests.column_names)
