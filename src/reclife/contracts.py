"""What crosses a stage: reserved ids, feature specification, completion records, bundles, reports.

No engine is imported here, so every stage, the scheduler and a notebook read the same types.
"""

import hashlib
import json
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from reclife.errors import ArtifactError

PADDING_ID = 0
"""Id of an empty position in a list."""
OOV_ID = 1
"""Id of a value that the vocabulary does not hold."""
FIRST_ID = 2
"""Id of the first value of a vocabulary."""

USER, ITEM, TIME = "user_id", "item_id", "timestamp"
LABEL, WEIGHT, EVENT, SPLIT = "label", "weight", "event", "split"
SAMPLING_PROBABILITY = "sampling_probability"
ORDER = "order"
"""Column names of the canonical tables; time is int64 seconds since the epoch, UTC.

`order` is a column that data without times may have: a user's events, oldest first.
"""

Stage = Literal["ingest", "features", "training", "evaluation", "compression", "export", "scoring"]
STAGES: tuple[Stage, ...] = (
    "ingest",
    "features",
    "training",
    "evaluation",
    "compression",
    "export",
    "scoring",
)


def digest(value: object) -> str:
    """Return the sha256 of a JSON-serialisable value, independent of key order."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


class Contract(BaseModel):
    """A closed, immutable document exchanged between stages as JSON."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read and check the document at `path`.

        Raises:
            ArtifactError: It is no such document, or was cut short.
        """
        try:
            return cls.model_validate_json(path.read_bytes())
        except ValidationError as error:
            problem = error.errors()[0]
            where = ".".join(map(str, problem["loc"]))
            raise ArtifactError(
                f"{path} is damaged, or not a {cls.__name__} of this version "
                f"({': '.join(filter(None, (where, problem['msg'])))}): delete it, then run what "
                "writes it again."
            ) from error


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


class Platt(Contract):
    """A calibration that stretches and moves the logit: `sigmoid(slope logit(p) + intercept)`."""

    kind: Literal["platt"] = "platt"
    slope: float
    intercept: float


class Isotonic(Contract):
    """A calibration that is linear between its ascending knots `[K]` and constant outside."""

    kind: Literal["isotonic"] = "isotonic"
    knots: tuple[float, ...]
    values: tuple[float, ...]


Calibration = Annotated[Platt | Isotonic, Field(discriminator="kind")]
"""A monotone map from a model's chance to one that comes true."""


class Calibrations(Contract):
    """`calibration.json`: the map of each task's chance; no task where none is declared."""

    tasks: dict[str, Calibration]


class Artifact(Contract):
    """What a completion record vouches for: one dataset of a stage."""

    path: str
    files: int
    bytes: int
    rows: int | None
    sha256: str


class CompletionRecord(Contract):
    """Proof that a stage finished: what it read and wrote, with which code and configuration."""

    run_id: str
    stage: Stage
    finished_at: str
    seconds: float
    code_version: str
    config_hash: str
    inputs: dict[str, str]
    outputs: dict[str, Artifact]


class RunInfo(Contract):
    """`run.json`: what a run set out to do."""

    run_id: str
    lifecycle: str
    env: str | None
    started_at: str


class Origin(Contract):
    """Where a run's artefacts come from: identity of the run, its code, configuration and data."""

    run_id: str
    code_version: str
    config_hash: str
    data_fingerprint: str


class BundleFile(Contract):
    """One file of a bundle, relative to the bundle's folder."""

    path: str
    bytes: int
    sha256: str


class BundleManifest(Contract):
    """The index of a bundle: every file with its hash, and where the model came from."""

    run_id: str
    created_at: str
    code_version: str
    config_hash: str
    data_fingerprint: str
    model_kind: str
    graph: str
    spec_hash: str
    files: tuple[BundleFile, ...]


class Pointer(Contract):
    """A small file, written last, that names what is current or published.

    `path` is relative to the project's folder.
    """

    run_id: str
    path: str


class TableReport(Contract):
    """How one canonical table came about; `quarantined` counts raw rows by reason."""

    table: Literal["interactions", "items", "users"]
    source: str
    rows_in: int
    rows_out: int
    quarantined: dict[str, int]
    conflicts: int = 0
    """Ids described in more than one way; the fullest, most frequent description is kept."""
    completed: int = 0
    """Ids that only the interactions name, added with missing attributes."""


class IngestedDays(Contract):
    """`days.json` of an incremental ingest: which days its interactions come from.

    Fingerprints and rows, good and bad, are by day of the source, `YYYY-MM-DD`.
    """

    declaration: str
    """Hash of what rows are read by: columns and code; after a change every day is read again."""
    base: str | None
    """The run whose days were taken over."""
    new: tuple[str, ...]
    """The days that this run read."""
    gone: tuple[str, ...]
    """Days taken over that are no longer in the source."""
    fingerprints: dict[str, str]
    rows: dict[str, int]


