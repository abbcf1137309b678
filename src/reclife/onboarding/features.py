"""The feature list that fits the columns that exist."""

from collections.abc import Iterator
from typing import Any

from reclife.onboarding.attributes import Attribute
from reclife.onboarding.proposal import Proposal
from reclife.onboarding.yaml_text import flow, remark

_SPLITS = {
    "global_time": (
        {"kind": "global_time", "test": 0.2, "validation": 0.1},
        "the newest fifth of the events is the test part; also: hash",
    ),
    "hash": (
        {"kind": "hash", "test": 0.2, "validation": 0.1, "seed": 0},
        "no times, so events are drawn by a hash of their ids; also: predefined, by a column that "
        "says train, validation or test",
    ),
    "predefined": (
        {"kind": "predefined", "column": "split"},
        "a column says train, validation or test; also: global_time or hash",
    ),
}


def feature_lines(proposal: Proposal) -> list[str]:
    """Return the lines of `parameters/features.yml`."""
    split, why = _SPLITS[proposal.split]
    lines = [
        "# How examples are made.",
        "features:",
        remark(why, 2),
        f"  split: {flow(split)}",
    ]
    if proposal.label.canonical is None:
        lines += [
            remark("every interaction is positive: unmet items are drawn as negatives", 2),
            "  negatives: {kind: uniform, per_positive: 4, seed: 0}",
        ]
    else:
        lines += ["  negatives: {kind: none}  # the data holds its own"]
    return [*lines, "  features:", *(_line(one) for one in _features(proposal))]


def _line(feature: dict[str, Any] | str) -> str:
    return remark(feature, 4) if isinstance(feature, str) else f"    - {flow(feature)}"


def _features(proposal: Proposal) -> Iterator[dict[str, Any] | str]:
    """Yield features and the remarks between them."""
    yield "the item: its id and what is known about it"
    yield {"kind": "category", "name": "item", "source": "item", "column": "item_id"}
    for attribute in proposal.items.attributes if proposal.items else ():
        yield from _of(attribute, "item")
    yield from _users(proposal)
    if proposal.roles.time is not None:
        yield from _as_of(proposal)


def _users(proposal: Proposal) -> Iterator[dict[str, Any] | str]:
    attributes = [
        one
        for attribute in (proposal.users.attributes if proposal.users else ())
        for one in _of(attribute, "user")
    ]
    if proposal.roles.time is None:
        yield "the user: without times there is no history, so the id itself is learned"
        yield {"kind": "category", "name": "user", "source": "user", "column": "user_id"}
    elif attributes:
        yield "what is known about the user"
    yield from attributes


def _of(attribute: Attribute, source: str) -> Iterator[dict[str, Any]]:
    base = {"kind": attribute.kind, "name": attribute.name, "source": source}
    base["column"] = attribute.name
    if attribute.kind == "category":
        yield {**base, "min_count": 2}
    elif attribute.kind == "multi_category":
        yield {**base, "separator": attribute.separator, "max_length": attribute.max_length}
    elif attribute.kind == "numeric":
        yield {**base, "missing": attribute.missing, "standardize": True}


def _as_of(proposal: Proposal) -> Iterator[dict[str, Any] | str]:
    yield "what is known of user and item just before the event"
    for by in ("user", "item"):
        yield {"kind": "count", "name": f"{by}_count", "by": by}
    yield {"kind": "unknown", "name": "item_unknown", "by": "item"}
    if proposal.label.canonical is not None:
        for by in ("user", "item"):
            yield {"kind": "mean", "name": f"{by}_mean", "by": by, "strength": 5}
            yield {"kind": "recent_mean", "name": f"{by}_recent", "by": by, "half_life": 10}
        for attribute in proposal.items.attributes if proposal.items else ():
            if attribute.kind in ("category", "multi_category"):
                name = f"{attribute.name}_affinity"
                yield {"kind": "affinity", "name": name, "of": attribute.name}
    yield "the user's newest items"
    yield {"kind": "sequence", "name": "history", "of": "item", "length": 20}
