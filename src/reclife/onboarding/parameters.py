"""The parameter files of the stages that must differ from the demonstration's."""

from typing import Any

from reclife.config.retrieval import EaseConfig
from reclife.onboarding.attributes import Attribute
from reclife.onboarding.entities import Entity
from reclife.onboarding.features import feature_lines
from reclife.onboarding.proposal import Proposal
from reclife.onboarding.roles import Guess
from reclife.onboarding.yaml_text import document, flow, remark

RERANK = "  rerank: {candidates: 200, weight: 0.3}"
"""Evaluated and published lists are ordered alike; a third of the order is the model's."""
SMALL = 50_000
"""Rows below which training takes smaller steps, and more of them."""


def parameter_texts(proposal: Proposal) -> dict[str, str]:
    """Return the text of `parameters/<stage>.yml` by stage."""
    return {
        "ingest": _ingest(proposal),
        "features": document(feature_lines(proposal)),
        "training": _training(proposal),
        "evaluation": _evaluation(proposal),
        "scoring": _scoring(),
    }


def _ingest(proposal: Proposal) -> str:
    lines = [
        "# Which source columns stand behind the canonical tables. Types: int64, string, float64.",
        "ingest:",
        "  interactions:",
        "    columns:",
        *_id_lines("user_id", proposal.roles.user, proposal.user_type),
        *_id_lines("item_id", proposal.roles.item, proposal.item_type),
        *_label_column(proposal),
    ]
    if proposal.split_column:
        lines += [
            remark(f"{proposal.split_column}: says train, validation or test", 6),
            f"      split: {flow({'from': proposal.split_column, 'type': 'string'})}",
        ]
    lines += [*_time_lines(proposal), *_label_lines(proposal), *_duplicate_lines(proposal)]
    if proposal.unused:
        lines.append(remark(f"not used: {', '.join(proposal.unused)}", 4))
    for name, entity in (("items", proposal.items), ("users", proposal.users)):
        lines += _entity_lines(name, entity, proposal)
    lines.append("  max_quarantine_rate: 0.01  # share of rows that may break the contract")
    return document(lines)


def _id_lines(name: str, guess: Guess, kind: str) -> list[str]:
    why = (
        "every value is a whole number within 64 bits"
        if kind == "int64"
        else "string: not every value is a plain 64-bit integer (007 would lose its zeros)"
    )
    weak = "  CHECK THIS: " if guess.weak else ""
    return [
        remark(f"{weak}{guess.column}: {guess.seen}; {why}", 6),
        f"      {name}: {flow({'from': guess.column, 'type': kind})}",
    ]


def _label_column(proposal: Proposal) -> list[str]:
    label = proposal.label
    if label.source is None or label.canonical is None:
        return []
    declared = {"from": label.source, "type": "string"}
    if label.canonical == "rating":
        decimal = proposal.interactions.columns[label.source].decimal
        declared |= {"type": "float64"} | _decimal(decimal)
    return [f"      {label.canonical}: {flow(declared)}"]


def _decimal(mark: str) -> dict[str, str]:
    return {} if mark == "." else {"decimal": mark}


def _time_lines(proposal: Proposal) -> list[str]:
    time, written = proposal.roles.time, proposal.roles.time_format
    if time is None or written is None:
        return [remark("no column of times was found; with one: time: {from: ..., format: iso}", 4)]
    remarks = [remark(f"{'CHECK THIS: ' if time.weak else ''}{time.column}: {time.seen}", 4)]
    declared = {"from": time.column, "format": written.format}
    if not written.zoned:
        remarks.append(remark("no time zone is written; another is e.g. Asia/Shanghai", 4))
        declared["zone"] = "UTC"
    return [*remarks, f"    time: {flow(declared)}"]


def _label_lines(proposal: Proposal) -> list[str]:
    label = proposal.label
    return [
        remark(f"what counts as liked: {label.seen}; also possible: {label.otherwise}", 4),
        f"    label: {flow(label.rule.model_dump(mode='json'))}",
    ]


def _duplicate_lines(proposal: Proposal) -> list[str]:
    if not proposal.repeats and proposal.label.canonical is not None:
        return []
    return [
        remark("repeated rows are normal here and count once; reject counts them as errors", 4),
        "    duplicates: drop",
    ]


def _entity_lines(name: str, entity: Entity | None, proposal: Proposal) -> list[str]:
    singular = name.removesuffix("s")
    if entity is None or (not entity.attributes and not entity.own_file):
        return [remark(f"no attributes of {name} were found: {name} are bare ids", 2)]
    key, kind = f"{singular}_id", getattr(proposal, f"{singular}_type")
    return [
        f"  {name}:",
        f"    source: {f'raw_{name}' if entity.own_file else 'raw_interactions'}",
        "    columns:",
        remark(f"{entity.key.column}: {entity.key.seen}", 6),
        f"      {key}: {flow({'from': entity.key.column, 'type': kind})}",
        *(line for attribute in entity.attributes for line in _attribute_lines(attribute)),
    ]


def _attribute_lines(attribute: Attribute) -> list[str]:
    missing = "" if attribute.kind == "multi_category" else "keep"
    declared = {"from": attribute.source, "type": attribute.type, "missing": missing}
    declared |= _decimal(attribute.decimal)
    return [
        remark(f"{attribute.source}: {attribute.seen}", 6),
        f"      {attribute.name}: {flow(declared)}",
    ]


def _training(proposal: Proposal) -> str:
    small = proposal.interactions.rows < SMALL
    batch, epochs, patience = (256, 50, 5) if small else (1024, 10, 3)
    return document(
        [
            "# How the model is trained; everything left out has its default.",
            "training:",
            "  model: {kind: deepfm}  # all kinds: docs/models.md",
            remark(f"{proposal.interactions.rows:,} rows", 2),
            f"  batch_size: {batch}",
            f"  epochs: {epochs}  # at most; validation says when to stop",
            f"  early_stopping: {{metric: logloss, patience: {patience}}}",
            *_candidates(proposal),
        ]
    )


def _fits_ease(proposal: Proposal) -> bool:
    roles, columns = proposal.roles, proposal.interactions.columns
    users, items = (columns[guess.column].distinct for guess in (roles.user, roles.item))
    return EaseConfig().fits(users, items)


def _candidates(proposal: Proposal) -> list[str]:
    if _fits_ease(proposal):
        return ["  candidates: {source: {kind: ease}}  # or item_knn"]
    return [
        remark("too many users and items for ease, which holds a dense matrix of them", 2),
        "  candidates: {source: {kind: item_knn}}",
    ]


def _evaluation(proposal: Proposal) -> str:
    kinds = ["popularity", "decayed_popularity", "item_knn"]
    kinds += ["ease"] if _fits_ease(proposal) else []
    kinds = [kind for kind in kinds if proposal.roles.time or kind != "decayed_popularity"]
    declared: list[dict[str, Any]] = [{"kind": kind} for kind in kinds]
    return document(
        [
            "# How the run is judged. No floor is set: measure first, then guard it, for example",
            "#   gate: {floors: [{metric: auc, at_least: 0.7}]}",
            "evaluation:",
            "  list_baselines:",
            *(f"    - {flow(one)}" for one in declared),
            f"{RERANK}  # the same in scoring.yml; 1 is the model alone",
            "  gate: {}",
        ]
    )


def _scoring() -> str:
    return document(
        [
            "# Recommendations for every user.",
            "scoring:",
            "  top: 10",
            f"{RERANK}  # as in evaluation.yml",
            "  as_of: latest  # or a day: only events before its midnight (UTC) count",
        ]
    )
