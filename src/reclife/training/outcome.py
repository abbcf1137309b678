"""What a training leaves: in this process or by a cluster, in one piece or in stages."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from reclife.contracts import TrainingReport


class Outcome(NamedTuple):
    """What writes a trained model into a folder, and the account of its training."""

    write: Callable[[Path], None]
    report: TrainingReport
