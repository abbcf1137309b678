"""Losses: what is minimised, one file each; logits and labels are float32 throughout.

Losses over (positive, negatives) are plain functions that retrieval models call: `bpr`,
`sampled_softmax`, `gbce`. Their axes before the last are free (`...`): examples, or examples and
positions of a sequence. They return one loss for each positive; the caller averages.

Losses of a ranking task are the members of `LOSSES`: classes that see the batch as a whole.
"""

from collections.abc import Mapping
from types import MappingProxyType

from reclife.config.objective import LossConfig
from reclife.training.losses.binary_cross_entropy import BinaryCrossEntropy
from reclife.training.losses.focal import Focal
from reclife.training.losses.listwise import Listwise
from reclife.training.losses.loss import Loss
from reclife.training.losses.pairwise import Pairwise

LOSSES: Mapping[str, type[Loss]] = MappingProxyType(
    {
        "binary_cross_entropy": BinaryCrossEntropy,
        "focal": Focal,
        "pairwise": Pairwise,
        "listwise": Listwise,
    }
)


def build(config: LossConfig) -> Loss:
    """Return the loss that `config` declares."""
    return LOSSES[config.kind](config)
