"""The schema of the examples, and what the features stage measured."""

from typing import Literal

from pydantic import Field

from reclife.contracts.base import Contract, digest
from reclife.contracts.columns import ITEM, LABEL, TIME, USER


class EmbeddingTable(Contract):
    """A vocabulary's embedding table: `size` rows, the reserved ids included."""

    name: str
    size: int
    vocabulary_hash: str


class Feature(Contract):
    """One model input.

    `shape` leaves out the batch axis: `()` for a scalar, `(L,)` for a padded list.
    `table` names the embedding table of the categorical kinds; several features may share one.
    `weights` of a list names the feature of kind `weights` and of the same shape that says how much
    each of its ids weighs when they are pooled, 0 where it is padding.
    """

    name: str
    role: Literal["user", "item", "context"]
    kind: Literal["category", "multi_category", "numeric", "vector", "sequence", "weights"]
    dtype: Literal["int64", "float32"]
    shape: tuple[int, ...] = ()
    table: str | None = None
    weights: str | None = None


class Task(Contract):
    """One thing that a model predicts.

    The column `label` of the examples holds the truth in [0, 1], null where it is not known.
    """

    name: str
    label: str


class FeatureSpec(Contract):
    """The schema of the examples and the identity of the fitted state behind them.

    `weight` is the column of the examples' weights, `sampling_probability` that of the probability
    with which a sampled negative was drawn; both are absent where nothing of the kind is declared.
    `negative_rate` w is the share of the negative training rows that down-sampling kept. Among
    them the odds are 1/w times the true ones: a loss that sees the logits less log(w) leaves the
    logits themselves calibrated to the true ones.
    """

    features: tuple[Feature, ...]
    tables: tuple[EmbeddingTable, ...]
    tasks: tuple[Task, ...] = (Task(name="like", label=LABEL),)
    weight: str | None = None
    sampling_probability: str | None = None
    negative_rate: float = 1.0
    leaking: bool = False
    """The split lets training see what happened after some test events, so that figures flatter."""
    user: str = USER
    item: str = ITEM
    time: str | None = TIME
    state_hash: str

    @property
    def label(self) -> str:
        """The label column of the first task."""
        return self.tasks[0].label

    @property
    def hash(self) -> str:
        """One hash over schema and fitted state; statistics and the kind of split are no part."""
        return digest(self.model_dump(mode="json", exclude={"leaking"}))

    def feature(self, name: str) -> Feature:
        """Return the feature called `name`; raise `KeyError` when there is none."""
        return next(f for f in self.features if f.name == name)

    def table(self, name: str) -> EmbeddingTable:
        """Return the embedding table called `name`."""
        return next(t for t in self.tables if t.name == name)


class FeatureStats(Contract):
    """What the features stage measured; nothing here enters the hash of the specification.

    Cuts are int64 seconds since the epoch, `None` where the split is not by time. Keys of the inner
    dictionaries are `train`, `validation` and `test`.
    """

    validation_start: int | None
    test_start: int | None
    leaking: bool
    """The split lets training see what happened after some test events."""
    label_mean: float
    """Mean label of the training events."""
    rows: dict[str, int]
    base_rates: dict[str, float]
    """Mean of the main task's known labels."""
    oov_rates: dict[str, dict[str, float]]
    """Per categorical feature: the share of its non-padding values outside the vocabulary."""
    vocabularies: dict[str, int]
    """Real values per embedding table, the reserved ids left out."""
    cut_events: dict[str, dict[str, int]] = Field(default_factory=dict)
    """Per sequence: how many earlier events its rows had no room for, all rows together."""
    task_rates: dict[str, dict[str, float]] = Field(default_factory=dict)
    """Per task: the mean of its known labels."""
