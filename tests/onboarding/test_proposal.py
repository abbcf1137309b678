"""Which column is what: by names in many languages, by content, and when to ask."""

import random
from pathlib import Path

import pytest
from tests.fixtures import worlds
from tests.fixtures.worlds import write_rows

from reclife.errors import DataError
from reclife.onboarding import Request, propose
from reclife.onboarding.names import strength
from reclife.onboarding.proposal import Proposal


def ratings(folder: Path, header: tuple[str, ...] | None, order: tuple[int, ...] = (0, 1, 2, 3)):
    """User, item, rating, epoch seconds, in the given order of columns."""
    made = worlds.world(5)
    rows = [(e.user + 1, e.item + 500, e.rating, int(e.when.timestamp())) for e in made.events]
    shuffled = [tuple(row[i] for i in order) for row in rows]
    named = [tuple(header[i] for i in order)] if header else []
    return write_rows(folder / "data.csv", [*named, *shuffled])


def mapping(proposal: Proposal) -> tuple[str | None, ...]:
    roles = proposal.roles
    time = roles.time.column if roles.time else None
    return roles.user.column, roles.item.column, proposal.label.source, time


HEADERS = [
    ("userId", "movieId", "rating", "timestamp"),
    ("user_id:token", "item_id:token", "rating:float", "timestamp:float"),
    ("reviewerID", "asin", "overall", "unixReviewTime"),
    ("用户", "商品", "评分", "时间"),
    ("会员编号", "图书编号", "打分", "评分日期"),
    ("Kundennummer", "Artikelnummer", "Bewertung", "Zeitpunkt"),
    ("utilisateur", "produit", "note", "horodatage"),
    ("usuario", "película", "calificación", "fecha"),
    ("ユーザーID", "商品ID", "評価", "日時"),
    ("사용자", "상품", "평점", "시간"),
    ("пользователь", "товар", "оценка", "дата"),
]


@pytest.mark.parametrize("header", HEADERS, ids=lambda header: header[0])
@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0)])
def test_names_in_many_languages(
    tmp_path: Path, header: tuple[str, ...], order: tuple[int, ...]
) -> None:
    found = propose(Request(ratings(tmp_path, header, order)))
    assert mapping(found) == header
    assert not found.roles.user.weak
    assert not found.roles.item.weak
    assert found.label.rule.model_dump() == {
        "kind": "threshold",
        "column": "rating",
        "at_least": 4.0,
    }
    assert (found.user_type, found.item_type, found.split) == ("int64", "int64", "global_time")


def test_content_decides_when_names_say_nothing(tmp_path: Path) -> None:
    for header in (("a", "b", "c", "d"), None):
        found = propose(Request(ratings(tmp_path, header)))
        names = header or ("_c0", "_c1", "_c2", "_c3")
        assert mapping(found) == names
        assert found.roles.user.weak
        assert found.roles.item.weak


def test_attributes_tell_the_item_when_ids_are_nameless(tmp_path: Path) -> None:
    made = worlds.world(6)
    rows = [(e.item, f"Film {e.item}", e.user, e.rating) for e in made.events]
    path = write_rows(tmp_path / "a.csv", [("k1", "title", "k2", "rating"), *rows])
    found = propose(Request(path))
    assert mapping(found)[:2] == ("k2", "k1")
    assert found.items is not None
    assert [(a.source, a.kind) for a in found.items.attributes] == [("title", "text")]


def test_three_nameless_ids_are_asked_about(tmp_path: Path) -> None:
    rng = random.Random(0)
    rows = [[rng.randrange(100) for _ in range(3)] for _ in range(2000)]
    path = write_rows(tmp_path / "a.csv", [("x", "y", "z"), *rows])
    with pytest.raises(DataError, match="--user-column and --item-column") as problem:
        propose(Request(path))
    assert "100 different integers in 2,000 rows" in str(problem.value)
    found = propose(Request(path, columns={"user": "z", "item": "x"}))
    assert mapping(found)[:2] == ("z", "x")
    assert found.unused == ("y",)


def test_an_option_that_names_no_column_is_answered(tmp_path: Path) -> None:
    path = ratings(tmp_path, HEADERS[0])
    with pytest.raises(DataError, match=r"--item-column names 'film'.*userId, movieId"):
        propose(Request(path, columns={"item": "film"}))
    with pytest.raises(DataError, match="of no known form"):
        propose(Request(path, columns={"time": "rating"}))


def events(folder: Path, values: list[str], weights: list[int], name: str = "event") -> Path:
    rng = random.Random(1)
    rows = [
        (rng.randrange(50), rng.randrange(60), rng.choices(values, weights)[0]) for _ in range(900)
    ]
    return write_rows(folder / "a.csv", [("user", "item", name), *rows])


