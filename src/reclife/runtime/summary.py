"""The summary at the end of a run: time, metrics, size, a few users, where everything lies."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from reclife.contracts import (
    ITEM,
    STAGES,
    TIME,
    USER,
    CompressionReport,
    EvaluationReport,
    Pointer,
    ScoringReport,
)
from reclife.runtime.project import project_path
from reclife.runtime.records import find_record
from reclife.runtime.run import run_folder

USERS_SHOWN = 3
ITEMS_SHOWN = 5

_TEXTS = {"stage", "model", "variant", "user", "newest in the history", "recommended"}
_PREDICTED = ("auc", "gauc", "logloss")
_METRICS = {"lists": ("ndcg", "recall", "hit_rate")}
_QUESTIONS = {
    "like": "Test: will this user like it?",
    "lists": "Test: what comes next? Lists of {k}",
}
_WHOLE = {"all": "", "sampled_negatives": " The negatives were drawn."}


def print_summary(run_id: str) -> None:
    """Print what the run has to show; parts whose stage did not run are left out."""
    parts: list[RenderableType] = [
        part
        for part in (
            _times(run_id),
            *_metrics(run_folder(run_id) / "evaluation.json"),
            _leak(run_folder(run_id) / "evaluation.json"),
            _sizes(run_folder(run_id) / "compression.json"),
            _examples(run_id),
            _places(run_id),
        )
        if part is not None
    ]
    Console(stderr=True, width=100).print(Group(*parts))


def _times(run_id: str) -> Table | None:
    records = [record for stage in STAGES if (record := find_record(run_id, stage))]
    if not records:
        return None
    total = sum(record.seconds for record in records)
    table = _table(f"Run {run_id}", ["stage", "seconds", "share", "rows written"])
    for record in records:
        rows = sum(one.rows or 0 for one in record.outputs.values())
        share = f"{record.seconds / total:.0%}"
        table.add_row(record.stage, f"{record.seconds:.1f}", share, f"{rows:,}" if rows else "")
    table.add_row("total", f"{total:.1f}", "", "")
    return table


def _metrics(path: Path) -> Iterable[Table]:
    if not path.exists():
        return
    report = EvaluationReport.read(path)
    for task in dict.fromkeys(row.task for row in report.rows):
        metrics = _METRICS.get(task, _PREDICTED)
        rows = [row for row in report.rows if row.task == task and row.slice in _WHOLE]
        k = next((row.k for row in rows if row.k), None)
        values = {(row.model, row.metric): row.value for row in rows if row.k in {None, k}}
        models = list(dict.fromkeys(model for model, metric in values if metric in metrics))
        if models:
            title = _QUESTIONS.get(task, f"Test: {task}").format(k=k) + _WHOLE[rows[0].slice]
            table = _table(title, ["model", *metrics])
            for model in models:
                cells = (values.get((model, metric)) for metric in metrics)
                table.add_row(
                    model, *("not defined" if cell is None else f"{cell:.4f}" for cell in cells)
                )
            yield table


def _leak(path: Path) -> Text | None:
    if not path.exists() or not EvaluationReport.read(path).leaking:
        return None
    return Text(
        "The split is leaking: training saw events later than some test events, so that all "
        "figures of the test flatter.",
        style="yellow",
    )


def _sizes(path: Path) -> Table | None:
    if not path.exists():
        return None
    report = CompressionReport.read(path)
    table = _table("Compression, on test", ["variant", "kB", "smaller", "auc", "change"])
    for row in report.rows:
        if row.metric != "auc":
            continue
        name = f"{row.variant} (chosen)" if row.variant == report.chosen else row.variant
        size, ratio = f"{row.bytes / 1000:,.0f}", f"{row.ratio:.2f}x"
        table.add_row(name, size, ratio, f"{row.value:.4f}", f"{row.delta:+.4f}")
    return table


def _examples(run_id: str) -> Table | None:
    """Return the newest items and the recommendations of the first few users with a history."""
    report = run_folder(run_id) / "scoring.json"
    if not report.exists():
        return None
    import pyarrow.compute as pc

    published = _read(project_path() / ScoringReport.read(report).path)
    warm = published.filter(pc.invert(published["cold"])).sort_by([(USER, "ascending")])
    users = warm[USER].unique()[:USERS_SHOWN]
    titles = _titles(run_id)
    history = _read(_intermediate("interactions", run_id))
    table = _table("Recommendations", ["user", "newest in the history", "recommended"])
    for user in users:
        seen = history.filter(pc.equal(history[USER], user))
        if TIME in seen.column_names:
            seen = seen.sort_by([(TIME, "descending"), (ITEM, "ascending")])
        best = warm.filter(pc.equal(warm[USER], user)).sort_by("rank")
        table.add_row(str(user), _names(seen[ITEM].unique(), titles), _names(best[ITEM], titles))
    return table


def _names(items: Any, titles: dict[Any, str]) -> str:
    return "\n".join(titles.get(item, str(item)) for item in items.to_pylist()[:ITEMS_SHOWN])


def _titles(run_id: str) -> dict[Any, str]:
    items = _read(_intermediate("items", run_id))
    if "title" not in items.column_names:
        return {}
    pairs = zip(items[ITEM].to_pylist(), items["title"].to_pylist(), strict=True)
    return {item: f"{title}" for item, title in pairs if title is not None}


def _read(path: Path) -> Any:
    import pyarrow.dataset

    return pyarrow.dataset.dataset(path, format="parquet").to_table()


def _intermediate(name: str, run_id: str) -> Path:
    return project_path() / "data" / "02_intermediate" / name / f"run_id={run_id}"


def _places(run_id: str) -> Text:
    lines = [("reports of this run", f"data/08_reporting/runs/{run_id}")]
    page = project_path() / "data" / "08_reporting" / "evaluation.html"
    bundle = project_path() / "data" / "06_models" / "current.json"
    scoring = run_folder(run_id) / "scoring.json"
    if page.exists():
        lines.append(("evaluation, as plots", "data/08_reporting/evaluation.html"))
    if bundle.exists():
        lines.append(("bundle", Pointer.read(bundle).path))
    if scoring.exists():
        lines.append(("recommendations", ScoringReport.read(scoring).path))
    return Text("\n".join(f"{what}: {where}" for what, where in lines))


def _table(title: str, columns: Sequence[str]) -> Table:
    table = Table(title=title, title_justify="left", header_style="bold")
    for column in columns:
        table.add_column(column, justify="left" if column in _TEXTS else "right")
    return table
