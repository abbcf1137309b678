"""Writes a bundle: everything that scoring needs, sealed by a manifest written last."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, final

from reclife.contracts import (
    ITEM,
    Calibrations,
    ChosenGraph,
    CompressionReport,
    Contract,
    EvaluationReport,
    ExportReport,
    FeatureSpec,
    Origin,
)
from reclife.datasets import bundle as layout
from reclife.errors import ArtifactError
from reclife.export.graph import open_graph, run_graph

if TYPE_CHECKING:
    import pyarrow as pa

CHOSEN = "chosen.json"
GRAPH, ORIGINAL = "model.onnx", "original.onnx"


@final
@dataclass(frozen=True)
class Parts:
    """What goes into a bundle."""

    origin: Origin
    model: Path
    compressed: Path
    state: Path
    candidates: Path
    spec: FeatureSpec
    evaluation: EvaluationReport
    calibrations: Calibrations
    compression: CompressionReport
    export: ExportReport
    golden: "pa.Table"
    items: "pa.Table"


def write(parts: Parts, folder: Path) -> None:
    """Write the bundle of `parts` into the empty `folder`; its manifest comes last."""
    import pyarrow.parquet as pq

    chosen = read_chosen(parts.compressed)
    shutil.copyfile(parts.compressed / chosen.graphs[chosen.variant], folder / GRAPH)
    shutil.copyfile(parts.compressed / chosen.graphs["original"], folder / ORIGINAL)
    shutil.copytree(parts.state, folder / layout.STATE)
    shutil.copytree(parts.candidates, folder / layout.CANDIDATES)
    documents: dict[str, Contract] = {
        layout.SPEC: parts.spec,
        layout.EVALUATION: parts.evaluation,
        layout.CALIBRATION: parts.calibrations,
        layout.COMPRESSION: parts.compression,
        layout.PARITY: parts.export,
    }
    for name, document in documents.items():
        (folder / name).write_text(document.model_dump_json(indent=2) + "\n", encoding="utf-8")
    golden = golden_rows(folder / GRAPH, folder / ORIGINAL, parts.golden, parts.spec)
    pq.write_table(golden, folder / layout.GOLDEN)
    pq.write_table(item_index(parts.items), folder / layout.ITEMS)
    layout.seal(folder, parts.origin, model_kind(parts.model), GRAPH, parts.spec.hash)


def read_chosen(compressed: Path) -> ChosenGraph:
    """Return which of a compressed model's graphs to ship."""
    return ChosenGraph.read(compressed / CHOSEN)


def model_kind(model: Path) -> str:
    """Return the kind of a saved model.

    Raises:
        ArtifactError: The folder does not hold a saved model.
    """
    try:
        description = json.loads((model / "model.json").read_text(encoding="utf-8"))
        return str(description["config"]["kind"])
    except (OSError, ValueError, KeyError) as error:
        raise ArtifactError(f"{model} holds no readable model.json; train again.") from error


def golden_rows(graph: Path, original: Path, rows: "pa.Table", spec: FeatureSpec) -> "pa.Table":
    """Return the inputs of `rows` with `score` of the shipped graph and `original_score`."""
    import pyarrow as pa

    names = [value.name for value in open_graph(original).get_inputs()]
    scores = {
        layout.SCORE: run_graph(open_graph(graph), rows, spec),
        layout.ORIGINAL_SCORE: run_graph(open_graph(original), rows, spec),
    }
    keys = [name for name in (spec.user, spec.item, spec.time) if name in rows.column_names]
    table = rows.select(list(dict.fromkeys([*keys, *names])))
    for name, values in scores.items():
        table = table.append_column(name, pa.array(values))
    return table


def item_index(items: "pa.Table") -> "pa.Table":
    """Return `item_id` and, where there is one, `title`: what a reader shows of an item."""
    return items.select([name for name in (ITEM, "title") if name in items.column_names])
