"""Scores Arrow batches with a bundle's graph: one session per process, ids checked beforehand."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, final

import numpy as np

from reclife.contracts import Feature, FeatureSpec
from reclife.datasets.bundle import SCORE, Bundle
from reclife.datasets.tensors import to_arrays
from reclife.errors import ArtifactError, DataError

if TYPE_CHECKING:
    import pyarrow as pa
    from onnxruntime import InferenceSession

TYPES = {"tensor(int64)": "int64", "tensor(float)": "float32"}


@final
@dataclass(frozen=True)
class Engine:
    """A graph and the specification of its inputs; small enough to travel to Spark's workers.

    The session is opened on first use in each process and shared by all engines of the same graph.
    """

    graph: str
    sha256: str
    spec: FeatureSpec
    threads: int
    batch_rows: int

    @classmethod
    def of(cls, bundle: Bundle, threads: int = 1, batch_rows: int = 8192) -> "Engine":
        """Return the engine of a checked bundle.

        Raises:
            ArtifactError: The graph's inputs are not features of the bundle's specification.
        """
        graph = str(bundle.graph.resolve())
        engine = cls(graph, bundle.graph_hash, bundle.spec(), threads, batch_rows)
        _check_signature(engine.session, engine.spec, bundle.folder)
        return engine

    @property
    def session(self) -> "InferenceSession":
        """The session of this process."""
        return _session(self.graph, self.sha256, self.threads)

    @property
    def features(self) -> tuple[Feature, ...]:
        """The features that the graph reads."""
        return tuple(self.spec.feature(value.name) for value in self.session.get_inputs())

    def score(self, table: "pa.Table") -> np.ndarray:
        """Return the probability of the first task, `[N]` float32; columns are found by name.

        Raises:
            DataError: A column is missing, of another type, or holds an id outside its table.
        """
        arrays = to_arrays(table, self.features)
        self._check_ids(arrays)
        scores = np.empty(table.num_rows, np.float32)
        for start in range(0, table.num_rows, self.batch_rows):
            part = slice(start, start + self.batch_rows)
            feed = {name: values[part] for name, values in arrays.items()}
            scores[part] = self.session.run([SCORE], feed)[0]
        return scores

    def _check_ids(self, arrays: dict[str, np.ndarray]) -> None:
        """Refuse ids outside their table: the runtime reads -1 as the last row."""
        for feature in self.features:
            if feature.table is None:
                continue
            ids, size = arrays[feature.name], self.spec.table(feature.table).size
            wrong = int(((ids < 0) | (ids >= size)).sum())
            if wrong:
                raise DataError(
                    f"Column {feature.name!r}: {wrong} id(s) lie outside its table of {size} rows; "
                    "the features were not made with this bundle's vocabularies."
                )


def check_golden(engine: Engine, bundle: Bundle, tolerance: float) -> float:
    """Score the bundle's golden rows here and return the largest difference to the export.

    Raises:
        ArtifactError: This machine scores otherwise than the one that exported.
    """
    import pyarrow.parquet as pq

    golden = pq.read_table(bundle.golden)
    difference = np.abs(engine.score(golden) - golden.column(SCORE).to_numpy())
    worst = float(difference.max(initial=0.0))
    if not worst <= tolerance:
        raise ArtifactError(
            f"Bundle {bundle.folder}: {int((difference > tolerance).sum())} of {len(difference)} "
            f"golden rows score otherwise here than at export, by up to {worst:.1e} (allowed "
            f"{tolerance:.0e}); export again on this kind of machine."
        )
    return worst


@lru_cache(maxsize=8)
def _session(graph: str, sha256: str, threads: int) -> "InferenceSession":
    """Open the graph once per process; its hash keeps a replaced file from being served stale."""
    import onnxruntime as ort

    if not Path(graph).exists():
        raise ArtifactError(
            f"{graph} ({sha256[:12]}) is not there: every worker must reach the bundle's folder."
        )
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return ort.InferenceSession(graph, options, providers=["CPUExecutionProvider"])


def _check_signature(session: "InferenceSession", spec: FeatureSpec, folder: Path) -> None:
    known = {feature.name: feature for feature in spec.features}
    problems = []
    for value in session.get_inputs():
        feature = known.get(value.name)
        if feature is None:
            problems.append(f"{value.name} is not in the specification")
        elif TYPES.get(value.type) != feature.dtype or tuple(value.shape[1:]) != feature.shape:
            problems.append(
                f"{value.name} is {value.type} {value.shape[1:]}, the specification says "
                f"{feature.dtype} {list(feature.shape)}"
            )
    if session.get_outputs()[0].name != SCORE:
        problems.append(f"its first output is not {SCORE}")
    if problems:
        raise ArtifactError(
            f"Bundle {folder}: the graph does not fit the specification: {'; '.join(problems)}."
        )
