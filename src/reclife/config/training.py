"""How the ranking model and the candidate source are trained."""

from collections.abc import Iterator
from typing import Self, final

from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt, model_validator

from reclife.config.clipping import ClippingConfig
from reclife.config.model import DeepFMConfig, ModelConfig
from reclife.config.objective import ObjectiveConfig
from reclife.config.optimizers import (
    AdagradConfig,
    AdamConfig,
    DenseOptimizerConfig,
    SparseOptimizerConfig,
)
from reclife.config.placement import PlacementConfig
from reclife.config.precision import Float32Config, PrecisionConfig, ProbeConfig
from reclife.config.retrieval import CandidatesConfig
from reclife.config.schedules import Judged
from reclife.config.schema import Schema
from reclife.config.stages import TRAINABLE, Patterns, StageConfig
from reclife.config.topology import LocalConfig, TopologyConfig
from reclife.config.warm_start import EvictionConfig, WarmStartConfig

_OF_STAGE = (
    "trainable",
    "epochs",
    "batch_size",
    "sparse_optimizer",
    "dense_optimizer",
    "precision",
    "xla",
    "topology",
)
"""What a stage declares in the place of the training."""


@final
class WatchConfig(Schema):
    """What is written for TensorBoard, and when a layer is called vanishing or exploding."""

    every_steps: PositiveInt = Field(
        default=50, description="Steps from one look at gradients and weights to the next."
    )
    vanishing: PositiveFloat = Field(
        default=1e-9, description="Norm of a gradient over that of its weights, below which: warn."
    )
    exploding: PositiveFloat = Field(default=1e3, description="The same, above which: warn.")


@final
class EarlyStoppingConfig(Judged):
    """When to stop, judged on the validation examples after each epoch."""

    patience: PositiveInt = Field(
        default=2, description="Epochs without a better value before training stops."
    )


@final
class CheckpointConfig(Schema):
    """How often the state of training is saved, besides the end of every epoch."""

    every_steps: PositiveInt | None = Field(
        default=None, description="Also save after this many steps; null: not by steps."
    )
    every_minutes: PositiveFloat | None = Field(
        default=10.0, description="Also save when this long went by; null: not by time."
    )
    keep: PositiveInt = Field(default=2, description="Newest checkpoints that are kept.")


@final
class TrainingConfig(Schema):
    """Declaration of the training stage."""

    model: ModelConfig = ModelConfig(DeepFMConfig())
    seed: NonNegativeInt = 7
    batch_size: PositiveInt = Field(default=1024, description="Examples a step, at most.")
    epochs: PositiveInt = Field(default=10, description="Passes over the examples, at most.")
    early_stopping: EarlyStoppingConfig | None = EarlyStoppingConfig()
    refit: bool = Field(
        default=True,
        description="Train again on train and validation together, for the number of epochs "
        "that was best on validation.",
    )
    objective: ObjectiveConfig = ObjectiveConfig()
    sparse_optimizer: SparseOptimizerConfig = Field(
        default=AdagradConfig(), description="Moves the embedding rows a batch touches."
    )
    dense_optimizer: DenseOptimizerConfig = Field(
        default=AdamConfig(), description="Moves everything else."
    )
    clipping: ClippingConfig | None = Field(
        default=None, description="How gradients are bounded; null: not at all."
    )
    watch: WatchConfig = WatchConfig()
    checkpoint: CheckpointConfig = CheckpointConfig()
    topology: TopologyConfig = Field(
        default=LocalConfig(), description="Where training runs; decides no weight but by rounding."
    )
    xla: bool = Field(
        default=False,
        description="Compile forward and backward pass of the dense part; pays for long training.",
    )
    run_eagerly: bool = Field(
        default=False,
        description="Compute operation by operation, slowly, so that a debugger can stop anywhere.",
    )
    precision: PrecisionConfig = Field(
        default=Float32Config(), description="What the layers compute in."
    )
    probe: ProbeConfig = ProbeConfig()
    trainable: Patterns = Field(default=("*",), description=TRAINABLE)
    stages: tuple[StageConfig, ...] = Field(
        default=(), description="Trainings one after the other; none: a single one."
    )
    warm_start: WarmStartConfig | None = Field(
        default=None, description="null: weights start at random."
    )
    eviction: EvictionConfig | None = Field(default=None, description="null: no row is forgotten.")
    placement: PlacementConfig | None = Field(default=None, description="null: on one device.")
    candidates: CandidatesConfig = Field(
        default=CandidatesConfig(), description="The candidate source, fitted beside it."
    )

    @model_validator(mode="after")
    def _eager_training_is_plain(self) -> Self:
        if self.run_eagerly and (self.xla or self.topology.kind != "local"):
            raise ValueError(
                "run_eagerly is for looking into training within one process: declare xla: false "
                "and topology: {kind: local}"
            )
        return self

    @model_validator(mode="after")
    def _is_possible(self) -> Self:
        names = [stage.name for stage in self.stages]
        problems = [
            f"stages: {n!r} is there twice" for n in sorted(set(names)) if names.count(n) > 1
        ]
        if self.stages and self.refit:
            problems.append("stages and refit exclude one another: declare refit: false")
        problems += list(_conflicts(self))
        for stage in self.stages:
            launcher = getattr(of_stage(self, stage).topology, "launcher", None)
            if launcher is not None and launcher.kind == "env":
                problems.append(
                    f"stage {stage.name}: the tasks of an operator end with one stage; declare "
                    "launcher: {kind: processes} or {kind: spark}, or one training a job"
                )
            problems += [f"stage {stage.name}: {p}" for p in _conflicts(of_stage(self, stage))]
        if problems:
            raise ValueError("; ".join(dict.fromkeys(problems)))
        return self


def of_stage(config: TrainingConfig, stage: StageConfig) -> TrainingConfig:
    """Return the training that `stage` of `config` is; the last one keeps its optimisers."""
    declared = {name: getattr(stage, name) for name in _OF_STAGE}
    last = stage.name == config.stages[-1].name
    return config.model_copy(
        update={
            **{name: value for name, value in declared.items() if value is not None},
            "stages": (),
            "warm_start": config.warm_start if last else None,
        }
    )


def _conflicts(config: TrainingConfig) -> Iterator[str]:
    """Yield what of the declaration does not go together."""
    where = config.topology.kind
    if config.placement is not None and (where != "local" or config.xla):
        yield "placement needs topology: {kind: local} and xla: false"
    if config.precision.kind == "float16" and where != "local":
        yield (
            f"precision float16 skips steps that overflow, which topology {where} cannot: declare "
            "precision: {kind: bfloat16}"
        )
    if config.eviction is not None and where == "parameter_server":
        yield "eviction is not done by topology parameter_server: declare eviction: null"
