"""Where the weights of a training start, other than at random: an earlier model, an earlier stage.

Tables grow (`growth`), layers keep what they know, and what is declared to be fresh starts anew.
"""

import fnmatch
import hashlib
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from reclife.config.training import TrainingConfig
from reclife.config.warm_start import WarmStartConfig
from reclife.contracts import FeatureSpec
from reclife.errors import ConfigError
from reclife.models import build
from reclife.models.saved import read_weights
from reclife.training.growth import aged, by_pack, by_table, grown
from reclife.training.parts import matching
from reclife.training.trainer import Trainer

Array = NDArray[Any]

_LOG = logging.getLogger(__name__)
_ROWS = ("table/", "sparse/")
_OPTIMIZERS = ("sparse/", "dense_optimizer/", "objective/")
_OPTIMIZER = "optimizer.npz"


@final
@dataclass(frozen=True)
class Start:
    """Values to start from, by the names of a trainer's state; `fresh` are patterns of parts."""

    arrays: Mapping[str, Array]
    fresh: Sequence[str] = ()

    def applied(self, own: Mapping[str, Array]) -> dict[str, Array]:
        """Return `own`, the state of a new trainer, with what is known of it.

        Raises:
            ConfigError: A table or layer has another shape than before, or a pattern fits none.
        """
        parts = {"/".join(n.split("/")[:2]) for n in own if n.startswith(("table/", "dense/"))}
        matching(self.fresh, parts, "warm_start.fresh")
        given = {n: a for n, a in self._optimizers_that_fit(own).items() if n in own}
        problems = [
            f"{name} was {_shape(array)} and is {_shape(own[name])}"
            for name, array in given.items()
            if not _fits(name, array, own[name])
        ]
        if problems:
            raise ConfigError(
                f"Training cannot go on from the earlier weights: {'; '.join(problems)}. Declare "
                "the model as it was, or let these parts start anew: warm_start.fresh."
            )
        return {
            name: grown(given[name], array)
            if name in given and name.startswith(_ROWS)
            else given.get(name, array)
            for name, array in own.items()
        }

    @property
    def identity(self) -> str:
        """A hash of everything in it."""
        content = hashlib.sha256(repr(tuple(self.fresh)).encode())
        for name in sorted(self.arrays):
            content.update(name.encode())
            content.update(np.ascontiguousarray(self.arrays[name]).tobytes())
        return content.hexdigest()

    def save(self, path: Path) -> None:
        """Write it to the file `path`."""
        np.savez(
            path, allow_pickle=False, **{f"={p}": np.array(0) for p in self.fresh}, **self.arrays
        )

    @classmethod
    def load(cls, path: Path) -> "Start":
        """Read what `save` wrote."""
        with np.load(path, allow_pickle=False) as found:
            arrays = {n: found[n] for n in found.files if not n.startswith("=")}
            return cls(arrays, tuple(n[1:] for n in found.files if n.startswith("=")))

    def _optimizers_that_fit(self, own: Mapping[str, Array]) -> dict[str, Array]:
        """Return what is known of parts that do not start anew; of optimisers, what fits.

        That of the layers counts them: it fits as a whole or not at all.
        """
        known = {name: array for name, array in self.arrays.items() if not self._anew(name)}
        slots = {n for n in known if n.startswith("sparse/") and n in own}
        useless = {n for n in slots if not _fits(n, known[n], own[n])}
        before, now = (_shapes(state) for state in (known, own))
        if before != now or any(pattern.startswith("dense/") for pattern in self.fresh):
            useless |= before.keys()
        if useless:
            _LOG.info("Optimisers start anew: %s.", ", ".join(sorted(useless)))
        return {name: array for name, array in known.items() if name not in useless}

    def _anew(self, name: str) -> bool:
        part = name.replace("sparse/", "table/", 1)
        return any(
            fnmatch.fnmatchcase(part, f"{pattern}{end}")
            for pattern in self.fresh
            for end in ("", "/*")
        )


def begin(trainer: Trainer, start: Start) -> None:
    """Let `trainer`, which is new, go on from `start`.

    Raises:
        ConfigError: A table or layer has another shape than before.
    """
    own = by_table(trainer.state(), trainer.packs)
    trainer.restore(by_pack(start.applied(own), trainer.packs))


def keep_optimizer(trainer: Trainer, steps: int) -> dict[str, Array]:
    """Return what `from_model` takes over beside the weights of `trainer`, `steps` steps old."""
    state = aged(by_table(trainer.state(), trainer.packs), steps)
    return {n: a for n, a in state.items() if n.startswith(_OPTIMIZERS)}


def save_optimizer(arrays: Mapping[str, Array], folder: Path) -> None:
    """Write what `keep_optimizer` returned beside the model in `folder`."""
    if arrays:
        np.savez(folder / _OPTIMIZER, allow_pickle=False, **dict(arrays))


def from_earlier(folder: Path, spec: FeatureSpec, config: TrainingConfig) -> Start:
    """Return what the declared training starts from that goes on from the model in `folder`.

    Raises:
        ConfigError: The layers would read other features than before.
    """
    features = [feature.name for feature in build(config.model, spec, config.seed).features]
    return from_model(folder, features, config.warm_start or WarmStartConfig())


def from_model(folder: Path, features: Sequence[str], config: WarmStartConfig) -> Start:
    """Return what a training starts from that goes on from the model saved in `folder`.

    Args:
        folder: What `save_model` wrote.
        features: The features that the new model reads, in its order.
        config: What is taken over.

    Raises:
        ConfigError: The layers would read other features than before.
    """
    weights, before = read_weights(folder)
    if tuple(features) != before and "dense/*" not in config.fresh:
        raise ConfigError(
            f"The earlier model reads the features {', '.join(before)}, the new one "
            f"{', '.join(features)}: its layers would read other numbers. Let them start anew, "
            "warm_start.fresh: ['dense/*'], or keep the features."
        )
    path = folder / _OPTIMIZER
    if not config.optimizer or not path.exists():
        return Start(weights, config.fresh)
    with np.load(path, allow_pickle=False) as found:
        return Start({n: found[n] for n in found.files} | weights, config.fresh)


def _fits(name: str, earlier: Array, own: Array) -> bool:
    if name.startswith(_ROWS):
        return earlier.shape[1:] == own.shape[1:] and len(earlier) <= len(own)
    return earlier.shape == own.shape


def _shapes(state: Mapping[str, Array]) -> dict[str, tuple[int, ...]]:
    return {n: np.shape(a) for n, a in state.items() if n.startswith("dense_optimizer/")}


def _shape(array: Array) -> str:
    return str(list(array.shape))
