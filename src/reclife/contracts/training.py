"""What training reports: epochs, stages, and the model part by part."""

from typing import Literal

from reclife.contracts.base import Contract


class EpochRow(Contract):
    """One epoch of training; `phase` "refit" is the second training on train + validation.

    `gradient_norm` is a mean over the steps, before clipping; the learning rates are those of the
    last step; its steps took `seconds`, of which `waiting_seconds` until a batch was there.
    """

    phase: Literal["fit", "refit"]
    epoch: int
    loss: float
    gradient_norm: float
    learning_rate: float
    sparse_learning_rate: float
    validation: dict[str, dict[str, float]]
    """Task -> metric -> value on the validation examples, the first task first."""
    seconds: float
    waiting_seconds: float
    stage: str = ""
    """The stage it belongs to, where training has stages."""


class StageRow(Contract):
    """One stage of a staged training: what moved, on how many examples, how and where."""

    stage: str
    trainable: tuple[str, ...]
    examples: int
    topology: str
    precision: str
    epochs: int
    best_epoch: int
    steps: int
    seconds: float
    validation: dict[str, dict[str, float]]
    """Of its best epoch, as in `EpochRow`."""


class TrainingReport(Contract):
    """What training did: how long, how well on validation, and which epoch was kept."""

    run_id: str
    model_kind: str
    seed: int
    spec_hash: str
    epochs: tuple[EpochRow, ...]
    best_epoch: int
    refitted: bool
    steps: int
    repeated_steps: tuple[int, ...] = ()
    """Those that more than one worker did, or one more than once, because of a crash."""
    rows: int
    seconds: float
    rows_per_second: float
    parameters: int
    leaking: bool = False
    """As in `FeatureSpec`."""
    used_features: tuple[str, ...]
    unused_features: tuple[str, ...]
    validation: dict[str, dict[str, float]]
    """Of the best epoch, as in `EpochRow`."""
    stages: tuple[StageRow, ...] = ()
    """One after the other; none where training is not staged."""


class ModelPart(Contract):
    """One part of a model: what it makes of the parts that it reads.

    `kind` is what it is: an input with its table, a layer, an operation in which parts meet.
    """

    name: str
    kind: str
    reads: tuple[str, ...]
    shape: str
    """Of its output; `B` is the batch."""
    numbers: int
    """Weights that are its own."""
    within: str | None = None
    """The part that it is a piece of."""


class ModelSummary(Contract):
    """`model.json`: the ranking model part by part, each after those that it reads."""

    model_kind: str
    parts: tuple[ModelPart, ...]
    tables: dict[str, tuple[int, int]]
    """Rows and width of each embedding table."""
    numbers: int
    """All weights together."""
