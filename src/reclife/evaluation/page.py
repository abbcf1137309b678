"""The evaluation as one self-contained HTML page."""

from collections.abc import Sequence

from reclife.config.evaluated import LISTS
from reclife.config.evaluation import EvaluationConfig
from reclife.contracts import EvaluationReport, EvaluationRow, FeatureStats
from reclife.evaluation import figures, figures_lists, look, protocol
from reclife.evaluation.like import LikeResult
from reclife.evaluation.lists import SAMPLED, UNKNOWN_AS_MISS, ListsResult
from reclife.evaluation.rows import ALL, DIFFERENCE, DRAWN

LIKE_METRICS = (
    "auc",
    "gauc",
    "pr_auc",
    "logloss",
    "normalized_entropy",
    "calibration",
    "calibration_error",
)
LIST_METRICS = ("ndcg", "graded_ndcg", "recall", "precision", "hit_rate", "mrr", "map")
BEYOND = ("coverage", "gini", "novelty", "popularity", "diversity", "repetition")


def render(
    report: EvaluationReport,
    likes: Sequence[LikeResult],
    lists: ListsResult,
    stats: FeatureStats,
    config: EvaluationConfig,
) -> str:
    """Return the page; it needs no network."""
    body = [_headline(likes, lists, config)]
    body += [_like(like, stats, config, len(likes) > 1) for like in likes]
    body.append(_lists(report, lists, config))
    return look.document("Evaluation", f"Run {report.run_id}", "\n".join(body))


def _headline(
    likes: Sequence[LikeResult],
    lists: ListsResult,
    config: EvaluationConfig,
) -> str:
    """Return the few figures that are looked at first."""
    found: list[tuple[str, str]] = []
    for like in likes:
        part = _whole(like.rows)
        for metric in ("auc", "gauc", "logloss"):
            found += _tile(like.rows, part, like.model, metric, None, like.task)
    k = config.k[0]
    for metric in ("ndcg", "recall"):
        found += _tile(lists.rows, ALL, lists.model, metric, k, lists.model)
    return look.tiles(found)


def _tile(
    rows: Sequence[EvaluationRow], part: str, model: str, metric: str, k: int | None, of: str
) -> list[tuple[str, str]]:
    return [
        (look.number(row.value), f"{look.called(metric, k)}, {of}")
        for row in rows
        if (row.slice, row.model, row.metric, row.k) == (part, model, metric, k)
    ]


def _like(like: LikeResult, stats: FeatureStats, config: EvaluationConfig, several: bool) -> str:
    part = _whole(like.rows)
    whole = [row for row in like.rows if row.slice == part]
    parts = _parts(like.rows, (part,))
    return look.section(
        f"Will it happen: {like.task}?" if several else "Will this user like it?",
        f"<p>{protocol.of_events(like, stats)}</p>",
        protocol.warnings(stats, part),
        protocol.of_calibration(like, config),
        look.table(whole, LIKE_METRICS, None, like.model),
        *(
            look.pair(
                figures.bars(_metric(whole, metric, None), look.called(metric), like.model),
                figures.differences(like.rows, metric, None),
            )
            for metric in ("auc", "gauc")
        ),
        look.pair(figures.roc(like), figures.precision_recall(like)),
        figures.reliability(like, config.calibration_bins),
        figures.by_slice(parts, "auc", None, like.model),
    )


def _lists(report: EvaluationReport, lists: ListsResult, config: EvaluationConfig) -> str:
    title, said = "What comes next?", f"<p>{protocol.of_lists(lists, config)}</p>"
    if not lists.queries:
        return look.section(title, said)
    k, ours = config.k[0], lists.model
    rows = [row for row in report.rows if row.task == LISTS]
    whole = [row for row in rows if row.slice == ALL]
    missed = [row for row in rows if row.slice == UNKNOWN_AS_MISS]
    drawn = [row for row in rows if row.slice == SAMPLED]
    parts = _parts(rows, (ALL, SAMPLED, UNKNOWN_AS_MISS))
    sections = [
        said,
        look.table(whole, LIST_METRICS, k, ours, ("graded_ndcg",)),
        *(
            look.pair(
                figures.bars(_metric(whole, metric, k), look.called(metric, k), ours),
                figures.differences(rows, metric, k),
            )
            for metric in ("ndcg", "recall")
        ),
        *_by_k(whole, config, ours),
        figures.by_slice(parts, "ndcg", k, ours),
        "<h3>What the lists are like</h3><p>Coverage is the share of known items on at least one "
        "list; Gini how unequally the places are spread, 0 evenly; novelty the mean of "
        "-log2(share of users who met the item); diversity the mean distance of a list's pairs of "
        "items; repetition the share of a list that stood on the user's list before.</p>",
        look.table(whole, BEYOND, k, ours, ("repetition",)),
        look.pair(
            figures_lists.trade_off(report, k, ours), figures_lists.exposure(lists.exposure, ours)
        ),
    ]
    if missed:
        sections += [
            "<h3>The same, what was unknown counted as a miss</h3>",
            look.table(missed, LIST_METRICS, k, ours, ("graded_ndcg",)),
        ]
    if drawn and config.sampled is not None:
        names = [f"sampled_{metric}" for metric in LIST_METRICS]
        sections += [
            "<h3>Sampled metrics</h3><p class='warn'>The targets are ranked among "
            f"{config.sampled.negatives} drawn items only, the same for every model. Such figures "
            "are far above those of full ranking, and may order the models otherwise.</p>",
            look.table(drawn, names, k, ours, ("sampled_graded_ndcg",)),
        ]
    return look.section(title, *sections)


def _by_k(rows: Sequence[EvaluationRow], config: EvaluationConfig, ours: str) -> list[str]:
    """Return the other lengths of list, where some are declared."""
    if len(config.k) < 2:
        return []
    others = [look.table(rows, LIST_METRICS, k, ours, ("graded_ndcg",)) for k in config.k[1:]]
    plots = [figures_lists.by_k(rows, metric, ours) for metric in ("ndcg", "recall")]
    return [*others, look.pair(*plots)]


def _whole(rows: Sequence[EvaluationRow]) -> str:
    return DRAWN if any(row.slice == DRAWN for row in rows) else ALL


def _parts(rows: Sequence[EvaluationRow], wholes: Sequence[str]) -> list[EvaluationRow]:
    """Return the rows of declared slices."""
    return [r for r in rows if r.slice not in wholes and not r.metric.endswith(DIFFERENCE)]


def _metric(rows: Sequence[EvaluationRow], metric: str, k: int | None) -> list[EvaluationRow]:
    return [row for row in rows if row.metric == metric and row.k == k]
