"""The evaluation as one self-contained HTML page."""

from collections.abc import Sequence
from html import escape

from reclife.config.evaluation import EvaluationConfig
from reclife.contracts import EvaluationReport, EvaluationRow, FeatureStats
from reclife.pipelines.evaluation import figures, look
from reclife.pipelines.evaluation.like import LikeResult
from reclife.pipelines.evaluation.lists import SAMPLED, UNKNOWN_AS_MISS, ListsResult
from reclife.pipelines.evaluation.rows import ALL, LISTS

DRAWN = "sampled_negatives"
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
    parts = [row for row in like.rows if row.slice.removeprefix(f"{DRAWN}:").count(":") == 1]
    parts = [row for row in parts if "over:" not in row.slice]
    return look.section(
        f"Will it happen: {like.task}?" if several else "Will this user like it?",
        f"<p>{_like_protocol(like, stats)}</p>",
        _like_warnings(stats, part),
        look.table(whole, LIKE_METRICS, None, like.model),
        look.pair(
            figures.bars(_metric(whole, "auc", None), "AUC", like.model),
            figures.bars(_metric(whole, "gauc", None), "GAUC", like.model),
        ),
        look.pair(figures.reliability(like, config.calibration_bins), figures.roc(like)),
        figures.by_slice(parts, "auc", None, like.model),
    )


def _lists(report: EvaluationReport, lists: ListsResult, config: EvaluationConfig) -> str:
    title, protocol = "What comes next?", f"<p>{_lists_protocol(lists, config)}</p>"
    if not lists.queries:
        return look.section(title, protocol)
    k, ours = config.k[0], lists.model
    rows = [row for row in report.rows if row.task == LISTS]
    whole = [row for row in rows if row.slice == ALL]
    missed = [row for row in rows if row.slice == UNKNOWN_AS_MISS]
    drawn = [row for row in rows if row.slice == SAMPLED]
    parts = [row for row in rows if ":" in row.slice and not row.slice.startswith("over:")]
    sections = [
        protocol,
        look.table(whole, LIST_METRICS, k, ours),
        look.pair(
            figures.bars(_metric(whole, "ndcg", k), f"NDCG@{k}", ours),
            figures.bars(_metric(whole, "recall", k), f"Recall@{k}", ours),
        ),
        figures.by_slice(parts, "ndcg", k, ours),
        "<h3>What the lists are like</h3><p>Coverage is the share of known items on at least one "
        "list; Gini how unequally the places are spread, 0 evenly; novelty the mean of "
        "-log2(share of users who met the item); diversity the mean distance of a list's pairs of "
        "items; repetition the share of a list that stood on the user's list before.</p>",
        look.table(whole, BEYOND, k, ours),
        look.pair(figures.trade_off(report, k, ours), figures.exposure(lists.exposure, ours)),
    ]
    if missed:
        sections += [
            "<h3>The same, what was unknown counted as a miss</h3>",
            look.table(missed, LIST_METRICS, k, ours),
        ]
    if drawn and config.sampled is not None:
        sections += [
            "<h3>Sampled metrics</h3><p class='warn'>The targets are ranked among "
            f"{config.sampled.negatives} drawn items only, the same for every model. Such figures "
            "are far above those of full ranking, and may order the models otherwise.</p>",
            look.table(drawn, [f"sampled_{metric}" for metric in LIST_METRICS], k, ours),
        ]
    return look.section(title, *sections)


def _whole(rows: Sequence[EvaluationRow]) -> str:
    return DRAWN if any(row.slice == DRAWN for row in rows) else ALL


def _metric(rows: Sequence[EvaluationRow], metric: str, k: int | None) -> list[EvaluationRow]:
    return [row for row in rows if row.metric == metric and row.k == k]


def _like_protocol(like: LikeResult, stats: FeatureStats) -> str:
    text = (
        f"Every one of the {len(like.labels):,} test events of {like.users:,} users, items that "
        f"were unknown before the test part included; {like.labels.mean():.1%} are likes. "
    )
    if like.unlabelled:
        text += f"{like.unlabelled:,} more have no label yet and are left out. "
    if stats.test_start is not None:
        text += (
            "The models are frozen at the start of the test part: what they know of an item ends "
            "there, what they know of a user ends just before the event. "
        )
    return text + (
        "Intervals are 95 %, by bootstrap over users. GAUC is the AUC within each user, weighted "
        "by events; a tie counts half. Normalized entropy is the logloss over that of the base "
        "rate: below 1 is better than knowing nothing else."
    )


def _like_warnings(stats: FeatureStats, part: str) -> str:
    text = ""
    if part == DRAWN:
        text += (
            "<p class='warn'>The negatives were drawn, not observed: these figures say how well a "
            "met item is told from a drawn one, and are not comparable with figures on observed "
            "dislikes.</p>"
        )
    if stats.leaking:
        text += (
            "<p class='warn'>The split is leaking: it is not by time, so training saw events later "
            "than some test events, and these figures flatter.</p>"
        )
    return text


def _lists_protocol(lists: ListsResult, config: EvaluationConfig) -> str:
    asked = config.queries
    if not lists.queries:
        return (
            f"No test user has {asked.min_history} earlier events, so no lists were asked for; see "
            "queries.min_history in the evaluation's parameters."
        )
    seen = "those already seen left out" if config.seen == "mask" else "those already seen too"
    targets = "all" if asked.targets == "all" else f"the next {asked.targets}"
    if lists.per_user:
        moment = (
            "one for each test user, after everything outside the test part; the targets are "
            f"{targets} items of the user's test part, and one that was unknown before it is missed"
        )
    else:
        moment = (
            f"seconds at which a test user has events and at least {asked.min_history} earlier "
            f"ones, at most {asked.max_per_user} a user, chosen by hash; the targets are "
            f"{targets} events with an item that is new to the user and was known before "
            "the test part"
        )
    text = (
        f"{lists.queries:,} queries of {lists.users:,} users: {moment}. All known items are "
        f"ranked, {seen}; ties count at their expected value. Values are averaged within users, "
        f"then over users. {lists.unknown_share:.1%} of what came next was unknown before the test "
        "part"
    )
    return escape(text) + ("." if lists.per_user else "; a second table counts it as missed.")
