"""Where training runs: in one process, on several devices, or in a cluster of processes."""

from typing import Annotated, Literal, Self, final

from pydantic import Field, NonNegativeInt, PositiveInt, model_validator

from reclife.config.schema import Schema

Share = Annotated[float, Field(gt=0, lt=1)]


class _Launcher(Schema):
    start_seconds: PositiveInt = Field(
        default=120, description="How long the tasks wait for one another before they give up."
    )


class _Restarting(_Launcher):
    restarts: NonNegativeInt = Field(
        default=3, description="How often the cluster goes on from its checkpoint after a crash."
    )


@final
class ProcessesConfig(_Restarting):
    """The tasks are processes of this machine."""

    kind: Literal["processes"] = "processes"


@final
class SparkConfig(_Restarting):
    """The executors of the Spark session host the tasks; all of them see one file system."""

    kind: Literal["spark"] = "spark"
    folder: str | None = Field(
        default=None,
        description="Folder for the work of one training that every executor sees; null: beside "
        "the checkpoints.",
    )


@final
class EnvironmentConfig(_Launcher):
    """Joins the cluster that `TF_CONFIG` describes, as training operators set it."""

    kind: Literal["env"] = "env"
    folder: str = Field(description="Folder of one training job that every task sees.")


LauncherConfig = Annotated[
    ProcessesConfig | SparkConfig | EnvironmentConfig, Field(discriminator="kind")
]


@final
class LocalConfig(Schema):
    """One process, one device."""

    kind: Literal["local"] = "local"


@final
class MirroredConfig(Schema):
    """Several devices of this machine, each with the whole model; every step uses all of them.

    Devices are GPUs where there are enough, else parts of the processor.
    """

    kind: Literal["mirrored"] = "mirrored"
    devices: Annotated[int, Field(ge=2)] = Field(description="How many devices.")
    launcher: ProcessesConfig = ProcessesConfig()


@final
class MultiWorkerConfig(Schema):
    """Several processes, each with the whole model; every step uses all of them.

    Each computes the gradient of its slice of the batch; the sum moves all copies alike.
    """

    kind: Literal["multi_worker"] = "multi_worker"
    workers: PositiveInt = Field(description="How many processes.")
    launcher: LauncherConfig = ProcessesConfig()
    communication: Literal["auto", "ring", "nccl"] = Field(
        default="auto", description="How gradients are summed: `ring` on CPUs, `nccl` on GPUs."
    )


@final
class WireConfig(Schema):
    """How rows and their gradients travel between workers and parameter servers."""

    pull: Literal["none", "bf16", "int8"] = Field(
        default="none", description="Form of the rows that a worker reads."
    )
    push: Literal["none", "bf16", "int8", "int4", "top_k"] = Field(
        default="none",
        description="Form of the gradients it sends; what is lost is added to the next ones.",
    )
    top_k: Share = Field(
        default=0.25, description="Share of a gradient's numbers that `top_k` keeps."
    )


@final
class ParameterServerConfig(Schema):
    """Tables lie on servers, row by row; workers compute at their own pace."""

    kind: Literal["parameter_server"] = "parameter_server"
    workers: PositiveInt = Field(description="How many processes compute gradients.")
    servers: PositiveInt = Field(description="How many processes hold the tables.")
    batches_per_unit: PositiveInt = Field(
        default=1,
        description="How many batches a worker does, one after the other, each time that the "
        "chief hands it work. More of them let one chief keep more workers busy.",
    )
    prefetch: bool = Field(
        default=False,
        description="Pull the rows of the next batch of a unit while one is computed; they then "
        "miss its update.",
    )
    unit_seconds: PositiveInt = Field(
        default=60,
        description="How long a unit of work may take, done again by another worker included, "
        "before the cluster goes on from its checkpoint.",
    )
    launcher: LauncherConfig = ProcessesConfig()
    wire: WireConfig = WireConfig()

    @model_validator(mode="after")
    def _something_to_prefetch(self) -> Self:
        if self.prefetch and self.batches_per_unit == 1:
            raise ValueError(
                "prefetch pulls the next batch of a unit of work, which has one batch: declare "
                "batches_per_unit: 8, or leave prefetch out."
            )
        return self


TopologyConfig = Annotated[
    LocalConfig | MirroredConfig | MultiWorkerConfig | ParameterServerConfig,
    Field(discriminator="kind"),
]
