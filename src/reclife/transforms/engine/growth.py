"""Vocabularies that only ever grow: what an earlier state gave an id keeps it."""

from collections.abc import Iterator
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from reclife.config.features import FeaturesConfig
from reclife.errors import ConfigError
from reclife.transforms.engine.plan import feature_spec
from reclife.transforms.state import FeatureState


def grow(earlier: FeatureState, fitted: FeatureState) -> FeatureState:
    """Return `fitted` with the ids of `earlier`: its values first, then new ones in their order.

    New values are appended as long as a table holds less than its `max_size`; earlier ones stay,
    however rare they have become. Fitted boundaries stay those of `earlier`. Statistics are those
    of `fitted`.

    Raises:
        ConfigError: A table was declared otherwise, so that its ids would mean something else.
    """
    vocabularies = {
        table: _grown(earlier.vocabularies[table], values, fitted.config, table)
        if table in earlier.vocabularies
        else values
        for table, values in fitted.vocabularies.items()
    }
    grown = replace(fitted, vocabularies=vocabularies)
    if problems := list(_moved_ids(earlier, grown)):
        raise ConfigError(
            f"The vocabularies cannot grow from the earlier ones: {'; '.join(problems)}. Call the "
            "feature otherwise, or fit afresh (earlier_feature_state in the catalog)"
        )
    return grown


def extends(old: FeatureState, new: FeatureState) -> bool:
    """Return whether each feature of `old` is in `new` and each of its ids means the same there."""
    features = feature_spec(new, timed=True).features
    kept = all(feature in features for feature in feature_spec(old, timed=True).features)
    return kept and not list(_moved_ids(old, new))


def _grown(earlier: pa.Array, fitted: pa.Array, config: FeaturesConfig, table: str) -> pa.Array:
    """Return the values of one table; those that the declaration alone gives are as declared."""
    limits = _counted(config)
    if earlier.type == fitted.type and table in _fitted_boundaries(config):
        return earlier
    if earlier.type != fitted.type or table not in limits:
        return fitted
    new = fitted.filter(pc.invert(pc.is_in(fitted, value_set=earlier)))
    limit = limits[table]
    room = len(new) if limit is None else max(0, limit - len(earlier))
    return pa.concat_arrays([earlier, new[:room]])


def _fitted_boundaries(config: FeaturesConfig) -> set[str]:
    return {f.name for f in config.features if f.kind == "bucketize" and f.cut.kind == "quantiles"}


def _counted(config: FeaturesConfig) -> dict[str, int | None]:
    """Return the tables whose values are counted, each with the most that it may hold."""
    return {
        f.table or f.name: f.max_size
        for f in config.features
        if f.kind in ("category", "multi_category", "category_sequence")
    }


def _moved_ids(old: FeatureState, new: FeatureState) -> Iterator[str]:
    """Yield, for each table of both, why an id of `old` would mean something else in `new`."""
    remaining = {table.name for table in feature_spec(new, timed=True).tables}
    for table in feature_spec(old, timed=True).tables:
        name = table.name
        if name not in remaining:
            continue
        buckets = old.config.buckets(name), new.config.buckets(name)
        if buckets[0] != buckets[1]:
            yield f"{name} had {buckets[0]} buckets and has {buckets[1]}"
        before, after = old.vocabularies.get(name), new.vocabularies.get(name)
        if before is None or after is None:
            if (before is None) != (after is None):
                yield f"{name} had {'no' if before is None else 'a'} vocabulary"
        elif before.type != after.type:
            yield f"{name} held {before.type} and holds {after.type}"
        elif not after[: len(before)].equals(before):
            yield f"{name} does not begin with its {len(before)} earlier values"
