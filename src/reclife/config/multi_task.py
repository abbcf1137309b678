"""Models of several tasks: what the tasks share, and what each has of its own."""

from typing import Literal, final

from pydantic import Field, PositiveInt

from reclife.config.towers import Embedded, Tower

_SHARED = Tower(hidden_units=(64,))
_OWN = Tower(hidden_units=(32,))


class _MultiTask(Embedded):
    tower: Tower = Field(default=_OWN, description="The perceptron of each task, at its end.")


@final
class SharedBottomConfig(_MultiTask):
    """Hidden layers that all tasks share, then a perceptron each."""

    kind: Literal["shared_bottom"] = "shared_bottom"
    bottom: Tower = Field(default=_SHARED, description="The layers that all tasks share.")


@final
class MMoEConfig(_MultiTask):
    """Experts that all tasks share, mixed by each task for itself."""

    kind: Literal["mmoe"] = "mmoe"
    experts: PositiveInt = Field(default=4, description="How many experts there are.")
    expert: Tower = Field(default=_SHARED, description="The layers of an expert.")


@final
class PLEConfig(_MultiTask):
    """Experts of single tasks beside shared ones, in levels."""

    kind: Literal["ple"] = "ple"
    levels: PositiveInt = Field(default=2, description="Levels of experts.")
    shared_experts: PositiveInt = Field(default=2, description="Shared experts of a level.")
    task_experts: PositiveInt = Field(default=2, description="Experts of each task on a level.")
    expert: Tower = Field(default=_SHARED, description="The layers of an expert.")


@final
class ESMMConfig(_MultiTask):
    """Tasks that follow one another, such as click and purchase, learnt on all examples."""

    kind: Literal["esmm"] = "esmm"
    tower: Tower = Field(default=Tower(), description="The perceptron of each task.")
