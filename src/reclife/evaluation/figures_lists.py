"""Plots of the lists, as HTML fragments."""

from collections.abc import Sequence

import numpy as np

from reclife.contracts import EvaluationReport, EvaluationRow
from reclife.evaluation.look import (
    COLOURS,
    NEUTRAL,
    OTHERS,
    OURS,
    SOFT,
    called,
    plot,
)


def by_k(rows: Sequence[EvaluationRow], metric: str, ours: str) -> str:
    """Draw a metric against the length of the list, with the interval of our model as a band."""
    from plotly import graph_objects as go

    figure = go.Figure()
    others = iter(COLOURS[1:])
    fitting = [row for row in rows if row.metric == metric]
    for model in dict.fromkeys(row.model for row in fitting):
        own = sorted((row for row in fitting if row.model == model), key=lambda row: row.k or 0)
        at, colour = [row.k for row in own], OURS if model == ours else next(others, OTHERS)
        bounds = [row for row in own if row.ci_low is not None and row.ci_high is not None]
        if model == ours and bounds:
            figure.add_scatter(
                x=[row.k for row in [*bounds, *bounds[::-1]]],
                y=[*(row.ci_low for row in bounds), *(row.ci_high for row in bounds[::-1])],
                fill="toself",
                fillcolor="rgba(26,127,90,.12)",
                line={"width": 0},
                hoverinfo="skip",
                showlegend=False,
                mode="lines",
            )
        figure.add_scatter(
            x=at,
            y=[row.value for row in own],
            name=model,
            mode="lines+markers",
            line={"color": colour, "width": 2},
        )
    return plot(figure, f"{called(metric)} by length of list", {"title": "K"}, {})


def trade_off(report: EvaluationReport, k: int, ours: str) -> str:
    """Draw NDCG against how known the listed items are: the price of a popular list."""
    from plotly import graph_objects as go

    rows = [r for r in report.rows if r.task == "lists" and r.slice == "all"]
    value = {(r.model, r.metric): r.value for r in rows if r.k == k}
    chosen = next((r.value for r in rows if r.metric == "popularity" and r.k is None), None)
    models = [m for m, metric in value if metric == "popularity"]
    figure = go.Figure(
        go.Scatter(
            x=[value[m, "popularity"] for m in models],
            y=[value.get((m, "ndcg")) for m in models],
            text=models,
            textposition=["top center" if n % 2 else "bottom center" for n in range(len(models))],
            mode="markers+text",
            marker={"size": 12, "color": [OURS if m == ours else OTHERS for m in models]},
            cliponaxis=False,
        )
    )
    if chosen is not None:
        figure.add_vline(
            x=chosen,
            line=NEUTRAL,
            annotation={"text": "what users chose", "font": {"size": 11, "color": SOFT}},
            annotation_position="bottom right",
        )
    axes = {"title": "users who met a listed item, mean"}, {"title": called("ndcg", k)}
    return plot(figure, "Accuracy against popularity", *axes)


def exposure(curves: dict[str, list[float]], ours: str) -> str:
    """Draw which share of all places the most listed items take (Lorenz, from the top)."""
    from plotly import graph_objects as go

    figure = go.Figure()
    others = iter(COLOURS[1:])
    for name, shares in curves.items():
        x = np.linspace(0, 1, len(shares))
        figure.add_scatter(
            x=x.round(4).tolist(),
            y=shares,
            name=name,
            line={"color": OURS if name == ours else next(others, OTHERS), "width": 2},
        )
    figure.add_scatter(x=[0, 1], y=[0, 1], line=NEUTRAL, name="evenly", mode="lines")
    axes = {"title": "share of known items, most listed first"}, {"title": "share of all places"}
    return plot(figure, "Who gets the places", *axes)
