"""Compares two runs by their ids, prints a table, and leaves a report and a page."""

from pathlib import Path

from reclife.contracts import ComparisonReport
from reclife.evaluation import compare_page, scored
from reclife.evaluation.compare import compare
from reclife.evaluation.differences import Drawing
from reclife.evaluation.look import called
from reclife.evaluation.rows import ALL
from reclife.runtime.files import write_atomically
from reclife.runtime.project import project_path

FOLDER = Path("data/08_reporting/comparisons")


def compare_runs(first: str, second: str, resamples: int, seed: int) -> tuple[str, Path]:
    """Return the table of the whole test part, and where the page lies.

    Raises:
        ArtifactError: A run is not there, or has not been evaluated.
        DataError: The runs cannot be compared.
    """
    drawing = Drawing(resamples, seed)
    report = compare(scored.load(first), scored.load(second), drawing)
    place = FOLDER / f"{first}_{second}"
    texts = {".json": report.model_dump_json(indent=2) + "\n", ".html": compare_page.render(report)}
    for suffix, text in texts.items():
        write_atomically(project_path() / f"{place}{suffix}", text)
    return as_text(report), Path(f"{place}.html")


def as_text(report: ComparisonReport) -> str:
    """Return one line a metric over the whole test part, and what is not in both runs."""
    lines = [("task", "metric", *report.models, "difference", "95 % interval", "p", "better")]
    for row in report.rows:
        if row.slice != ALL:
            continue
        better = compare_page.verdict(row)
        lines.append(
            (
                row.task,
                called(row.metric, row.k),
                f"{row.first:.4f}",
                f"{row.second:.4f}",
                f"{row.difference:+.4f}",
                compare_page.bounds(row).replace("…", "to"),
                "" if row.p is None else f"{row.p:.4f}",
                {"first": report.first, "second": report.second}.get(better, better),
            )
        )
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    table = [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]
    return "\n".join([*table, *_left_out(report), *report.left_out])


def _left_out(report: ComparisonReport) -> list[str]:
    sizes = {
        task: (common, report.rows_of_first[task], report.rows_of_second[task])
        for task, common in report.common.items()
    }
    return [
        f"{task}: the {common} rows of both runs, of {first} and {second}."
        for task, (common, first, second) in sizes.items()
        if not common == first == second
    ]
