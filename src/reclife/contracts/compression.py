"""What compression reports: every variant beside the original, and the one to ship."""

from reclife.contracts.base import Contract


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
