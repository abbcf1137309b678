"""Plots of the evaluation page, as HTML fragments that share one plotly script."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from reclife.contracts import EvaluationReport, EvaluationRow
from reclife.metrics import calibration
from reclife.pipelines.evaluation.like import LikeResult

OURS, OTHERS, INK = "#1a7f5a", "#8fa3b8", "#1c2733"
COLOURS = ("#1a7f5a", "#c2703d", "#4a6fa5", "#8d6cab", "#7a7a7a")
CURVE_POINTS = 400


def bars(rows: Sequence[EvaluationRow], title: str, ours: str) -> str:
    """Draw one bar a model with its interval, the best on top."""
    from plotly import graph_objects as go

    ordered = sorted(rows, key=lambda row: row.value)
    values = [row.value for row in ordered]
    high = [(row.ci_high or row.value) - row.value for row in ordered]
    low = [row.value - (row.ci_low or row.value) for row in ordered]
    bar = go.Bar(
        x=values,
        y=[row.model for row in ordered],
        orientation="h",
        marker_color=[OURS if row.model == ours else OTHERS for row in ordered],
        error_x={"type": "data", "array": high, "arrayminus": low, "color": INK},
        text=[f"{value:.4f}" for value in values],
        insidetextanchor="start",
    )
    return _html(go.Figure(bar), title, {}, {})


def roc(like: LikeResult) -> str:
    """Draw the share of likes against the share of dislikes above each score."""
    from plotly import graph_objects as go

    figure = go.Figure()
    for colour, (name, scores) in zip(COLOURS, like.scores.items(), strict=False):
        order = np.argsort(-scores, kind="stable")
        hits = np.cumsum(like.labels[order] > 0)
        misses = np.arange(1, len(order) + 1) - hits
        last = np.append(np.flatnonzero(np.diff(scores[order])), len(order) - 1)  # ties as one step
        shown = last[np.unique(np.linspace(0, len(last) - 1, CURVE_POINTS).astype(int))]
        x = np.append(0.0, misses[shown] / max(misses[-1], 1))
        y = np.append(0.0, hits[shown] / max(hits[-1], 1))
        figure.add_scatter(
            x=x.round(4).tolist(), y=y.round(4).tolist(), name=name, line_color=colour
        )
    figure.add_scatter(x=[0, 1], y=[0, 1], line={"dash": "dot", "color": "#bbb"}, name="chance")
    return _html(
        figure, "ROC", {"title": "share of dislikes above"}, {"title": "share of likes above"}
    )


def reliability(like: LikeResult, bins: int) -> str:
    """Draw observed against predicted share of likes."""
    from plotly import graph_objects as go

    figure = go.Figure()
    for colour, (name, scores) in zip(COLOURS, like.scores.items(), strict=False):
        found = calibration.reliability(like.labels, np.clip(scores, 0.0, 1.0), bins)
        some = found.events > 0
        figure.add_scatter(
            x=found.predicted[some].round(4).tolist(),
            y=found.observed[some].round(4).tolist(),
            name=name,
            mode="lines+markers",
            line_color=colour,
            customdata=found.events[some].astype(int).tolist(),
            hovertemplate="predicted %{x}, observed %{y}, %{customdata} events",
        )
    figure.add_scatter(x=[0, 1], y=[0, 1], line={"dash": "dot", "color": "#bbb"}, name="perfect")
    axes = {"title": "predicted", "range": [0, 1]}, {"title": "observed", "range": [0, 1]}
    return _html(figure, "Reliability", *axes)


def activity(report: EvaluationReport, ours: str) -> str:
    """Draw the AUC by the user's number of earlier events and by what was known of the item."""
    from plotly import graph_objects as go

    rows = [r for r in report.rows if r.metric == "auc" and _part(r).startswith(tuple(_PARTS))]
    models = list(dict.fromkeys(row.model for row in rows))
    figure = go.Figure()
    for colour, model in zip(COLOURS, sorted(models, key=lambda m: m != ours), strict=False):
        own = [row for row in rows if row.model == model]
        figure.add_scatter(
            x=[_said(_part(row)) for row in own],
            y=[row.value for row in own],
            name=model,
            mode="markers",
            marker={"color": colour, "size": 10},
        )
    figure.add_hline(y=0.5, line={"dash": "dot", "color": "#bbb"}, annotation_text="chance")
    figure.update_layout(scattermode="group", scattergap=0.6)
    values = [row.value for row in rows] or [0.5]
    shown = {"range": [min(0.5, *values) - 0.05, max(values) + 0.05]}
    return _html(figure, "AUC by the user's activity and the item", {}, shown)


_PARTS = {"earlier_events:": "{} earlier events", "item:": "item {}"}
"""Slices by the beginning of their name, and how the page calls them."""


def _part(row: EvaluationRow) -> str:
    return row.slice.removeprefix("sampled_negatives:")


def _said(part: str) -> str:
    start, _, rest = part.partition(":")
    return _PARTS[f"{start}:"].format(rest)


def _html(figure: Any, title: str, xaxis: dict[str, Any], yaxis: dict[str, Any]) -> str:
    figure.update_layout(
        title={"text": title, "x": 0, "xanchor": "left", "font": {"size": 15}},
        font={"family": "system-ui, sans-serif", "color": INK},
        xaxis=xaxis,
        yaxis=yaxis,
        template="plotly_white",
        height=360,
        margin={"l": 10, "r": 20, "t": 50, "b": 40},
        yaxis_automargin=True,
        legend={"orientation": "h", "y": -0.2},
    )
    config = {"responsive": True, "displayModeBar": False}
    return str(figure.to_html(full_html=False, include_plotlyjs=False, config=config))
