"""What export reports, and the index of the bundle that it makes."""

from typing import Literal

from reclife.contracts.base import Contract


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
