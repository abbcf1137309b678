"""Raw values become canonical ones without losing a digit, or go aside with a reason."""

from collections.abc import Callable
from typing import Any

import pytest

from reclife.config.columns import Column, TimeColumn
from reclife.config.ingest import InteractionsSource
from reclife.errors import DataError

BIG = 2**53 + 1
LABEL = {"kind": "all_positive"}


def source(
    kind: str = "int64", *, time: dict[str, Any] | None = None, **more: Any
) -> InteractionsSource:
    ids = {"user_id": {"from": "u", "type": kind}, "item_id": {"from": "i", "type": kind}}
    columns = {**ids, **more.pop("columns", {})}
    return InteractionsSource.model_validate(
        {"columns": columns, "time": time, "label": LABEL, **more}
    )


@pytest.fixture
def parsed(spark: Any) -> Callable[..., list[dict[str, Any]]]:
    from reclife.sources.canonical import parse_interactions, without_repeats

    def run(rows: list[tuple[Any, ...]], schema: str, declared: InteractionsSource) -> Any:
        read = parse_interactions(spark.createDataFrame(rows, schema), declared)
        frame = without_repeats(read, declared)
        names = [name for name in frame.columns if name != "_raw"]
        return [row.asDict() for row in frame.select("_raw", *names).collect()]

    return run


def outcome(rows: list[dict[str, Any]], raw: str = "u", name: str = "user_id") -> dict[Any, Any]:
    """Return raw value -> canonical value, or the reason where the row must go."""
    return {row["_raw"][raw]: row["_reason"] or row[name] for row in rows}


def test_integer_ids_from_text_keep_every_digit(parsed: Any) -> None:
    texts = ["0", "1", str(BIG), str(2**63 - 1), "-7", " 5 ", "007", "31.0"]
    bad = [str(2**63), f"{2**53}.0", "1e3", "12a", "1.5", "", None, "NaN"]
    found = outcome(parsed([(t, "1") for t in texts + bad], "u string, i string", source()))
    assert found == {
        "0": 0,
        "1": 1,
        str(BIG): BIG,
        str(2**63 - 1): 2**63 - 1,
        "-7": -7,
        " 5 ": 5,
        "007": 7,
        "31.0": 31,
        str(2**63): "user_id: not a whole number",
        f"{2**53}.0": "user_id: not a whole number",
        "1e3": "user_id: not a whole number",
        "12a": "user_id: not a whole number",
        "1.5": "user_id: not a whole number",
        "": "user_id: missing",
        None: "user_id: missing",
        "NaN": "user_id: not a whole number",
    }


def test_integer_ids_from_doubles_only_where_exact(parsed: Any) -> None:
    values = [31.0, 31.5, float(2**53), float(2**53 - 1), -3.0, float("inf")]
    found = outcome(parsed([(v, 1) for v in values], "u double, i int", source()))
    wrong = "user_id: not a whole number"
    assert found == {
        31.0: 31,
        31.5: wrong,
        float(2**53): wrong,
        float(2**53 - 1): 2**53 - 1,
        -3.0: -3,
        float("inf"): wrong,
    }
    rows = parsed([(float("nan"), 1)], "u double, i int", source())
    assert [row["_reason"] for row in rows] == ["user_id: missing"]


def test_text_ids_stay_as_they_are(parsed: Any) -> None:
    texts = ["007", "7", "文 id", str(BIG), " x", "", None]
    found = outcome(parsed([(t, "1") for t in texts], "u string, i string", source("string")))
    assert found == {
        "007": "007",
        "7": "7",
        "文 id": "文 id",
        str(BIG): str(BIG),
        " x": " x",
        "": "user_id: missing",
        None: "user_id: missing",
    }
    numbers = outcome(parsed([(BIG, 1), (0, 1)], "u bigint, i int", source("string")))
    assert numbers == {BIG: str(BIG), 0: "0"}


