"""The sentences of the evaluation page: what was measured, on what, and what to beware of."""

from html import escape

import numpy as np

from reclife.config.evaluation import EvaluationConfig
from reclife.contracts import FeatureStats
from reclife.evaluation.like import LikeResult
from reclife.evaluation.lists import ListsResult
from reclife.evaluation.rows import DRAWN


def of_events(like: LikeResult, stats: FeatureStats) -> str:
    """Return how the events of one task were measured."""
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
        "rate: below 1 is better than knowing nothing else. What needs both labels is not defined "
        "where there is one only."
    )


def of_calibration(like: LikeResult, config: EvaluationConfig) -> str:
    """Return what the calibrated model is, as a paragraph; nothing where none is declared."""
    if config.calibration is None:
        return ""
    return (
        f"<p>{escape(like.model)}+{config.calibration} is the same model with its chances mapped "
        "by what was fitted on the validation part; scoring shows the mapped chance where the "
        "model alone ranks.</p>"
    )


def warnings(stats: FeatureStats, part: str) -> str:
    """Return what makes the figures flatter, as paragraphs of the page."""
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


def of_lists(lists: ListsResult, config: EvaluationConfig) -> str:
    """Return how the lists were asked for and measured."""
    asked = config.queries
    if not lists.queries:
        return (
            f"No test user has {asked.min_history} earlier events, so no lists were asked for; see "
            "queries.min_history in the evaluation's parameters."
        )
    seen = "those already seen left out" if config.seen == "mask" else "those already seen too"
    new = "is new to the user and " if config.seen == "mask" else ""
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
            f"{targets} events with an item that {new}was known before the test part"
        )
    text = (
        f"{lists.queries:,} queries of {lists.users:,} users: {moment}. All known items are "
        f"ranked, {seen}; ties count at their expected value. {lists.model} orders the best "
        f"{config.rerank.candidates} candidates of its source and lists no others, the model "
        f"having {config.rerank.weight:.0%} of the say. Values are averaged within users, "
        "then over users. "
    )
    if np.isnan(lists.unknown_share):
        return escape(text) + "Nothing new came next, so no metric of the lists is defined."
    text += f"{lists.unknown_share:.1%} of what came next was unknown before the test part"
    return escape(text) + ("." if lists.per_user else "; a second table counts it as missed.")
