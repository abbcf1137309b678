"""A comparison of two runs as one self-contained HTML page."""

from collections.abc import Sequence
from html import escape

from reclife.config.evaluated import LISTS
from reclife.contracts import ComparisonReport, ComparisonRow
from reclife.evaluation import look
from reclife.evaluation.figures import said
from reclife.evaluation.look import LOWER_IS_BETTER, OTHERS, OURS, called
from reclife.evaluation.rows import ALL

WORSE = "#b0486a"


def render(report: ComparisonReport) -> str:
    """Return the page; it needs no network."""
    tasks = list(dict.fromkeys(row.task for row in report.rows))
    body = "".join(_task(report, task) for task in tasks)
    if report.left_out:
        lines = "".join(f"<p>{escape(line)}</p>" for line in report.left_out)
        body += look.section("What is not compared", lines)
    return look.document("Comparison", f"{_who(report, 0)} and {_who(report, 1)}", body)


def _who(report: ComparisonReport, number: int) -> str:
    return f"{(report.first, report.second)[number]} ({report.models[number]})"


def verdict(row: ComparisonRow) -> str:
    """Return which run is better, `no difference` where the interval holds 0 or p is above .05.

    Without an interval there is no test: there is one user, or no resample has both labels.
    """
    if row.p is None or row.ci_low is None or row.ci_high is None:
        return "one user" if row.users < 2 else "no test"
    if row.p > 0.05 or row.ci_low <= 0 <= row.ci_high:
        return "no difference"
    return "second" if (row.difference > 0) != (row.metric in LOWER_IS_BETTER) else "first"


def _task(report: ComparisonReport, task: str) -> str:
    rows = [row for row in report.rows if row.task == task]
    whole = [row for row in rows if row.slice == ALL]
    main = whole[0]
    parts = [r for r in rows if r.slice != ALL and (r.metric, r.k) == (main.metric, main.k)]
    title = "What comes next?" if task == LISTS else f"Will it happen: {task}?"
    return look.section(
        title,
        f"<p>{escape(_protocol(report, task))}</p>",
        _table(whole, report),
        _forest(parts, main) if parts else "",
    )


def _protocol(report: ComparisonReport, task: str) -> str:
    common, own = report.common[task], report.rows_of_first[task]
    other, what = report.rows_of_second[task], "queries" if task == LISTS else "test events"
    text = f"The same {common:,} {what} of both runs. "
    if not common == own == other:
        text = f"{common:,} {what} that both runs have, of {own:,} and {other:,}. "
    return text + (
        "A difference is second less first, with a 95 % interval by bootstrap over users, the same "
        "resamples for both. p is how often models that are alike would differ as much: by random "
        "signs of the users' differences, for the areas by the bootstrap; of slices, adjusted for "
        "their number (Holm). Where p is above .05 or the interval holds 0, the data cannot tell "
        "the runs apart."
    )


def _table(rows: Sequence[ComparisonRow], report: ComparisonReport) -> str:
    names = "".join(
        f"<th>{escape(model)}<small>{escape(run)}</small></th>"
        for model, run in zip(report.models, (report.first, report.second), strict=True)
    )
    lines = "".join(
        f"<tr><td>{called(row.metric, row.k)}</td><td>{look.number(row.first)}</td>"
        f"<td>{look.number(row.second)}</td><td>{row.difference:+.4f}<small>{bounds(row)}</small>"
        f"</td><td>{'' if row.p is None else f'{row.p:.4f}'}</td><td>{_better(row, report)}</td>"
        "</tr>"
        for row in rows
    )
    head = f"<tr><th>Metric</th>{names}<th>Difference</th><th>p</th><th>Better</th></tr>"
    return f"<div class='wide'><table><thead>{head}</thead><tbody>{lines}</tbody></table></div>"


def _better(row: ComparisonRow, report: ComparisonReport) -> str:
    found = verdict(row)
    return escape({"first": report.first, "second": report.second}.get(found, found))


def bounds(row: ComparisonRow) -> str:
    """Return the interval as a text."""
    return "" if row.ci_low is None else f"{row.ci_low:+.4f} … {row.ci_high:+.4f}"


def _forest(rows: Sequence[ComparisonRow], main: ComparisonRow) -> str:
    """Draw the difference of every slice with its interval, and that of all."""
    from plotly import graph_objects as go

    shown = [main, *rows]
    colours = {"second": OURS, "first": WORSE}
    colour = [colours.get(verdict(row), OTHERS) for row in shown]
    names = ["all" if row.slice == ALL else said(row.slice) for row in shown]
    figure = go.Figure()
    for row, name, own in zip(shown, names, colour, strict=True):
        figure.add_scatter(
            x=[row.difference],
            y=[name],
            error_x={
                "type": "data",
                "array": [(row.ci_high or row.difference) - row.difference],
                "arrayminus": [row.difference - (row.ci_low or row.difference)],
                "color": own,
                "thickness": 2,
                "width": 0,
            },
            mode="markers",
            marker={"color": own, "size": 10},
            hovertemplate=f"%{{y}}: %{{x:+.4f}}, {row.users} users",
            showlegend=False,
            name="",
        )
    figure.add_vline(x=0, line=look.NEUTRAL)
    order = {"categoryorder": "array", "categoryarray": names[::-1]}
    title = f"{called(main.metric, main.k)}, second less first, by slice"
    return look.plot(figure, title, {}, order, 120 + 30 * len(shown))
