"""The form of a file: encoding, delimiter, header, and what cannot be read."""

import gzip
from pathlib import Path

import pytest

from reclife.errors import DataError
from reclife.onboarding.profile import profile
from reclife.onboarding.source import Form, examine

CHINESE = "用户,商品,评分\n甲,电影一,5\n乙,电影二,3\n"
GERMAN = "Käufer;Artikel;Größe\nMüller;Tür;5\nJürgens;Öl;3\n"
JAPANESE = "ユーザー,アイテム,評価\nさくら,カメラ,5\nたろう,ピアノ,4\n"


def form_of(folder: Path, content: bytes, name: str = "data.csv") -> Form:
    path = folder / name
    path.write_bytes(content)
    return examine(path, None, None, None)


@pytest.mark.parametrize(
    ("text", "encoding", "expected"),
    [
        (CHINESE, "utf-8", "utf-8"),
        (CHINESE, "utf-8-sig", "utf-8-sig"),
        (CHINESE, "utf-16", "utf-16"),
        (CHINESE, "gb18030", "gb18030"),
        (CHINESE, "gbk", "gb18030"),
        (GERMAN, "cp1252", "windows-1252"),
        (JAPANESE, "cp932", "windows-31j"),
    ],
)
def test_encodings_are_told_apart(tmp_path: Path, text: str, encoding: str, expected: str) -> None:
    form = form_of(tmp_path, text.encode(encoding))
    assert form.encoding == expected
    first = text.splitlines()[0].replace(";", ",").split(",")
    assert list(form.columns) == first
    table = profile(form).sample
    assert (
        table.column(first[0]).to_pylist()[0]
        == text.splitlines()[1].replace(";", ",").split(",")[0]
    )


def test_an_encoding_that_shows_late_is_found(tmp_path: Path) -> None:
    plain = "".join(f"{number},item\n" for number in range(200_000))
    assert len(plain) > 2_000_000
    text = f"user,item\n{plain}7,电影一\n8,电影二\n"
    assert form_of(tmp_path, text.encode("gb18030")).encoding == "gb18030"


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
def test_delimiters_are_told_apart_even_inside_quotes(tmp_path: Path, delimiter: str) -> None:
    rows = [("user", "item", "note"), ("1", "2", '"a, b; c | d\te"'), ("3", "4", "x")]
    text = "\n".join(delimiter.join(row) for row in rows)
    form = form_of(tmp_path, text.encode())
    assert form.delimiter == delimiter
    assert profile(form).sample.column("note").to_pylist() == ["a, b; c | d\te", "x"]


def test_a_file_without_header_gets_the_names_that_spark_gives(tmp_path: Path) -> None:
    form = form_of(tmp_path, b"196\t242\t3\t881250949\n186\t302\t3\t891717742\n")
    assert not form.header
    assert form.columns == ("_c0", "_c1", "_c2", "_c3")
    assert profile(form).rows == 2


def test_names_alone_make_a_header_of_text_columns(tmp_path: Path) -> None:
    assert form_of(tmp_path, b"who,what\nann,tea\nbob,tea\n").header
    assert not form_of(tmp_path, b"ann,tea\nbob,tea\nann,milk\n", "b.csv").header
    assert not form_of(tmp_path, b"u7a,sku-1\nu9c,sku-2\nu8b,sku-3\n", "c.csv").header
    assert form_of(tmp_path, b"col1,col2\nu9c,sku-2\nu8b,sku-3\n", "d.csv").header


def test_an_empty_name_is_named_by_position(tmp_path: Path) -> None:
    assert form_of(tmp_path, b",user,item\n0,7,8\n").columns == ("_c0", "user", "item")


def test_quoted_fields_may_hold_delimiters_quotes_and_newlines(tmp_path: Path) -> None:
    found = profile(form_of(tmp_path, b'user,title\n1,"a ""b"", c\nd"\n2,e\n'))
    assert found.sample.column("title").to_pylist() == ['a "b", c\nd', "e"]
    assert found.newlines


def test_a_gzipped_file_is_read(tmp_path: Path) -> None:
    assert form_of(tmp_path, gzip.compress(CHINESE.encode()), "a.csv.gz").columns[0] == "用户"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is empty"),
        (b" \n\n", "is empty"),
        (b"just one column\nof text\n", "say it by --delimiter"),
        (b"user,User,item\n1,2,3\n", "names more than one column"),
        (b"\x00\x01,\x02\n", "not a text file"),
    ],
)
def test_what_is_no_table_is_refused_in_a_sentence(
    tmp_path: Path, content: bytes, sentence: str
) -> None:
    with pytest.raises(DataError, match=sentence):
        form_of(tmp_path, content)


def test_a_missing_file_and_a_bare_header_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        examine(tmp_path / "none.csv", None, None, None)
    with pytest.raises(DataError, match="no row"):
        profile(form_of(tmp_path, b"user,item\n"))


def test_a_wrong_encoding_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(CHINESE.encode("gb18030"))
    with pytest.raises(DataError, match="not utf-8 text"):
        examine(path, "utf-8", None, None)
    with pytest.raises(DataError, match="unknown encoding"):
        examine(path, "klingon", None, None)
