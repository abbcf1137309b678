"""What the loop asks of whatever does the steps of training."""

import abc
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from numpy.typing import NDArray

from reclife.models.ranking import RankingModel
from reclife.training.examples import Examples
from reclife.training.sparse.packs import Pack

Array = NDArray[Any]


class Rates(NamedTuple):
    """The learning rates of a step, and its number from 1 since training began."""

    sparse: float
    dense: float
    step: int


class Work(NamedTuple):
    """A step to do: on batch `position` of the epoch, which `Trainer.prepare` made `batch` of.

    `step` counts from 1 over all phases; with `watch` the norms of all parts are asked for.
    """

    position: int
    batch: Any
    rates: Rates
    step: int
    watch: bool


class StepResult(NamedTuple):
    """What a step found before its update.

    `loss` is what is minimised, `task_losses` `[T]` the loss of each task, `gradient_norm` that of
    the whole gradient before it is clipped, `watched` what was asked for besides.
    """

    loss: float
    task_losses: Array
    gradient_norm: float
    watched: dict[str, float]


class Trainer(abc.ABC):
    """A model with the optimisers that move it, wherever they are."""

    model: RankingModel
    """The model; its weights are current after `unpack`."""

    packs: Mapping[str, Pack]
    """The tables of the model, packed, and by which names `state` has their slots."""

    grouped: bool
    """Whether batches keep groups together."""

    lead: bool
    """Whether this process writes what is kept: checkpoints and logs."""

    @abc.abstractmethod
    def prepare(self, examples: Examples, rows: Array) -> Any:
        """Return the batch of the `rows` of `examples`; may run beside a step, in one thread."""

    @abc.abstractmethod
    def steps(self, work: Iterator[Work]) -> Iterator[tuple[Work, StepResult]]:
        """Do all of `work`; yield each as it is done, in any order.

        When the iterator ends no step is under way: the state can be saved.
        """

    @abc.abstractmethod
    def predict(self, examples: Examples) -> Array:
        """Return the probability of each task for each example, float32 `[N, T]`."""

    @abc.abstractmethod
    def unpack(self) -> None:
        """Give the model what training made of its weights."""

    def forget(self, step: int) -> int:
        """Forget the rows that no step moved for long before `step`; return how many."""
        del step
        return 0

    def repeated(self) -> tuple[int, ...]:
        """Return the steps that were done more than once since this was asked last."""
        return ()

    @abc.abstractmethod
    def state(self) -> dict[str, Array]:
        """Return every value that a resume needs, by a name that no topology changes."""

    @abc.abstractmethod
    def restore(self, state: Mapping[str, Array]) -> None:
        """Go back to `state`.

        Raises:
            ArtifactError: The names are not those of this trainer.
        """
