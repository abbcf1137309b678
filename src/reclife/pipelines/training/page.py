"""The training of a model as one self-contained page: the picture, the epochs, the shapes."""

from reclife.contracts import EpochRow, ModelSummary, TrainingReport
from reclife.pipelines.training.picture import draw


def render(
    report: TrainingReport, summary: ModelSummary, source: ModelSummary | None = None
) -> str:
    """Return the HTML page; it needs no network.

    Args:
        report: On the training of the ranking model.
        summary: Its parts.
        source: Those of the candidate source, where that was trained.
    """
    from jinja2 import Environment, PackageLoader

    environment = Environment(
        loader=PackageLoader("reclife.pipelines.training", ""), autoescape=True, trim_blocks=True
    )
    validation = report.validation
    return environment.get_template("page.html.j2").render(
        report=report,
        summary=summary,
        source=source,
        draw=draw,
        columns=[(task, metric) for task, metrics in validation.items() for metric in metrics],
        tasks=len(validation),
        cell=_cell,
    )


def text(summary: ModelSummary) -> str:
    """Return the parts of the model as lines of a log, its pieces left out."""
    rows = [("part", "what it is", "gives", "numbers", "reads")]
    for part in summary.parts:
        if part.within is None:
            numbers = f"{part.numbers:,}" if part.numbers else ""
            rows.append((part.name, part.kind, part.shape, numbers, ", ".join(part.reads)))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, [*widths, 0], strict=True))
        for row in rows
    ]
    return "\n".join(line.rstrip() for line in lines)


def _cell(row: EpochRow, task: str, metric: str) -> str:
    value = row.validation.get(task, {}).get(metric)
    return "" if value is None else f"{value:.4f}"
