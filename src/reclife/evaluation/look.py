"""How pages of figures look: one style sheet, one layout of plots, tables of figures."""

from collections.abc import Collection, Mapping, Sequence
from html import escape
from typing import Any

from reclife.contracts import EvaluationRow

OURS, OTHERS, INK, SOFT = "#1a7f5a", "#a9b8c6", "#1c2733", "#5b6b7b"
COLOURS = ("#1a7f5a", "#c2703d", "#4a6fa5", "#8d6cab", "#7a7a7a", "#b0486a", "#3f8f9b")
NEUTRAL = {"dash": "dot", "color": "#b6bfc9", "width": 1}

NAMES = {
    "auc": "AUC",
    "gauc": "GAUC",
    "pr_auc": "PR-AUC",
    "logloss": "Logloss",
    "normalized_entropy": "Normalized entropy",
    "calibration": "Predicted / observed",
    "calibration_error": "Calibration error",
    "ndcg": "NDCG",
    "graded_ndcg": "Graded NDCG",
    "recall": "Recall",
    "precision": "Precision",
    "hit_rate": "Hit rate",
    "mrr": "MRR",
    "map": "MAP",
    "coverage": "Coverage",
    "gini": "Gini",
    "novelty": "Novelty, bits",
    "popularity": "Users per item",
    "diversity": "Diversity",
    "repetition": "Repetition",
}
LOWER_IS_BETTER = ("logloss", "normalized_entropy", "calibration_error")
NEITHER_IS_BETTER = ("gini", "popularity", "novelty", "diversity", "repetition", "coverage")

STYLE = """
:root { color-scheme: light; --ink: #1c2733; --soft: #5b6b7b; --line: #e3e8ee; --win: #e4f3ea;
        --back: #f6f8fa; --ours: #1a7f5a; }
* { box-sizing: border-box; }
body { font: 16px/1.6 system-ui, sans-serif; color: var(--ink); background: var(--back);
       margin: 0; }
main { max-width: 1140px; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
h1 { font-size: 1.9rem; letter-spacing: -.01em; margin: 0; }
h2 { font-size: 1.35rem; margin: 0 0 .35rem; } h3 { font-size: 1.02rem; margin: 2rem 0 .5rem; }
header p, p.note { color: var(--soft); margin: .25rem 0 0; }
section { background: #fff; border: 1px solid var(--line); border-radius: 12px;
          padding: 1.75rem 2rem; margin-top: 1.5rem; }
section > p { max-width: 75ch; } p.warn { border-left: 4px solid #c2703d; padding: .25rem 0 .25rem
          1rem; background: #fdf5ef; }
.tiles { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(165px, 1fr));
          margin-top: 1.5rem; }
.tile { background: #fff; border: 1px solid var(--line); border-radius: 12px;
        padding: 1rem 1.25rem; }
.tile b { display: block; font-size: 1.75rem; font-weight: 650; letter-spacing: -.02em;
          font-variant-numeric: tabular-nums; line-height: 1.3; }
.tile span { color: var(--soft); font-size: .86rem; }
.pair { display: grid; gap: 1.5rem; grid-template-columns: repeat(2, minmax(0, 1fr));
        margin-top: 1.25rem; }
@media (max-width: 760px) { .pair { grid-template-columns: minmax(0, 1fr); }
        section { padding: 1.25rem 1rem; } }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums;
        font-size: .92rem; margin-top: .75rem; }
th, td { text-align: right; padding: .45rem .5rem; border-bottom: 1px solid var(--line);
         white-space: nowrap; }
th { color: var(--soft); font-weight: 600; font-size: .82rem; white-space: normal;
     vertical-align: bottom; }
th:first-child, td:first-child { text-align: left; } tbody tr:last-child td { border-bottom: 0; }
td small, th small { color: var(--soft); display: block; font-size: .72rem; }
td.win { background: var(--win); font-weight: 600; }
tr.ours td:first-child { font-weight: 700; color: var(--ours); }
"""


def document(title: str, subtitle: str, body: str) -> str:
    """Return a page of its own; it needs no network."""
    from plotly.offline import get_plotlyjs

    return (
        f"<!doctype html>\n<html lang='en'><head><meta charset='utf-8'><title>{escape(title)}"
        f"</title><meta name='viewport' content='width=device-width'><style>{STYLE}</style>"
        f"<script>{get_plotlyjs()}</script></head><body><main><header><h1>{escape(title)}</h1>"
        f"<p>{escape(subtitle)}</p></header>{body}</main></body></html>\n"
    )


