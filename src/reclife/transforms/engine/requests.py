"""Features of any request in this process: evaluation, notebooks, tests."""

from collections.abc import Collection

import pyarrow as pa
import pyarrow.compute as pc

from reclife.contracts import ITEM, USER
from reclife.errors import DataError
from reclife.transforms.base import attached
from reclife.transforms.engine.plan import Plan, plan
from reclife.transforms.kernels.arrays import column
from reclife.transforms.state import FeatureState


def features_for(
    requests: pa.Table,
    events: pa.Table,
    items: pa.Table,
    users: pa.Table,
    state: FeatureState,
    *,
    item_cut: int | None,
    names: Collection[str] | None = None,
) -> pa.Table:
    """Return `requests` in their order with the feature columns behind them.

    Args:
        requests: `user_id`, `item_id`, `timestamp` (events strictly earlier count) and anything
            else, which passes through.
        events: Canonical interactions; may reach beyond the requests' times.
        items: Canonical items.
        users: Canonical users.
        state: What was fitted on the training part.
        item_cut: The item side sees only events before this time; `None` for the request's own.
        names: Features to compute, all by default.

    Raises:
        DataError: A column that a feature needs is not there.
    """
    steps = plan(state, names)
    sources = {"item": (items, ITEM), "user": (users, USER)}
    table = _attach(requests, steps.request_attributes, sources, "the requests")
    past = _past(events, steps, sources) if steps.looks_back else None
    for step in steps.passes:
        table = step.run(table, past, item_cut)
    return table.select([*requests.column_names, *steps.columns])


def _past(events: pa.Table, steps: Plan, sources: dict[str, tuple[pa.Table, str]]) -> pa.Table:
    table = _attach(events, steps.event_attributes, sources, "the events")
    return table.select(list(steps.event_columns))


def _attach(
    table: pa.Table,
    attributes: Collection[tuple[str, str]],
    sources: dict[str, tuple[pa.Table, str]],
    what: str,
) -> pa.Table:
    for source, name in sorted(attributes):
        if source == "interaction":
            if name not in table.column_names:
                raise DataError(f"{what} lack the column {name!r}, which a feature reads")
            continue
        entity, identity = sources[source]
        if name == identity:
            continue
        known = column(entity, identity)
        rows = pc.index_in(column(table, identity).cast(known.type), value_set=known)
        table = table.append_column(attached(source, name), column(entity, name).take(rows))
    return table
