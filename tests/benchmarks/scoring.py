"""How many rows a second the current bundle scores on one thread, beside the original graph."""

from pathlib import Path

from reclife.contracts import Pointer
from reclife.scoring.rate import scoring_rate
from tests.benchmarks.lines import Line

SECONDS = {"small": 5.0, "full": 30.0}


def measure(scale: str) -> list[Line]:
    """Score the bundle's golden rows, over and over."""
    bundle = Path(Pointer.read(Path("data/06_models/current.json")).path)
    rate = scoring_rate(bundle, seconds=SECONDS[scale])
    return [Line("scoring", "rows_per_second_one_thread", rate, "rows/s", better="higher")]