def section(title: str, *parts: str) -> str:
    """Return one card of the page."""
    return f"<section><h2>{escape(title)}</h2>{''.join(parts)}</section>"


def pair(*plots: str) -> str:
    """Return plots side by side."""
    return f"<div class='pair'>{''.join(plots)}</div>"


def tiles(figures: Sequence[tuple[str, str]]) -> str:
    """Return the figures that are looked at first: what is shown, and what it is."""
    cells = "".join(
        f"<div class='tile'><b>{escape(value)}</b><span>{escape(what)}</span></div>"
        for value, what in figures
    )
    return f"<div class='tiles'>{cells}</div>"


def called(metric: str, k: int | None = None) -> str:
    """Return how the page calls a metric."""
    drawn = metric.removeprefix("sampled_")
    name = NAMES.get(drawn, drawn.replace("_", " "))
    at = f"@{k}" if k else ""
    return f"{name}{at}" if drawn == metric else f"{name}{at}, sampled"


def table(
    rows: Sequence[EvaluationRow],
    metrics: Sequence[str],
    k: int | None,
    ours: str,
    optional: Collection[str] = (),
) -> str:
    """Return one line a model, the best of each column marked.

    Args:
        rows: The figures.
        metrics: The columns.
        k: Cut-off.
        ours: Our model.
        optional: Metrics that are not asked for where nobody has a value; all others are then not
            defined.
    """
    cells = {(r.model, r.metric): r for r in rows if r.metric in metrics and r.k == k}
    models = list(dict.fromkeys(model for model, _ in cells))
    found = {metric for _, metric in cells}
    shown = [metric for metric in metrics if metric in found or metric not in optional]
    best = {metric: _best(metric, cells) for metric in shown}
    head = "".join(f"<th>{called(metric, k)}</th>" for metric in shown)
    lines = []
    for model in models:
        values = "".join(_cell(cells.get((model, m)), model == best[m]) for m in shown)
        kind = " class='ours'" if model == ours else ""
        lines.append(f"<tr{kind}><td>{escape(model)}</td>{values}</tr>")
    top = f"<thead><tr><th>Model</th>{head}</tr></thead>"
    return f"<div class='wide'><table>{top}<tbody>{''.join(lines)}</tbody></table></div>"


def _best(metric: str, cells: Mapping[tuple[str, str], EvaluationRow]) -> str | None:
    values = {model: row.value for (model, name), row in cells.items() if name == metric}
    if len(values) < 2 or metric in NEITHER_IS_BETTER:
        return None
    if metric == "calibration":  # closest to 1
        return min(values, key=lambda model: abs(values[model] - 1))
    choose = min if metric in LOWER_IS_BETTER else max
    return choose(values, key=lambda model: values[model])


def _cell(row: EvaluationRow | None, wins: bool) -> str:
    if row is None:
        return "<td><small>not defined</small></td>"
    bounds = ""
    if row.ci_low is not None and row.ci_high is not None:
        bounds = f"<small>{number(row.ci_low)} … {number(row.ci_high)}</small>"
    return f"<td{' class=win' if wins else ''}>{number(row.value)}{bounds}</td>"


def number(value: float) -> str:
    """Return a figure with four decimals, or fewer where it is large."""
    return f"{value:.4f}" if abs(value) < 100 else f"{value:,.0f}"


def plot(
    figure: Any, title: str, xaxis: Mapping[str, Any], yaxis: Mapping[str, Any], height: int = 360
) -> str:
    """Return a plotly figure as a fragment of the page."""
    figure.update_layout(
        title={"text": title, "x": 0, "xanchor": "left", "font": {"size": 15}},
        font={"family": "system-ui, sans-serif", "color": INK},
        xaxis={"gridcolor": "#eef1f4", "zerolinecolor": "#dde3ea", "automargin": True, **xaxis},
        yaxis={"gridcolor": "#eef1f4", "zerolinecolor": "#dde3ea", "automargin": True, **yaxis},
        template="plotly_white",
        height=height,
        margin={"l": 10, "r": 20, "t": 48, "b": 40},
        legend={"orientation": "h", "y": -0.22},
        hoverlabel={"font": {"family": "system-ui, sans-serif"}},
    )
    config = {"responsive": True, "displayModeBar": False}
    return str(figure.to_html(full_html=False, include_plotlyjs=False, config=config))
