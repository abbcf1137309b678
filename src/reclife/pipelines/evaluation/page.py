"""The evaluation as one self-contained HTML page."""

from html import escape

from reclife.config.evaluation import EvaluationConfig
from reclife.contracts import EvaluationReport, EvaluationRow, FeatureStats
from reclife.pipelines.evaluation import figures
from reclife.pipelines.evaluation.like import LikeResult
from reclife.pipelines.evaluation.lists import UNKNOWN_AS_MISS, ListsResult
from reclife.pipelines.evaluation.rows import ALL

SAMPLED = "sampled_negatives"
LOWER_IS_BETTER = ("logloss", "calibration_error")
LIKE_METRICS = ("auc", "gauc", "logloss", "calibration", "calibration_error")
LIST_METRICS = ("ndcg", "recall", "hit_rate", "mrr", "coverage")
NAMES = {
    "auc": "AUC",
    "gauc": "GAUC",
    "logloss": "Logloss",
    "calibration": "Predicted / observed",
    "calibration_error": "Calibration error",
    "ndcg": "NDCG",
    "recall": "Recall",
    "hit_rate": "Hit rate",
    "mrr": "MRR",
    "coverage": "Coverage",
}

STYLE = """
:root { color-scheme: light; --ink: #1c2733; --soft: #5b6b7b; --line: #dde3ea; --win: #e6f4ea; }
body { font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: #fff;
       max-width: 1080px; margin: 2rem auto; padding: 0 1.25rem; }
h1 { font-size: 1.7rem; margin-bottom: 0; } h2 { font-size: 1.25rem; margin-top: 2.5rem; }
p.note { color: var(--soft); } .pair { display: grid; gap: 1rem;
       grid-template-columns: repeat(2, minmax(0, 1fr)); margin-top: 1rem; }
@media (max-width: 760px) { .pair { grid-template-columns: minmax(0, 1fr); } }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .4rem .6rem; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; } th { color: var(--soft); font-weight: 600; }
td small { color: var(--soft); display: block; } td.win { background: var(--win);
       font-weight: 600; } tr.ours td:first-child { font-weight: 700; }
"""


def render(
    report: EvaluationReport,
    like: LikeResult,
    lists: ListsResult,
    stats: FeatureStats,
    config: EvaluationConfig,
) -> str:
    """Return the page; it needs no network."""
    from plotly.offline import get_plotlyjs

    k = config.k[0]
    part = SAMPLED if any(row.slice == SAMPLED for row in report.rows) else ALL
    ranked = f"{next((r.model for r in reversed(lists.rows) if '+' in r.model), like.model)}"
    sections = [
        f"<h1>Evaluation</h1><p class='note'>Run {escape(report.run_id)}</p>",
        f"<h2>Will this user like it?</h2><p>{_like_protocol(like, stats, part)}</p>",
        _table(_select(report, "like", part), LIKE_METRICS, None, like.model),
        _pair(
            figures.bars(_metric(report, "like", part, "auc", None), "AUC", like.model),
            figures.bars(_metric(report, "like", part, "gauc", None), "GAUC", like.model),
        ),
        _pair(figures.roc(like), figures.reliability(like, config.calibration_bins)),
        figures.activity(report, like.model),
        f"<h2>What comes next?</h2><p>{_lists_protocol(lists, stats, config)}</p>",
        _table(_select(report, "lists", ALL), LIST_METRICS, k, ranked),
        _pair(
            figures.bars(_metric(report, "lists", ALL, "ndcg", k), f"NDCG@{k}", ranked),
            figures.bars(_metric(report, "lists", ALL, "recall", k), f"Recall@{k}", ranked),
        ),
        "<h2>The same, what was unknown counted as a miss</h2>",
        _table(_select(report, "lists", UNKNOWN_AS_MISS), LIST_METRICS[:-1], k, ranked),
    ]
    body = "\n".join(sections)
    return (
        "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'><title>Evaluation</title>"
        f"<meta name='viewport' content='width=device-width'><style>{STYLE}</style>"
        f"<script>{get_plotlyjs()}</script></head><body>{body}</body></html>\n"
    )


