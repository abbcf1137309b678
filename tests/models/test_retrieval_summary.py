"""What a trained retriever says of itself is what it is."""

import math

import pytest
from pydantic import TypeAdapter
from scipy import sparse

from reclife.config.neural import NeuralSourceConfig
from reclife.contracts import ModelPart
from reclife.models.retrieval import build
from reclife.models.retrieval.summary import summarise

USERS, ITEMS, DIM, LENGTH = 7, 11, 8, 5
KINDS = ("mf", "bpr", "lightgcn", "two_tower", "sasrec", "gsasrec", "bert4rec")
SEQUENCES = KINDS[3:]


def parts_of(kind: str) -> tuple[dict[str, ModelPart], int, int]:
    """Return the parts by name, the numbers told, and those that a step trains."""
    declared = {"kind": kind, "embedding_dim": DIM}
    if kind in SEQUENCES:
        declared["max_length"] = LENGTH
    config = TypeAdapter(NeuralSourceConfig).validate_python(declared)
    model = build(config, sparse.csr_array((USERS, ITEMS)))
    summary = summarise(model, kind)
    trained = sum(math.prod(v.shape) for v in model.variables_to_train)
    return {part.name: part for part in summary.parts}, summary.numbers, trained


@pytest.mark.parametrize("kind", KINDS)
def test_every_weight_is_counted_once_and_each_part_comes_after_those_it_reads(kind: str) -> None:
    parts, numbers, trained = parts_of(kind)
    assert numbers == trained
    known: set[str] = set()
    for part in parts.values():
        assert set(part.reads) <= known
        known.add(part.name)
    assert parts["items"].shape == f"[{ITEMS + 1}, {DIM}]"  # one row for padding
    assert parts["score"].shape == f"[B, {ITEMS}]"
    first = "history" if kind in SEQUENCES else "user"
    assert parts[first].shape == (f"[B, {LENGTH}]" if kind in SEQUENCES else "[B]")
    assert _leads_to(parts, first, "score")
    assert _leads_to(parts, "items", "score")


def test_a_transformer_is_told_piece_by_piece() -> None:
    parts, _, _ = parts_of("sasrec")
    assert set(parts["transformer"].reads) == {"rows_1", "history"}
    assert parts["transformer"].shape == f"[B, {LENGTH}, {DIM}]"
    inner = parts["block_0_inner"]
    assert (inner.within, inner.shape) == ("transformer", f"[B, {LENGTH}, {4 * DIM}]")
    assert inner.numbers == (DIM + 1) * 4 * DIM


def _leads_to(parts: dict[str, ModelPart], first: str, last: str) -> bool:
    return first == last or any(_leads_to(parts, first, read) for read in parts[last].reads)