def test_numbers_and_their_range(parsed: Any) -> None:
    column = {"r": {"from": "r", "type": "float64", "minimum": 0.5, "maximum": 5}}
    texts = ["4.5", "1e0", ".5", "5.5", "good", "1d", "NaN", "Infinity", None]
    rows = [(str(n), "1", text) for n, text in enumerate(texts)]
    found = parsed(rows, "u string, i string, r string", source(columns=column))
    assert outcome(found, "r", "r") == {
        "4.5": 4.5,
        "1e0": 1.0,
        ".5": 0.5,
        "5.5": "r: out of range",
        "good": "r: not a number",
        "1d": "r: not a number",
        "NaN": "r: not a number",
        "Infinity": "r: not a number",
        None: "r: missing",
    }


def test_a_decimal_comma(parsed: Any) -> None:
    column = {"r": {"from": "r", "type": "float64", "decimal": ","}}
    texts = ["3,5", "4", "-0,25", " 2,14 ", "3.5", "1.234,5", "1,2,3"]
    found = outcome(
        parsed(
            [(str(n), "2", t) for n, t in enumerate(texts)],
            "u string, i string, r string",
            source(columns=column),
        ),
        "r",
        "r",
    )
    wrong = "r: not a number"
    assert found == {
        "3,5": 3.5,
        "4": 4.0,
        "-0,25": -0.25,
        " 2,14 ": 2.14,
        "3.5": wrong,
        "1.234,5": wrong,
        "1,2,3": wrong,
    }


def test_missing_attributes_are_kept_or_filled(parsed: Any) -> None:
    columns = {
        "kept": {"from": "a", "type": "int64", "missing": "keep"},
        "filled": {"from": "a", "type": "int64", "missing": 0},
    }
    rows = [("1", "1", None), ("2", "1", "8"), ("3", "1", "x")]
    found = parsed(rows, "u string, i string, a string", source(columns=columns))
    seen = {row["user_id"]: (row["kept"], row["filled"], row["_reason"]) for row in found}
    assert seen[1] == (None, 0, None)
    assert seen[2] == (8, 8, None)
    assert seen[3][2] == "kept: not a whole number"


@pytest.mark.parametrize("session_zone", ["UTC", "Asia/Tokyo"])
def test_times_do_not_follow_the_session(spark: Any, parsed: Any, session_zone: str) -> None:
    noon = 1_577_880_000  # 2020-01-01 12:00:00 UTC
    cases = [
        ({"format": "epoch_seconds"}, [str(noon), f"{noon}.9", "1e99", "noon", "-1"]),
        ({"format": "epoch_milliseconds"}, [f"{noon}999", f"{noon}000", "x"]),
        (
            {"format": "iso"},
            ["2020-01-01T12:00:00Z", "2020-01-01 12:00", "2020-01-01T13:00+0100"],
        ),
        ({"format": "iso", "zone": "Asia/Tokyo"}, ["2020-01-01 21:00:00.5", "2020-01-01"]),
        (
            {"format": "dd.MM.yyyy HH:mm", "zone": "Europe/Berlin"},
            ["01.01.2020 13:00", "2020-01-01"],
        ),
    ]
    cases.append(({"format": "yyyyMMdd'T'HHmmssX"}, ["20200101T140000+02"]))
    wrong = "timestamp: not a time of the format "
    expected = [
        [noon, noon, wrong, wrong, "timestamp: out of range"],
        [noon, noon, wrong],
        [noon, noon, noon],
        [noon, 1_577_804_400],
        [noon, wrong],
        [noon],
    ]
    spark.conf.set("spark.sql.session.timeZone", session_zone)
    try:
        for (time, texts), values in zip(cases, expected, strict=True):
            rows = [(str(n), "1", text) for n, text in enumerate(texts)]
            declared = source(time={"from": "t", **time})
            found = outcome(
                parsed(rows, "u string, i string, t string", declared), "t", "timestamp"
            )
            for text, value in zip(texts, values, strict=True):
                if value == wrong:
                    assert found[text] == wrong + time["format"]
                else:
                    assert found[text] == value
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")