def _pair(*plots: str) -> str:
    return f"<div class='pair'>{''.join(plots)}</div>"


def _select(report: EvaluationReport, task: str, part: str) -> list[EvaluationRow]:
    return [row for row in report.rows if row.task == task and row.slice == part]


def _metric(
    report: EvaluationReport, task: str, part: str, metric: str, k: int | None
) -> list[EvaluationRow]:
    return [row for row in _select(report, task, part) if row.metric == metric and row.k == k]


def _table(rows: list[EvaluationRow], metrics: tuple[str, ...], k: int | None, ours: str) -> str:
    """Return one line a model, the best of each column marked."""
    cells = {(r.model, r.metric): r for r in rows if r.metric in metrics and r.k == k}
    models = list(dict.fromkeys(model for model, _ in cells))
    best = {metric: _best(metric, cells) for metric in metrics}
    at = f"@{k}" if k else ""
    head = "".join(f"<th>{NAMES[metric]}{at}</th>" for metric in metrics)
    lines = []
    for model in models:
        values = "".join(_cell(cells.get((model, m)), model == best[m]) for m in metrics)
        kind = " class='ours'" if model == ours else ""
        lines.append(f"<tr{kind}><td>{escape(model)}</td>{values}</tr>")
    top = f"<thead><tr><th>Model</th>{head}</tr></thead>"
    return f"<table>{top}<tbody>{''.join(lines)}</tbody></table>"


def _best(metric: str, cells: dict[tuple[str, str], EvaluationRow]) -> str | None:
    values = {model: row.value for (model, name), row in cells.items() if name == metric}
    if not values:
        return None
    if metric == "calibration":  # closest to 1
        return min(values, key=lambda model: abs(values[model] - 1))
    choose = min if metric in LOWER_IS_BETTER else max
    return choose(values, key=lambda model: values[model])


def _cell(row: EvaluationRow | None, wins: bool) -> str:
    if row is None:
        return "<td></td>"
    bounds = "" if row.ci_low is None else f"<small>{row.ci_low:.4f} … {row.ci_high:.4f}</small>"
    return f"<td{' class=win' if wins else ''}>{row.value:.4f}{bounds}</td>"


def _like_protocol(like: LikeResult, stats: FeatureStats, part: str) -> str:
    text = (
        f"Every one of the {len(like.labels):,} test events of {like.users:,} users, items that "
        f"were unknown before the test part included; {like.labels.mean():.1%} are likes. The "
        "models are frozen at the start of the test part: what they know of an item ends there, "
        "what they know of a user ends just before the event. Intervals are 95 %, by bootstrap "
        "over users. GAUC is the AUC within each user, weighted by events; a tie counts half."
    )
    if part == SAMPLED:
        text += (
            " <b>The data holds no dislikes: the negatives were drawn at random, so these figures "
            "say how well a met item is told from a random one, and are not comparable with "
            "figures on observed dislikes.</b>"
        )
    if stats.leaking:
        text += (
            " <b>The split is not by time: training saw events later than some test events, so "
            "these figures flatter.</b>"
        )
    return text


def _lists_protocol(lists: ListsResult, stats: FeatureStats, config: EvaluationConfig) -> str:
    asked = config.queries
    if not lists.queries:
        return (
            f"No test user has {asked.min_history} earlier events, so no lists were asked for; see "
            "queries.min_history in the evaluation's parameters."
        )
    if stats.test_start is None:
        moment = "one moment a user, history from training, targets from test"
    else:
        moment = (
            f"seconds at which a test user has events and at least {asked.min_history} earlier "
            f"ones, at most {asked.max_per_user} a user, chosen by hash; the targets are the next "
            f"{asked.targets} events with an item that is new to the user and was known before "
            "the test part"
        )
    return (
        f"{lists.queries:,} queries of {lists.users:,} users: {moment}. All known items are "
        "ranked, those already seen left out; ties count at their expected value. Values are "
        f"averaged within users, then over users. {lists.unknown_share:.1%} of what came next was "
        "unknown before the test part; a second table counts it as missed."
    )
