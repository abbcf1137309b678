"""Events set aside to choose the number of epochs on."""

from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from reclife.config.neural import HoldoutConfig, LastHoldoutConfig, ShareHoldoutConfig
from reclife.errors import TrainingError
from reclife.retrieval.histories import Histories
from reclife.retrieval.interactions import Interactions, Ints
from reclife.retrieval.pruning import blocks
from reclife.retrieval.ranking import mask_seen, top_k
from reclife.retrieval.retriever import Retriever
from reclife.runtime.seeds import derive
from reclife.training.retrieval.batches import ranges
from reclife.training.retrieval.sequences import Sequences

Bools = npt.NDArray[np.bool_]


@final
@dataclass(frozen=True)
class Holdout:
    """The histories of Q users and what was held out of each.

    Attributes:
        kept: The events that are left to train on.
        histories: The users' events that are left.
        query: `[M]` the query of each target, ascending.
        targets: `[M]` item columns.
    """

    kept: Interactions
    histories: Histories
    query: Ints
    targets: Ints

    def ndcg(self, retriever: Retriever, k: int) -> float:
        """Return the mean NDCG@k by full ranking, seen items masked; NaN where a score is none."""
        gains, total = 1.0 / np.log2(np.arange(k) + 2), 0.0
        counts = np.bincount(self.query, minlength=len(self.histories))
        ideal = np.concatenate([[0.0], np.cumsum(gains)])[np.minimum(counts, k)]
        for part in blocks(len(self.histories), len(retriever.index)):
            some = self.histories.part(part.start, part.stop)
            scores = retriever.scores(some)
            if np.isnan(scores).any():
                return float("nan")
            mask_seen(scores, some)
            best = top_k(scores, k)
            inside = slice(*np.searchsorted(self.query, [part.start, part.stop]))
            wanted = np.zeros(scores.shape, bool)
            wanted[self.query[inside] - part.start, self.targets[inside]] = True
            hits = np.take_along_axis(wanted, best, axis=1)
            total += float((hits @ gains[: best.shape[1]] / ideal[part]).sum())
        return total / len(self.histories)


def hold_out(interactions: Interactions, config: HoldoutConfig, seed: int) -> Holdout:
    """Set events of users aside; every user keeps at least one.

    Raises:
        TrainingError: Not one event is set aside.
    """
    random = np.random.default_rng(derive(seed, "holdout"))
    sequences = Sequences.of(interactions)
    able = np.flatnonzero(sequences.lengths > 1)
    users = np.sort(random.permutation(able)[: config.users])
    aside = _aside(sequences, users, config, random)
    before = np.concatenate([[0], np.cumsum(aside)])[sequences.offsets]
    users = users[np.diff(before)[users] > 0]  # there is nothing to judge the others by
    if not len(users):
        raise TrainingError(
            f"validation.holdout sets none of {len(aside)} events aside: declare a larger share, "
            "or kind: last; users with a single event have none to spare."
        )
    places, rows = ranges(sequences.offsets[users], sequences.offsets[users + 1])
    held = aside[places]
    kept_places = places[~held]
    counts = np.bincount(rows[~held], minlength=len(users))
    offsets = np.concatenate([[0], np.cumsum(counts)])
    ages = offsets[rows[~held] + 1] - 1 - np.arange(len(kept_places))
    histories = Histories(
        offsets, sequences.columns[kept_places], ages, interactions.owners.raw(users)
    )
    kept = interactions.take(np.sort(sequences.order[~aside]))
    return Holdout(kept, histories, rows[held], sequences.columns[places[held]])


def _aside(
    sequences: Sequences, users: Ints, config: HoldoutConfig, random: np.random.Generator
) -> Bools:
    """Return which events of the sorted log are held out `[N]`."""
    aside = np.zeros(len(sequences.columns), bool)
    match config:
        case LastHoldoutConfig():
            aside[sequences.offsets[users + 1] - 1] = True
        case ShareHoldoutConfig():
            places, _ = ranges(sequences.offsets[users], sequences.offsets[users + 1])
            aside[places] = random.random(len(places)) < config.share
            first = sequences.offsets[users] + random.integers(0, sequences.lengths[users])
            aside[first] = False  # somebody without a history could not be told from anybody
    return aside