class LabelReport(Contract):
    """One task's label among the interactions; `column` is null where it is not known."""

    task: str
    column: str
    delay: int
    """Seconds from an event to its label's being known; 0 for a label that the event brings."""
    known: int
    mean: float | None


class IngestReport(Contract):
    """`ingest_report`: rows in, out and aside, and the labels, the main task's first."""

    tables: tuple[TableReport, ...]
    labels: tuple[LabelReport, ...]
    days: IngestedDays | None = None
    """Of an incremental ingest."""

    @property
    def tasks(self) -> tuple[Task, ...]:
        """What there is to predict."""
        return tuple(Task(name=label.task, label=label.column) for label in self.labels)

    @property
    def delays(self) -> dict[str, int]:
        """Label column -> delay in seconds, for labels that are known later than their event."""
        return {label.column: label.delay for label in self.labels if label.delay}


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
    cut_events: dict[str, dict[str, int]] = {}
    """Per sequence: how many earlier events its rows had no room for, all rows together."""
    task_rates: dict[str, dict[str, float]] = {}
    """Per task: the mean of its known labels."""


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


class EvaluationRow(Contract):
    """One measured value; the interval is 95 %, by bootstrap over users, where there is one."""

    model: str
    task: str
    """`lists`, or what is predicted of an event."""
    split: str
    slice: str
    metric: str
    k: int | None
    value: float
    ci_low: float | None
    ci_high: float | None
    users: int | None


class EvaluationReport(Contract):
    """`evaluation.json`."""

    run_id: str
    rows: tuple[EvaluationRow, ...]
    leaking: bool = False
    """As in `FeatureSpec`."""


class ComparisonRow(Contract):
    """One metric of two runs on the same events or lists.

    The difference is `second - first`; its 95 % interval is by bootstrap over users. `p` is the
    chance of a difference as large between models that are alike; over slices it is adjusted for
    their number (Holm). Both are null where there is one user only.
    """

    task: str
    slice: str
    metric: str
    k: int | None
    first: float
    second: float
    difference: float
    ci_low: float | None
    ci_high: float | None
    p: float | None
    users: int


class ComparisonReport(Contract):
    """Two runs held against each other; `common` rows of each task were in both."""

    first: str
    second: str
    models: tuple[str, str]
    rows_of_first: dict[str, int]
    rows_of_second: dict[str, int]
    common: dict[str, int]
    rows: tuple[ComparisonRow, ...]


class CompressionRow(Contract):
    """One compressed variant beside the original."""

    variant: str
    bytes: int
    ratio: float
    metric: str
    value: float
    delta: float
    max_abs_diff: float
    top10_overlap: float


class CompressionReport(Contract):
    """`compression.json`."""

    run_id: str
    rows: tuple[CompressionRow, ...]
    chosen: str
    leaking: bool = False
    """As in `FeatureSpec`."""


class ChosenGraph(Contract):
    """`chosen.json` of a compressed model: the variant to ship and the file of every variant."""

    variant: str
    graphs: dict[str, str]


class ParityRow(Contract):
    """One comparison of a lowered graph with its reference over the same rows.

    `graph` is the variant that ran, `reference` what it was held against (`model`, or the variant's
    own scores at the full batch with all optimisations); the optimisation is onnxruntime's level.
    """

    graph: str
    reference: str
    batch: int
    optimisation: Literal["none", "all"]
    columns: Literal["declared", "permuted"]
    rows: int
    max_abs_diff: float
    tolerance: float


class ExportReport(Contract):
    """`export.json`: which variant went into the bundle, and the parity table behind it."""

    run_id: str
    variant: str
    graph_bytes: int
    inputs: tuple[str, ...]
    golden_rows: int
    parity: tuple[ParityRow, ...]


class ScoringReport(Contract):
    """`scoring.json`."""

    run_id: str
    model_run_id: str
    date: str
    users: int
    cold_users: int
    rows: int
    candidates: int
    rows_per_second: float
    path: str


class ExpectationOutcome(Contract):
    """One evaluated expectation: what was declared, what was found, and values that broke it."""

    expectation: str
    column: str | None
    expected: str
    success: bool
    observed: str
    unexpected_count: int | None
    examples: tuple[str, ...]
    exception: str | None


class SuiteOutcome(Contract):
    """One suite against one dataset: `declared` must equal the number of outcomes."""

    dataset: str
    success: bool
    rows: int
    declared: int
    outcomes: tuple[ExpectationOutcome, ...]


class ValidationReport(Contract):
    """What a stage's closing node found; written only when everything held."""

    run_id: str
    stage: Stage
    suites: tuple[SuiteOutcome, ...]
