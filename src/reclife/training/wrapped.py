"""Layers of a model that training makes run in another way."""

import abc
from typing import Any

Layer = Any
Tensor = Any
Variable = Any


class Wrapped(abc.ABC):
    """A `layer` with something done around it; its weights are those of the layer."""

    def __init__(self, layer: Layer) -> None:
        self.layer = layer

    @abc.abstractmethod
    def __call__(self, *inputs: Any, **options: Any) -> Tensor:
        """Return what the layer gives."""

    @property
    def weights(self) -> list[Variable]:
        """All variables of the layer that scoring needs."""
        return list(self.layer.weights)

    @property
    def variables(self) -> list[Variable]:
        """All variables of the layer."""
        return list(self.layer.variables)

    @property
    def trainable_variables(self) -> list[Variable]:
        """Those of its variables that are learnt."""
        return list(self.layer.trainable_variables)

    def _flatten_layers(self) -> list[Layer]:
        """Return the layer and all layers within it, as Keras names it."""
        return list(self.layer._flatten_layers())  # noqa: SLF001

    @property
    def trainable(self) -> bool:
        """Whether the layer learns."""
        return bool(self.layer.trainable)

    @trainable.setter
    def trainable(self, value: bool) -> None:
        self.layer.trainable = value
