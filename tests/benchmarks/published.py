"""Retrievers on public splits with published figures, every item ranked.

    RECLIFE_DATA=<folder> python -m tests.benchmarks.published toys [--run two_tower] [--seed 1]

`published.yml` declares the runs and their goals. Settings were chosen on the validation parts
alone (`--part validation`); by default both parts are printed, of one fit where both are asked
of the same events.
"""

import argparse
import logging
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, final

import numpy as np
import yaml
from pydantic import Field, TypeAdapter

from reclife.config.neural import NeuralConfig
from reclife.config.retrieval import SourceConfig
from reclife.config.schema import Schema
from reclife.retrieval.histories import Histories
from reclife.retrieval.interactions import Interactions, ItemIndex
from reclife.retrieval.pruning import blocks
from reclife.retrieval.ranking import mask_seen, top_k
from reclife.retrieval.retriever import Retriever
from reclife.training.retrieval.sources import fit
from tests.benchmarks.lines import Line
from tests.benchmarks.published_lists import Lists, Part, load

CUTS = (10, 20)
DECLARED = Path(__file__).with_suffix(".yml")


@final
class Run(Schema):
    """A retriever and what it is to reach."""

    scale: Literal["small", "full"] = "small"
    goals: dict[str, float] = Field(default_factory=dict)
    source: SourceConfig


def declared() -> dict[str, dict[str, Run]]:
    """Return the runs by data, then name."""
    runs = TypeAdapter(dict[str, dict[str, Run]])
    return runs.validate_python(yaml.safe_load(DECLARED.read_text(encoding="utf-8")))


def measure(scale: str) -> list[Line]:
    """Make the runs that take minutes; at full scale, all of them."""
    chosen = [
        (data, name)
        for data, runs in declared().items()
        for name, run in runs.items()
        if scale == "full" or run.scale == "small"
    ]
    return [line for data, name in chosen for line in lines(data, name, ["test"])]


def lines(data: str, name: str, parts: Sequence[Part], seed: int | None = None) -> Iterator[Line]:
    """Yield the figures of one run on some parts; parts of the same events share one fit."""
    run, fitted, retriever = declared()[data][name], None, None
    source = run.source
    if seed is not None and isinstance(source, NeuralConfig):
        source = source.model_copy(update={"seed": seed})
    for part in parts:
        asked = load(data, part)
        if retriever is None or asked.events != fitted:
            started = time.monotonic()
            fitted, retriever = asked.events, fit(Interactions.of(asked.events), source)
            yield Line("published", f"{data}_{name}_fit", time.monotonic() - started, "s")
        ways = [asked.seen is not None] + [False] * (data == "ml-1m-sequence")
        for masked in ways:
            label = f"{data}_{name}_{part}" + "_unmasked" * (masked != ways[0])
            for metric, value in figures(retriever, asked, masked=masked).items():
                goal = run.goals.get(metric) if part == "test" and masked == ways[0] else None
                yield Line("published", f"{label}_{metric}", value, "-", goal, "higher")


def figures(retriever: Retriever, asked: Lists, *, masked: bool) -> dict[str, float]:
    """Return means over all queries; unknown targets count as missed.

    The ideal of the NDCG holds as many hits as fit: `min(K, targets)`.
    """
    index, best = retriever.index, max(CUTS)
    histories = Histories.of(asked.histories, index, asked.users)
    seen = Histories.of(asked.seen, index) if masked else None
    counts = np.asarray(asked.targets.value_lengths())
    hits = np.zeros((len(counts), best), bool)
    for part in blocks(len(histories), len(index)):
        scores = retriever.scores(histories.part(part.start, part.stop))
        if seen:
            mask_seen(scores, seen.part(part.start, part.stop))
        wanted = _wanted(asked, index, part)
        hits[part] = np.take_along_axis(wanted, top_k(scores, best), axis=1)
    gains = 1 / np.log2(np.arange(best) + 2)
    ideal = np.cumsum(gains)
    found = dict[str, float]()
    for k in CUTS:
        first = hits[:, :k]
        reciprocal = first.any(axis=1) / (first.argmax(axis=1) + 1)
        found[f"recall@{k}"] = float((first.sum(axis=1) / counts).mean())
        found[f"hit_rate@{k}"] = float(first.any(axis=1).mean())
        found[f"ndcg@{k}"] = float((first @ gains[:k] / ideal[np.minimum(counts, k) - 1]).mean())
        found[f"mrr@{k}"] = float(reciprocal.mean())
    return found


def _wanted(asked: Lists, index: ItemIndex, part: slice) -> np.ndarray:
    some = asked.targets[part]
    rows = np.repeat(np.arange(len(some)), np.asarray(some.value_lengths()))
    columns = index.columns(some.flatten())
    wanted = np.zeros((len(some), len(index)), bool)
    wanted[rows[columns >= 0], columns[columns >= 0]] = True
    return wanted


def main() -> None:
    """Make the runs of some data."""
    runs = declared()
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.published")
    parser.add_argument("data", choices=runs)
    parser.add_argument("--run", help="the name of one run")
    parser.add_argument("--part", choices=["validation", "test"])
    parser.add_argument("--seed", type=int, help="instead of the declared one")
    chosen = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    parts: list[Part] = [chosen.part] if chosen.part else ["validation", "test"]
    for name in [chosen.run] if chosen.run else runs[chosen.data]:
        for line in lines(chosen.data, name, parts, chosen.seed):
            print(line, flush=True)  # noqa: T201 - this is what the command is for


if __name__ == "__main__":
    main()