@pytest.mark.parametrize(
    ("values", "positive"),
    [
        (["view", "addtocart", "transaction"], ("addtocart", "transaction")),
        (["浏览", "收藏", "购买"], ("收藏", "购买")),
        (["impression", "click"], ("click",)),
        (["ansicht", "kauf"], ("kauf",)),
        (["like", "dislike"], ("like",)),
    ],
)
def test_positive_events(tmp_path: Path, values: list[str], positive: tuple[str, ...]) -> None:
    found = propose(Request(events(tmp_path, values, [8, 3, 2][: len(values)])))
    assert found.label.rule.model_dump()["positive"] == positive


def test_events_that_say_nothing_are_asked_about(tmp_path: Path) -> None:
    path = events(tmp_path, ["A1", "B2"], [3, 1])
    with pytest.raises(DataError, match=r"A1 \(\d+\), B2 \(\d+\).*--positive"):
        propose(Request(path))
    assert propose(Request(path, positive=("B2",))).label.rule.model_dump()["positive"] == ("B2",)
    with pytest.raises(DataError, match="--positive names 'C3'"):
        propose(Request(path, positive=("C3",)))


def test_purchases_only_are_all_positive(tmp_path: Path) -> None:
    found = propose(Request(events(tmp_path, ["purchase"], [1])))
    assert found.label.rule.kind == "all_positive"
    assert found.repeats


@pytest.mark.parametrize(
    ("values", "at_least"),
    [
        (["1", "2", "3", "4", "5"], 4.0),
        (["0.5", "1", "2", "3", "3.5", "4", "4.5", "5"], 4.0),
        ([str(value) for value in range(1, 11)], 8.0),
        (["0", "1"], 1.0),
        (["-1", "1"], 1.0),
        (["1,0", "3,5", "5"], 5.0),
    ],
)
def test_thresholds_of_ratings(tmp_path: Path, values: list[str], at_least: float) -> None:
    found = propose(Request(events(tmp_path, values, [1] * len(values), "rating")))
    assert found.label.rule.model_dump()["at_least"] == at_least


def test_a_threshold_leaves_both_labels_when_ratings_are_skewed(tmp_path: Path) -> None:
    found = propose(Request(events(tmp_path, ["4", "5"], [1, 200], "rating")))
    assert found.label.rule.model_dump()["at_least"] == 5.0


def test_a_column_of_parts_is_the_split(tmp_path: Path) -> None:
    path = events(tmp_path, ["train", "test", "validation"], [8, 1, 1], "fold")
    found = propose(Request(path))
    assert (found.split, found.split_column) == ("predefined", "fold")
    assert found.label.rule.kind == "all_positive"


def test_ids_stay_text_when_one_file_needs_it(tmp_path: Path) -> None:
    interactions, items, users = worlds.clicks(tmp_path)
    found = propose(Request(interactions, items, users))
    assert (found.user_type, found.item_type) == ("string", "string")
    plain = write_rows(tmp_path / "b.csv", [("user", "item"), *[(n % 9, n % 7) for n in range(99)]])
    listed = write_rows(tmp_path / "i.csv", [("id", "x"), *[(n, n) for n in range(7)], ("08", 1)])
    found = propose(Request(plain, listed))
    assert (found.user_type, found.item_type) == ("int64", "string")


def test_attributes_are_sorted_by_what_they_hold(tmp_path: Path) -> None:
    interactions, items, users = worlds.clicks(tmp_path)
    found = propose(Request(interactions, items, users))
    assert found.items is not None
    assert found.users is not None
    assert [(a.source, a.name, a.kind) for a in found.items.attributes] == [
        ("name", "title", "text"),
        ("category", "category", "category"),
        ("price", "price", "numeric"),
    ]
    assert [(a.source, a.name, a.kind) for a in found.users.attributes] == [
        ("age", "user_age", "numeric"),
        ("country", "user_country", "category"),
    ]


def test_lists_of_genres_are_cut(tmp_path: Path) -> None:
    interactions, items = worlds.untimed_ratings(tmp_path)
    found = propose(Request(interactions, items))
    assert found.items is not None
    genres = found.items.attributes[1]
    assert (genres.kind, genres.separator, genres.max_length) == ("multi_category", "/", 2)
    assert found.split == "hash"


def test_prices_with_a_decimal_comma_are_numbers_and_no_lists(tmp_path: Path) -> None:
    interactions, items = worlds.spanish_ratings(tmp_path)
    found = propose(Request(interactions, items))
    assert mapping(found) == ("Usuario", "Película", "Puntuación", "Fecha")
    assert found.label.rule.model_dump()["at_least"] == 4.0
    assert found.items is not None
    assert [(a.name, a.kind, a.decimal) for a in found.items.attributes] == [
        ("title", "text", "."),
        ("genres", "category", "."),
        ("year", "numeric", "."),
        ("precio", "numeric", ","),
    ]


def test_a_file_of_items_without_their_ids_is_answered(tmp_path: Path) -> None:
    interactions, _, users = worlds.clicks(tmp_path)
    with pytest.raises(DataError, match="no column holds the ids of column 'sku'"):
        propose(Request(interactions, users))


def test_the_strength_of_a_name() -> None:
    assert [strength(name, "user") for name in ("film", "user name", "user", "userId")] == [
        0,
        1,
        2,
        3,
    ]
