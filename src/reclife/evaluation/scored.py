"""What the evaluation of a run left behind, found by the run's id and held against its record."""

from pathlib import Path

import pyarrow as pa

from reclife.config.problems import hint
from reclife.contracts import EvaluationReport, Stage, TrainingReport
from reclife.errors import ArtifactError
from reclife.evaluation.compare import Scored
from reclife.evaluation.rows import DRAWN
from reclife.runtime.files import files_under
from reclife.runtime.project import project_path
from reclife.runtime.records import find_record, vouched
from reclife.runtime.run import run_folder, runs_folder


def load(run_id: str) -> Scored:
    """Return the scored events and lists of a run.

    Raises:
        ArtifactError: There is no such run, its evaluation has not finished, or what it left was
            changed since.
    """
    if not run_folder(run_id).is_dir():
        runs = [folder.name for folder in runs_folder().glob("*/")]
        raise ArtifactError(f"There is no run {run_id!r}{hint(run_id, runs)}")
    report = EvaluationReport.read(_place(run_id, "evaluation", "evaluation"))
    training = TrainingReport.read(_place(run_id, "training", "training_report"))
    return Scored(
        run_id=run_id,
        model=training.model_kind,
        events=_table(run_id, "scored_events"),
        lists=_table(run_id, "scored_lists"),
        drawn=frozenset(row.task for row in report.rows if row.slice.startswith(DRAWN)),
    )


def _place(run_id: str, stage: Stage, dataset: str) -> Path:
    record = find_record(run_id, stage)
    if record is None or dataset not in record.outputs:
        raise ArtifactError(
            f"Run {run_id} has no finished stage {stage} with {dataset}; compare runs whose "
            "evaluation has finished."
        )
    path = project_path() / record.outputs[dataset].path
    vouched(run_id, stage, dataset, path)
    return path


def _table(run_id: str, dataset: str) -> pa.Table:
    import pyarrow.parquet as pq

    files = files_under(_place(run_id, "evaluation", dataset))
    return pa.concat_tables([pq.read_table(file, partitioning=None) for file in files])
