"""Plots of the evaluation page, as HTML fragments that share one plotly script."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from reclife.contracts import EvaluationRow
from reclife.evaluation.like import LikeResult
from reclife.evaluation.look import (
    COLOURS,
    INK,
    NEUTRAL,
    OTHERS,
    OURS,
    SOFT,
    called,
    plot,
)
from reclife.metrics import calibration
from reclife.metrics.classification import curve

CURVE_POINTS = 400


def bars(rows: Sequence[EvaluationRow], title: str, ours: str) -> str:
    """Draw one bar a model with its interval, the best on top; nothing without a value."""
    from plotly import graph_objects as go

    if not rows:
        return ""
    ordered = sorted(rows, key=lambda row: row.value)
    values = [row.value for row in ordered]
    bar = go.Bar(
        x=values,
        y=[row.model for row in ordered],
        orientation="h",
        marker_color=[OURS if row.model == ours else OTHERS for row in ordered],
        error_x={**interval_bars(ordered), "color": INK, "thickness": 1.2},
        text=[f"{value:.4f}" for value in values],
        insidetextanchor="start",
    )
    return plot(go.Figure(bar), title, {}, {}, height=140 + 34 * len(values))


def differences(rows: Sequence[EvaluationRow], metric: str, k: int | None) -> str:
    """Draw how far our model is above each other one, with its paired interval."""
    from plotly import graph_objects as go

    fitting = [row for row in rows if row.metric == f"{metric}_difference" and row.k == k]
    if not fitting:
        return ""
    ordered = sorted(fitting, key=lambda row: -row.value)
    names = [row.slice.rpartition("over:")[2] for row in ordered]
    sure = [
        row.ci_low is not None and (row.ci_low > 0 or (row.ci_high or 0) < 0) for row in ordered
    ]
    figure = go.Figure(
        go.Scatter(
            x=[row.value for row in ordered],
            y=names,
            error_x={**interval_bars(ordered), "color": SOFT, "thickness": 1.6, "width": 0},
            mode="markers",
            marker={"color": [OURS if one else OTHERS for one in sure], "size": 10},
            hovertemplate="%{y}: %{x:+.4f}",
        )
    )
    figure.add_vline(x=0, line=NEUTRAL)
    title = f"{called(metric, k)} above the others, paired 95 % intervals"
    return plot(figure, title, {}, {}, height=140 + 34 * len(ordered))


def interval_bars(rows: Sequence[EvaluationRow]) -> dict[str, Any]:
    """Return plotly's error bars for the intervals of some rows, empty where there is none."""
    return {
        "type": "data",
        "array": [(r.value if r.ci_high is None else r.ci_high) - r.value for r in rows],
        "arrayminus": [r.value - (r.value if r.ci_low is None else r.ci_low) for r in rows],
    }


def roc(like: LikeResult) -> str:
    """Draw the share of likes against the share of dislikes above each score."""
    from plotly import graph_objects as go

    figure = go.Figure()
    for colour, (name, scores) in zip(COLOURS, like.scores.items(), strict=False):
        order = np.argsort(-scores, kind="stable")
        hits = np.cumsum(like.labels[order] > 0)
        misses = np.arange(1, len(order) + 1) - hits
        ordered = scores[order]
        last = np.append(np.flatnonzero(ordered[1:] != ordered[:-1]), len(order) - 1)  # ties as one
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


def precision_recall(like: LikeResult) -> str:
    """Draw the share of likes among the best rows against the share of all likes found there."""
    from plotly import graph_objects as go

    figure = go.Figure()
    total = max(float((like.labels > 0).sum()), 1.0)
    for colour, (name, scores) in zip(COLOURS, like.scores.items(), strict=False):
        found = curve(like.labels, scores)
        above = np.cumsum(found.ones)
        precision = above / (above + np.cumsum(found.zeros))
        shown = np.unique(np.linspace(0, len(above) - 1, CURVE_POINTS).astype(int))
        figure.add_scatter(
            x=(above[shown] / total).round(4).tolist(),
            y=precision[shown].round(4).tolist(),
            name=name,
            line_color=colour,
        )
    rate = float((like.labels > 0).mean()) if len(like.labels) else 0.0
    figure.add_scatter(x=[0, 1], y=[rate, rate], line=NEUTRAL, name="chance", mode="lines")
    axes = {"title": "recall", "range": [0, 1]}, {"title": "precision", "range": [0, 1.02]}
    return plot(figure, "Precision and recall", *axes)


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
    others = [
        row.model
        for row in fitting
        if row.model != ours and not row.model.startswith(f"{ours}+")  # not ours, calibrated
    ]
    best = max(set(others), key=lambda m: _mean(fitting, m), default=None)
    figure = go.Figure()
    for colour, model in ((OTHERS, best), (OURS, ours)):
        own = {_part(row): row for row in fitting if row.model == model}
        names = [name for name in slices if name in own]
        figure.add_scatter(
            x=[own[name].value for name in names],
            y=[said(name) for name in names],
            error_x={
                **interval_bars([own[name] for name in names]),
                "color": colour,
                "thickness": 1.6,
                "width": 0,
            },
            name=model,
            orientation="h",  # what scattermode groups by
            mode="markers",
            marker={"color": colour, "size": 9},
            customdata=[own[n].users for n in names],
            hovertemplate="%{y}: %{x:.4f}, %{customdata} users",
        )
    figure.update_layout(scattermode="group", scattergap=0.55)
    order = {"categoryorder": "array", "categoryarray": [said(n) for n in reversed(slices)]}
    height = 150 + 38 * len(slices)
    shown = [row for row in fitting if row.model in (best, ours)]
    low = min(row.value if row.ci_low is None else row.ci_low for row in shown)
    high = max(row.value if row.ci_high is None else row.ci_high for row in shown)
    margin = 0.04 * (high - low) or 0.01
    title = f"{called(metric, k)} by slice, 95 % intervals"
    return plot(figure, title, {"range": [low - margin, high + margin]}, order, height)


def _part(row: EvaluationRow) -> str:
    return row.slice.removeprefix("sampled_negatives:")


def said(part: str) -> str:
    """Return how the page calls a slice."""
    what, _, value = part.partition(":")
    known = {"earlier_events": f"{value} earlier events", "item": f"{value} item"}
    return known.get(what, f"{what.replace('_', ' ')} {value}")


def _mean(rows: Sequence[EvaluationRow], model: str) -> float:
    return float(np.mean([row.value for row in rows if row.model == model]))
