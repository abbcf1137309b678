"""Public splits with published figures, as what to fit on, what to ask and what is right.

The data is not part of the project: `RECLIFE_DATA` names the folder it lies in.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import csv, parquet

Ints = npt.NDArray[np.int64]
ByUser = dict[int, Ints]
Part = Literal["validation", "test"]

VARIABLE = "RECLIFE_DATA"
HELD_BACK = 0.1
"""Share of each user's training items that validates where the split has no such part."""
STRANGERS = 10**9
"""Queries of sessions count from here: nobody of the training data asks."""


@final
@dataclass(frozen=True)
class Lists:
    """Q queries of a part.

    Attributes:
        events: What may be fitted on.
        users: `[Q]` who asks.
        histories: `[Q]` lists of items, oldest first, that a retriever may read.
        seen: `[Q]` lists of items that must not be listed; None where items repeat.
        targets: `[Q]` lists of items that count as right.
    """

    events: pa.Table
    users: pa.Array
    histories: pa.Array
    seen: pa.Array | None
    targets: pa.Array


def load(name: str, part: Part) -> Lists:
    """Return the queries of a part of the data called `name`.

    Raises:
        SystemExit: Nobody said where the data lies.
    """
    root = os.environ.get(VARIABLE)
    if not root:
        raise SystemExit(f"{VARIABLE} must name the folder with the published splits.")
    return LOADERS[name](Path(root), part)


def _ml_100k(root: Path, part: Part) -> Lists:
    """Each user 8:1:1; fitted on train alone, items of validation are masked in test."""
    folder = root / "ml-100k" / "general_RSuser811"
    train, validation, test = (
        _grouped(csv.read_csv(folder / f"{name}.csv")) for name in ("train", "valid", "test")
    )
    if part == "validation":
        return _split(train, train, validation)
    both = {user: np.append(train[user], validation.get(user, [])) for user in train}
    return _split(train, both, test)


def _two_files(folder: str) -> Callable[[Path, Part], Lists]:
    def read(root: Path, part: Part) -> Lists:
        train = _rows(root / folder / "train.txt")
        if part == "test":
            return _split(train, train, _rows(root / folder / "test.txt"))
        random = np.random.default_rng(0)
        kept, held = dict[int, Ints](), dict[int, Ints]()
        for user, items in train.items():
            aside = random.random(len(items)) < HELD_BACK
            some = bool(aside.any()) and not bool(aside.all())
            kept[user] = items[~aside] if some else items
            if some:
                held[user] = items[aside]
        return _split(kept, kept, held)

    return read


def _amazon(name: str) -> Callable[[Path, Part], Lists]:
    return lambda root, part: _last(_rows(root / "amazon-sequence" / f"{name}.txt"), part)


def _ml_1m_sequence(root: Path, part: Part) -> Lists:
    pairs = np.loadtxt(root / "ml-1m-sequence" / "sequences.txt", dtype=np.int64)
    return _last(_grouped(pa.table({"user_id": pairs[:, 0], "item_id": pairs[:, 1]})), part)


def _diginetica(root: Path, part: Part) -> Lists:
    """Sessions that go on: their users are nobody's, their items repeat."""
    folder = root / "diginetica"
    sessions = [
        np.asarray(items)
        for items in parquet.read_table(folder / "train_sessions.parquet")["session"].to_pylist()
    ]
    if part == "test":
        asked = parquet.read_table(folder / "test_prefixes.parquet")
        prefixes = [np.asarray(items) for items in asked["prefix"].to_pylist()]
        targets = [np.asarray([item]) for item in asked["target"].to_pylist()]
    else:
        cut = int(len(sessions) * (1 - HELD_BACK))  # the newest sessions stand last
        held, sessions = sessions[cut:], sessions[:cut]
        places = [(items, at) for items in held for at in range(1, len(items))]
        prefixes = [items[:at] for items, at in places]
        targets = [items[at : at + 1] for items, at in places]
    users = np.arange(len(prefixes)) + STRANGERS
    events = _events(dict(enumerate(sessions)))
    return Lists(events, pa.array(users), _lists(prefixes), None, _lists(targets))


def _last(sequences: ByUser, part: Part) -> Lists:
    """Last item tests, the one before it validates; always fitted on what comes before both."""
    back = 1 if part == "test" else 2
    long = {user: items for user, items in sequences.items() if len(items) > 2}
    fitted = {user: items[:-2] for user, items in long.items()}
    before = _lists([items[:-back] for items in long.values()])
    targets = _lists([items[len(items) - back :][:1] for items in long.values()])
    return Lists(_events(fitted), pa.array(long), before, before, targets)


def _split(fitted: ByUser, seen: ByUser, asked: ByUser) -> Lists:
    none = np.empty(0, np.int64)
    before, masked = (_lists([part.get(u, none) for u in asked]) for part in (fitted, seen))
    events = _events(fitted).drop_columns(["timestamp"])
    return Lists(events, pa.array(asked), before, masked, _lists(list(asked.values())))


def _events(sequences: ByUser) -> pa.Table:
    lengths = [len(items) for items in sequences.values()]
    return pa.table(
        {
            "user_id": np.repeat(np.fromiter(sequences, np.int64), lengths),
            "item_id": np.concatenate(list(sequences.values())),
            "timestamp": np.concatenate([np.arange(length) for length in lengths]),
        }
    )


def _lists(parts: Sequence[Ints]) -> pa.Array:
    offsets = np.concatenate([[0], np.cumsum([len(part) for part in parts])])
    flat = np.concatenate(parts).astype(np.int64)
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(flat))


def _rows(path: Path) -> ByUser:
    """Read `user item item ...`; users without an item are left out."""
    rows = (line.split() for line in path.read_text(encoding="ascii").splitlines())
    return {int(row[0]): np.asarray(row[1:], np.int64) for row in rows if len(row) > 1}


def _grouped(table: pa.Table) -> ByUser:
    """Return the items of each user, in the order of the rows."""
    users, items = np.asarray(table["user_id"]), np.asarray(table["item_id"])
    order = np.argsort(users, kind="stable")
    unique, starts = np.unique(users[order], return_index=True)
    parts = np.split(items[order], starts[1:])
    return dict(zip(unique.tolist(), parts, strict=True))


LOADERS: dict[str, Callable[[Path, Part], Lists]] = {
    "ml-100k": _ml_100k,
    "gowalla": _two_files("gowalla"),
    "ml-1m-retrieval": _two_files("ml-1m-retrieval"),
    "ml-1m-sequence": _ml_1m_sequence,
    "beauty": _amazon("Beauty"),
    "sports": _amazon("Sports_and_Outdoors"),
    "toys": _amazon("Toys_and_Games"),
    "diginetica": _diginetica,
}
