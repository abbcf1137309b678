"""Plots of the evaluation page, as HTML fragments that share one plotly script."""

from collections.abc import Sequence

import numpy as np

from reclife.contracts import EvaluationReport, EvaluationRow
from reclife.metrics import calibration
from reclife.pipelines.evaluation.like import LikeResult
from reclife.pipelines.evaluation.look import (
    COLOURS,
    INK,
    NEUTRAL,
    OTHERS,
    OURS,
    SOFT,
    called,
    plot,
)

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
        error_x={"type": "data", "array": high, "arrayminus": low, "color": INK, "thickness": 1.2},
        text=[f"{value:.4f}" for value in values],
        insidetextanchor="start",
    )
    return plot(go.Figure(bar), title, {}, {}, height=140 + 34 * len(values))


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
    figure.add_scatter(x=[0, 1], y=[0, 1], line=NEUTRAL, name="chance", mode="lines")
    return plot(
        figure, "ROC", {"title": "share of dislikes above"}, {"title": "share of likes above"}
    )


def reliability(like: LikeResult, bins: int) -> str:
    """Draw observed against predicted share of likes, and how many events each point stands for."""
    from plotly import graph_objects as go

    figure = go.Figure()
    for colour, (name, scores) in zip(COLOURS, like.scores.items(), strict=False):
        found = calibration.reliability(like.labels, np.clip(scores, 0.0, 1.0), bins)
        some = found.events > 0
        share = np.sqrt(found.events[some] / found.events.max())
        figure.add_scatter(
            x=found.predicted[some].round(4).tolist(),
            y=found.observed[some].round(4).tolist(),
            name=name,
            mode="lines+markers",
            line={"color": colour, "width": 1.5},
            marker={"color": colour, "size": (4 + 10 * share).round(1).tolist()},
            customdata=found.events[some].astype(int).tolist(),
            hovertemplate="predicted %{x}, observed %{y}, %{customdata} events",
        )
    figure.add_scatter(x=[0, 1], y=[0, 1], line=NEUTRAL, name="perfect", mode="lines")
    axes = {"title": "predicted", "range": [0, 1]}, {"title": "observed", "range": [0, 1]}
    return plot(figure, "Reliability; a point's size is its share of events", *axes)


def by_slice(rows: Sequence[EvaluationRow], metric: str, k: int | None, ours: str) -> str:
    """Draw a metric of every slice with its intervals, our model beside the best other one."""
    from plotly import graph_objects as go

    fitting = [row for row in rows if row.metric == metric and row.k == k]
    slices = list(dict.fromkeys(_part(row) for row in fitting))
    if not slices:
        return ""
    others = [row.model for row in fitting if row.model != ours]
    best = max(set(others), key=lambda m: _mean(fitting, m), default=None)
    figure = go.Figure()
    for colour, model in ((OTHERS, best), (OURS, ours)):
        own = {_part(row): row for row in fitting if row.model == model}
        names = [name for name in slices if name in own]
        figure.add_scatter(
            x=[own[name].value for name in names],
            y=[said(name) for name in names],
            error_x={
                "type": "data",
                "array": [(own[n].ci_high or own[n].value) - own[n].value for n in names],
                "arrayminus": [own[n].value - (own[n].ci_low or own[n].value) for n in names],
                "color": colour,
                "thickness": 1.6,
                "width": 0,
            },
            name=model,
            mode="markers",
            marker={"color": colour, "size": 9},
            customdata=[own[n].users for n in names],
            hovertemplate="%{y}: %{x:.4f}, %{customdata} users",
        )
    figure.update_layout(scattermode="group", scattergap=0.55)
    order = {"categoryorder": "array", "categoryarray": [said(n) for n in reversed(slices)]}
    height = 150 + 38 * len(slices)
    return plot(figure, f"{called(metric, k)} by slice, 95 % intervals", {}, order, height)


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
            textposition="top center",
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


def _part(row: EvaluationRow) -> str:
    return row.slice.removeprefix("sampled_negatives:")


def said(part: str) -> str:
    """Return how the page calls a slice."""
    what, _, value = part.partition(":")
    known = {"earlier_events": f"{value} earlier events", "item": f"{value} item"}
    return known.get(what, f"{what.replace('_', ' ')} {value}")


def _mean(rows: Sequence[EvaluationRow], model: str) -> float:
    return float(np.mean([row.value for row in rows if row.model == model]))