def test_event_types_are_a_closed_list(parsed: Any) -> None:
    types = {"view": ["view", "pv"], "buy": [4, "Kauf"]}
    declared = source(event={"from": "e", "types": types})
    texts = ["view", " pv ", "4", "Kauf", "kauf", "sell", "", None]
    rows = [(str(n), "1", text) for n, text in enumerate(texts)]
    found = outcome(parsed(rows, "u string, i string, e string", declared), "e", "event")
    strange = "event: not a declared type"
    assert found == {
        "view": "view",
        " pv ": "view",
        "4": "buy",
        "Kauf": "buy",
        "kauf": strange,
        "sell": strange,
        "": "event: missing",
        None: "event: missing",
    }
    numbers = parsed([("1", "1", 4), ("2", "1", 5)], "u string, i string, e int", declared)
    assert outcome(numbers, "e", "event") == {4: "buy", 5: strange}


def test_the_same_moment_holds_events_of_several_types(parsed: Any) -> None:
    event = {"from": "e", "types": {"view": ["view"], "buy": ["buy"]}}
    declared = source(event=event, time={"from": "t"})
    rows = [("1", "1", 9, "view"), ("1", "1", 9, "buy"), ("1", "1", 9, "buy")]
    found = parsed(rows, "u string, i string, t int, e string", declared)
    kept = sorted((row["event"], row["_reason"]) for row in found if row["_reason"] is None)
    assert kept == [("buy", None), ("view", None)]
    assert [row["_reason"] for row in found if row["_reason"]] == ["duplicate"]


def test_weights_by_event_and_by_column(parsed: Any) -> None:
    columns = {"n": {"from": "n", "type": "float64", "missing": "keep"}}
    event = {"from": "e", "types": {"view": ["view"], "buy": ["buy"]}}
    schema = "u string, i string, e string, n double"
    numbers = [2.0, 0.5, 0.0, -1.0, None, 1e308]
    rows = [(str(n), "1", "buy", number) for n, number in enumerate(numbers)]
    rows.append(("9", "1", "view", 3.0))
    bad = "weight: not above 0"
    cases = [
        ({"by_event": {"view": 1, "buy": 5}}, [5.0] * 6 + [1.0]),
        ({"column": "n"}, [2.0, 0.5, bad, bad, bad, 1e308, 3.0]),
        ({"column": "n", "by_event": {"view": 1, "buy": 5}}, [10.0, 2.5, bad, bad, bad, bad, 3.0]),
    ]
    for weight, expected in cases:
        declared = source(columns=columns, event=event, weight=weight)
        found = parsed(rows, schema, declared)
        by_user = {row["user_id"]: row["_reason"] or row["weight"] for row in found}
        assert [by_user[n] for n in (0, 1, 2, 3, 4, 5, 9)] == expected


LISTS: list[tuple[str, str, list[tuple[Any, Any]]]] = [
    (
        "float64_list",
        "array<float>",
        [([0.5, 1.0], [0.5, 1.0]), ([], []), (None, "missing"), ([0.5, None], "not")],
    ),
    ("float64_list", "array<string>", [(["1", "2e1"], [1.0, 20.0]), (["1", "x"], "not")]),
    ("int64_list", "array<bigint>", [([BIG, 0], [BIG, 0]), ([2**63 - 1], [2**63 - 1])]),
    ("int64_list", "array<double>", [([1.0, 2.0], [1, 2]), ([1.5], "not")]),
    (
        "int64_list",
        "string",
        [
            ("1,2", [1, 2]),
            ("[1, 2]", [1, 2]),
            (str(BIG), [BIG]),
            ("[]", []),
            (" ", "missing"),
            ("1,,2", "not"),
            ("1;2", "not"),
        ],
    ),
    ("string_list", "string", [("a, b,007", ["a", "b", "007"]), ("a", ["a"]), ("", "missing")]),
    ("string_list", "array<string>", [(["a", ""], ["a", ""]), ([None], "not")]),
    ("string_list", "array<int>", [([7], ["7"])]),
    ("float64_list", "double", [(1.5, "not")]),
    ("float64_list", "string", [("nan,1", "not"), ("0.1,-2", [0.1, -2.0])]),
]


