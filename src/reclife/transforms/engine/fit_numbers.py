"""Which sums the statistics of numbers need, and the statistics made of them."""

from collections.abc import Mapping
from functools import partial

import numpy as np

from reclife.config.attributes import Clip, NumericFeature
from reclife.config.features import FeaturesConfig
from reclife.contracts import LABEL
from reclife.transforms.engine.tally import Summing
from reclife.transforms.kernels.arrays import Floats
from reclife.transforms.kernels.sums import Sums
from reclife.transforms.state import deviation_of, maximum_of, mean_of, minimum_of


def summed(config: FeaturesConfig) -> dict[str, dict[str, Summing]]:
    """Return by source and name what is to be summed up."""
    found: dict[str, dict[str, Summing]] = {"interaction": {}, "item": {}, "user": {}}
    for value in values_of(config):
        found["interaction"][f"event:{value}"] = Summing(value, _as_it_is)
    for feature in numbers_of(config):
        own = found[feature.source]
        if feature.missing == "mean":
            own[f"present:{feature.name}"] = Summing(feature.column, _as_it_is)
        if feature.standardize or feature.min_max:
            logged = (
                feature.log1p and not feature.min_max
            )  # a range is logged later: it is monotone
            read = partial(_stepped, clip=feature.clip, log1p=logged)
            own[f"feature:{feature.name}"] = Summing(feature.column, read)
    return found


def statistics(config: FeaturesConfig, sums: Mapping[str, Sums]) -> dict[str, float]:
    """Return the fitted numbers by name."""
    found = {mean_of("event", value): sums[f"event:{value}"].mean for value in values_of(config)}
    for feature in numbers_of(config):
        if feature.missing == "mean":
            found[mean_of("present", feature.name)] = sums[f"present:{feature.name}"].mean
        if feature.min_max:
            own = sums[f"feature:{feature.name}"]
            found[minimum_of("feature", feature.name)] = own.smallest if own.rows else 0.0
            found[maximum_of("feature", feature.name)] = own.largest if own.rows else 0.0
        if feature.standardize:
            own = sums[f"feature:{feature.name}"]
            found[mean_of("feature", feature.name)] = own.mean
            found[deviation_of("feature", feature.name)] = own.deviation
    return found


def numbers_of(config: FeaturesConfig) -> list[NumericFeature]:
    """Return the features that are numbers."""
    return [feature for feature in config.features if feature.kind == "numeric"]


def values_of(config: FeaturesConfig) -> list[str]:
    """Return the event values that need a prior; the label always."""
    looking = (
        f.value
        for f in config.features
        if f.kind in ("mean", "recent_mean", "affinity", "target_encoding")
    )
    return sorted({LABEL, *looking})


def _as_it_is(values: Floats) -> Floats:
    return values


def _stepped(values: Floats, clip: Clip | None, *, log1p: bool) -> Floats:
    if clip:
        values = np.clip(values, clip.minimum, clip.maximum)
    return np.log1p(np.maximum(values, 0.0)) if log1p else values
