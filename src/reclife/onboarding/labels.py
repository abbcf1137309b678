"""Decides which interactions count as positive."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import final

from reclife.config.labels import AllPositiveLabel, EventLabel, ThresholdLabel
from reclife.errors import DataError
from reclife.onboarding.names import strength
from reclife.onboarding.profile import Column, Profile
from reclife.onboarding.roles import FEW, require

MOST_EVENTS = 15
"""Different values that an event column has at most."""
_WEAK_EVENTS = {
    *("view", "impression", "show", "skip", "dislike", "expose", "exposure", "hide", "display"),
    *("浏览", "曝光", "展示", "查看", "踩", "閲覧", "表示", "조회", "노출", "anzeige", "affichage"),
    *(
        "pv",
        "pageview",
        "detail",
        "remove",
        "unlike",
        "return",
        "refund",
        "vue",
        "vista",
        "ansicht",
    ),
}
_GOOD_EVENTS = {
    *("buy", "purchase", "order", "transaction", "checkout", "paid", "like", "love", "favorite"),
    *("favourite", "fav", "cart", "addtocart", "save", "bookmark", "share", "subscribe", "play"),
    *(
        "购买",
        "下单",
        "支付",
        "收藏",
        "加购",
        "点赞",
        "喜欢",
        "分享",
        "購入",
        "お気に入り",
        "いいね",
    ),
    *("구매", "찜", "좋아요", "kauf", "gekauft", "merken", "achat", "panier", "favori", "compra"),
    *("comprar", "carrito", "favorito", "acquisto", "carrello", "купить", "покупка", "корзина"),
}
_MIDDLE_EVENTS = {"click", "clicks", "点击", "クリック", "클릭", "klick", "clic", "клик", "watch"}


@final
@dataclass(frozen=True)
class Label:
    """The rule, the source column behind it, and what speaks for it."""

    rule: AllPositiveLabel | EventLabel | ThresholdLabel
    source: str | None
    seen: str
    otherwise: str

    @property
    def canonical(self) -> str | None:
        """Name of the label's column among the canonical ones, if it has one."""
        return None if isinstance(self.rule, AllPositiveLabel) else self.rule.column

    @property
    def words(self) -> str:
        """What counts as liked, in words."""
        match self.rule:
            case ThresholdLabel(at_least=limit):
                return f"{self.source} at least {limit:g}"
            case EventLabel(positive=positive):
                return f"{self.source} is {' or '.join(positive)}"
            case AllPositiveLabel():
                return "every row"


def find_label(
    profile: Profile,
    taken: Collection[str],
    column: str | None,
    at_least: float | None,
    positive: Sequence[str],
) -> Label:
    """Return the label rule, from the options where they say it.

    Raises:
        DataError: The column does not exist or does not say which values are positive.
    """
    named = require(profile, column, "--label-column") if column is not None else None
    chosen = named or _choose(profile, taken)
    if chosen is None:
        return _all_positive("no column of ratings or events was found")
    if positive:
        return _event(chosen, tuple(positive), "as the options say")
    if at_least is not None:
        return _threshold(chosen, at_least, "as the options say")
    if chosen.numbers:
        return _from_numbers(chosen)
    return _from_texts(chosen)


def _choose(profile: Profile, taken: Collection[str]) -> Column | None:
    columns = [column for name, column in profile.columns.items() if name not in taken]
    few = [column for column in columns if 1 <= column.distinct <= 101]
    for role in ("rating", "event", "count"):
        named = [column for column in few if strength(column.name, role)]
        if named:
            return max(named, key=lambda column: (strength(column.name, role), -column.distinct))
    plain = [column for column in few if 1 < column.distinct <= FEW and column.numbers]
    small = [column for column in plain if min(column.numbers) >= 0 and max(column.numbers) <= 100]
    events = [column for column in few if column.distinct <= MOST_EVENTS and _known(column)]
    return next(iter([*events, *small]), None)


def _known(column: Column) -> bool:
    values = {value.strip().casefold() for value in column.values}
    return bool(values & (_GOOD_EVENTS | _MIDDLE_EVENTS | _WEAK_EVENTS))


def _from_numbers(column: Column) -> Label:
    numbers = sorted(column.numbers)
    low, high = numbers[0], numbers[-1]
    if low == high or (low >= 1 and strength(column.name, "count")):
        return _all_positive(f"every {column.name!r} is at least {low:g}")
    if {low, high} <= {-1.0, 0.0, 1.0}:
        return _threshold(column, 1.0, f"its values are {_listed(column)}")
    wanted = low + 0.7 * (high - low)
    at_least = next(number for number in numbers if number >= wanted - 1e-9)
    share = sum(number >= at_least for number in numbers) / len(numbers)
    if not 0.02 <= share <= 0.98:
        at_least = numbers[len(numbers) // 2]
        at_least = at_least if at_least > low else next(n for n in numbers if n > low)
    share = sum(number >= at_least for number in numbers) / len(numbers)
    comma = ", with a decimal comma" if column.decimal == "," else ""
    seen = f"{low:g} to {high:g}{comma}; {share:.0%} of the rows sampled are at least {at_least:g}"
    return _threshold(column, at_least, seen)


def _from_texts(column: Column) -> Label:
    if column.distinct <= 1:
        return _all_positive(f"column {column.name!r} has one value only")
    folded = {value: value.strip().casefold() for value in column.values}
    for good in (_GOOD_EVENTS, _GOOD_EVENTS | _MIDDLE_EVENTS):
        positive = tuple(sorted(value for value, word in folded.items() if _is(word, good)))
        if 0 < len(positive) < len(folded):
            return _event(column, positive, f"its values are {_listed(column)}")
    if all(_is(word, _GOOD_EVENTS | _MIDDLE_EVENTS) for word in folded.values()):
        return _all_positive(f"every value of {column.name!r} is a positive one: {_listed(column)}")
    raise DataError(
        f"Column {column.name!r} holds {_listed(column)}; say which of them are positive by "
        "--positive, or another column by --label-column."
    )


def _is(word: str, known: Collection[str]) -> bool:
    if word in known:
        return True
    parts = word.replace("-", "_").replace(" ", "_").split("_")
    return any(part in known for part in parts) and not any(p in _WEAK_EVENTS for p in parts)


def _listed(column: Column) -> str:
    counts = Counter(column.sample).most_common(MOST_EVENTS)
    return ", ".join(f"{value} ({count:,})" for value, count in counts)


def _threshold(column: Column, at_least: float, seen: str) -> Label:
    if not column.numbers:
        raise DataError(f"--at-least needs a numeric column, but {column.name!r} holds texts.")
    rule = ThresholdLabel(kind="threshold", column="rating", at_least=at_least)
    return Label(rule, column.name, seen, "another value, or {kind: event, ...} for texts")


def _event(column: Column, positive: tuple[str, ...], seen: str) -> Label:
    unknown = sorted(set(positive) - column.values)
    if unknown:
        raise DataError(
            f"--positive names {', '.join(map(repr, unknown))}, but column {column.name!r} holds "
            f"{_listed(column)}."
        )
    rule = EventLabel(kind="event", column="event", positive=positive)
    return Label(rule, column.name, seen, "other values of the column")


def _all_positive(seen: str) -> Label:
    rule = AllPositiveLabel(kind="all_positive")
    return Label(rule, None, seen, "{kind: threshold | event, column: ...}")