@pytest.mark.parametrize(("kind", "raw", "cases"), LISTS)
def test_lists(spark: Any, kind: str, raw: str, cases: list[tuple[Any, Any]]) -> None:
    from reclife.sources.canonical import parse_interactions

    declared = source(columns={"v": {"from": "v", "type": kind}})
    rows = [(n, 1, value) for n, (value, _) in enumerate(cases)]
    frame = spark.createDataFrame(rows, f"u bigint, i bigint, v {raw}")
    found = parse_interactions(frame, declared).orderBy("user_id").collect()
    for row, (value, expected) in zip(found, cases, strict=True):
        if isinstance(expected, str):
            assert row["_reason"].startswith(f"v: {expected}"), value
        else:
            assert (row["v"], row["_reason"]) == (expected, None)


def test_lists_in_range_and_of_another_separator(parsed: Any) -> None:
    column = {"from": "v", "type": "int64_list", "separator": "|", "maximum": 9, "missing": "keep"}
    rows = [(str(n), "1", text) for n, text in enumerate(["1|9", "1|10", None, "1.0|2"])]
    found = parsed(rows, "u string, i string, v string", source(columns={"v": column}))
    assert outcome(found, "v", "v") == {
        "1|9": [1, 9],
        "1|10": "v: out of range",
        None: None,
        "1.0|2": [1, 2],
    }


def test_of_repeated_rows_the_greatest_stays(parsed: Any) -> None:
    columns = {"r": {"from": "r", "type": "float64"}}
    rows = [("1", "1", 9, 3.0), ("1", "1", 9, 5.0), ("1", "1", 8, 3.0), ("x", "1", 9, 3.0)]
    declared = source(time={"from": "t"}, columns=columns)
    found = parsed(rows, "u string, i string, t int, r double", declared)
    seen = {(row["_raw"]["u"], row["timestamp"], row["r"]): row["_reason"] for row in found}
    assert seen == {
        ("1", 9, 3.0): "duplicate",
        ("1", 9, 5.0): None,
        ("1", 8, 3.0): None,
        ("x", 9, 3.0): "user_id: not a whole number",
    }


def test_all_missing_columns_are_named_with_their_nearest(spark: Any) -> None:
    from reclife.sources.canonical import parse_interactions

    declared = source(columns={"rating": {"from": "ratng", "type": "float64"}})
    frame = spark.createDataFrame([("1", 2.0)], "u string, rating double")
    with pytest.raises(DataError, match=r"'i', 'ratng' \(did you mean 'rating'\?\)"):
        parse_interactions(frame, declared)


def test_odd_column_names(parsed: Any) -> None:
    declared = InteractionsSource.model_validate(
        {
            "columns": {
                "user_id": {"from": "用户.编号", "type": "int64"},
                "item_id": {"from": "item `id`", "type": "string"},
            },
            "label": LABEL,
        }
    )
    found = parsed([("1", "a")], "`用户.编号` string, `item ``id``` string", declared)
    assert [(row["user_id"], row["item_id"], row["_reason"]) for row in found] == [(1, "a", None)]


def test_one_row_per_id(spark: Any) -> None:
    from reclife.sources.canonical import one_row_per_id

    described = spark.createDataFrame(
        [
            (1, "b", None),
            (1, "b", None),
            (1, "a", 5),
            (2, "x", 1),
            (2, "y", 1),
            (2, "y", 1),
            (4, "z", 2),
        ],
        "item_id bigint, title string, year bigint",
    )
    known = spark.createDataFrame([(1,), (2,), (3,)], "item_id bigint")
    columns = {
        "item_id": Column(source="i", type="int64"),
        "title": Column(source="t", type="string", missing="none"),
        "year": Column(source="y", type="int64", missing="keep"),
    }
    rows = one_row_per_id(described, known, "item_id", columns).orderBy("item_id").collect()
    assert [tuple(row) for row in rows] == [
        (1, "a", 5, True, False),
        (2, "y", 1, True, False),
        (3, "none", None, False, True),
        (4, "z", 2, False, False),
    ]


def test_declarations_are_checked() -> None:
    with pytest.raises(ValueError, match="unknown time zone"):
        TimeColumn(source="t", zone="Mars/Olympus")
    with pytest.raises(ValueError, match="not of type"):
        Column(source="a", type="int64", missing="none")
