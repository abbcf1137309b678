"""Paired comparison of two runs, against scikit-learn, plain loops and copied rows."""

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats
from sklearn.metrics import log_loss, roc_auc_score

from reclife.contracts import ComparisonRow
from reclife.errors import DataError
from reclife.evaluation import compare_page
from reclife.evaluation.compare import Scored, compare
from reclife.evaluation.compared import as_text
from reclife.evaluation.differences import Drawing
from reclife.evaluation.pairing import paired
from reclife.metrics.resampling import resample

USERS, EVENTS = 60, 2400
DRAWING = Drawing(resamples=200, seed=3)


def events(noise: float, seed: int = 0) -> pa.Table:
    """Scores of one truth under more or less noise."""
    rng = np.random.default_rng(0)
    truth = rng.normal(size=EVENTS)
    labels = (rng.random(EVENTS) < 1 / (1 + np.exp(-truth))).astype(float)
    users = rng.integers(0, USERS, size=EVENTS)
    own = np.random.default_rng(seed).normal(size=EVENTS)
    scores = 1 / (1 + np.exp(-(truth + noise * own)))
    return pa.table(
        {
            "user_id": users,
            "item_id": rng.integers(0, 40, size=EVENTS).astype(str),
            "timestamp": rng.integers(0, 9, size=EVENTS),
            "label": labels,
            "score": scores.astype(np.float32),
            "slices": [["age:young"] if user < 30 else ["age:old", "rare"] for user in users],
            "task": ["like"] * EVENTS,
        }
    )


def queries(quality: float, seed: int = 0) -> pa.Table:
    rng = np.random.default_rng(1)
    users = np.repeat(np.arange(USERS), 3)
    base, own = rng.random(len(users)), np.random.default_rng(seed).random(len(users))
    values = np.clip(base + quality * own, 0, 1)
    values[users == 5] = np.nan  # a user without targets
    return pa.table(
        {
            "user_id": users,
            "timestamp": np.tile([1, 2, 3], USERS),
            "targets": np.where(users == 5, 0, 4),
            "ndcg@10": values,
            "slices": [["user:known"]] * len(users),
        }
    )


def scored(
    run_id: str,
    noise: float = 0.5,
    quality: float = 0.0,
    seed: int = 0,
    drawn: frozenset[str] = frozenset(),
) -> Scored:
    return Scored(run_id, "deepfm", events(noise, seed), queries(quality, seed), drawn)


@pytest.fixture(scope="module")
def rows() -> dict[tuple[str, str, str], ComparisonRow]:
    report = compare(scored("a", 2.0, 0.0, 1), scored("b", 0.5, 0.2, 2), DRAWING)
    assert report.common == {"like": EVENTS, "lists": 3 * USERS}
    return {(row.task, row.slice, row.metric): row for row in report.rows}


def test_figures_and_interval_equal_copying_the_users_rows(
    rows: dict[tuple[str, str, str], ComparisonRow],
) -> None:
    first, second = events(2.0, 1), events(0.5, 2)
    labels, users = first["label"].to_numpy(), first["user_id"].to_numpy()
    one, two = (table["score"].to_numpy().astype(float) for table in (first, second))
    row = rows["like", "all", "auc"]
    assert row.first == pytest.approx(roc_auc_score(labels, one), abs=1e-9)
    assert row.second == pytest.approx(roc_auc_score(labels, two), abs=1e-9)
    assert row.difference == pytest.approx(row.second - row.first)
    loss = rows["like", "all", "logloss"]
    assert loss.difference == pytest.approx(log_loss(labels, two) - log_loss(labels, one), abs=1e-9)
    rng = np.random.default_rng(9)
    places = [np.flatnonzero(users == user) for user in range(USERS)]
    gaps = []
    for _ in range(200):
        copies = np.concatenate([places[u] for u in rng.integers(0, USERS, size=USERS)])
        gaps.append(
            roc_auc_score(labels[copies], two[copies]) - roc_auc_score(labels[copies], one[copies])
        )
    low, high = np.percentile(gaps, [2.5, 97.5])
    assert row.ci_low == pytest.approx(low, abs=0.25 * (high - low))  # other resamples
    assert row.ci_high == pytest.approx(high, abs=0.25 * (high - low))
    assert row.p == pytest.approx(2 / 201)  # no resample on the other side
    assert row.users == USERS


def test_lists_are_compared_by_their_users_means(
    rows: dict[tuple[str, str, str], ComparisonRow],
) -> None:
    tables = queries(0.0, 1), queries(0.2, 2)
    first, second = (
        np.nanmean(table["ndcg@10"].to_numpy().reshape(USERS, 3)[np.arange(USERS) != 5], axis=1)
        for table in tables
    )
    row = rows["lists", "all", "ndcg"]
    assert (row.k, row.users) == (10, USERS - 1)
    assert row.first == pytest.approx(first.mean(), abs=1e-9)
    assert row.difference == pytest.approx((second - first).mean(), abs=1e-9)
    error = stats.sem(second - first)
    assert row.ci_high - row.ci_low == pytest.approx(2 * 1.96 * error, rel=0.2)
    assert row.p == pytest.approx(stats.ttest_rel(second, first).pvalue, abs=0.05)


def test_slices_are_compared_and_their_p_values_adjusted(
    rows: dict[tuple[str, str, str], ComparisonRow],
) -> None:
    first, second = events(2.0, 1), events(0.5, 2)
    mask = first["user_id"].to_numpy() < 30
    labels = first["label"].to_numpy()[mask]
    row = rows["like", "age:young", "auc"]
    assert row.users == 30
    for found, table in ((row.first, first), (row.second, second)):
        scores = table["score"].to_numpy()[mask]
        assert found == pytest.approx(roc_auc_score(labels, scores), abs=1e-9)
    assert row.p == pytest.approx(3 * 2 / 201)  # the smallest p of three slices


def test_the_same_run_does_not_differ_and_repeats_are_equal() -> None:
    report = compare(scored("a"), scored("b"), DRAWING)
    for row in report.rows:
        assert (row.difference, row.ci_low, row.ci_high, row.p) == (0, 0, 0, 1)
        assert compare_page.verdict(row) == "no difference"
    worse = scored("a", 2.0, seed=1), scored("b", 0.5, seed=2)
    assert compare(*worse, DRAWING) == compare(*worse, DRAWING)


def test_rows_are_paired_by_what_they_are_about_not_by_their_place() -> None:
    first, second = scored("a", 2.0, seed=1), scored("b", 0.5, seed=2)
    order = np.random.default_rng(0).permutation(EVENTS)
    mixed = Scored(
        "b", "din", second.events.take(order), second.lists.take(order[order < 180]), first.drawn
    )
    expected = compare(first, second, DRAWING)
    found = compare(first, mixed, DRAWING)
    for one, other in zip(found.rows, expected.rows, strict=True):
        wanted = other.model_dump()
        assert one.model_dump() == {
            name: pytest.approx(value, abs=1e-9) if isinstance(value, float) else value
            for name, value in wanted.items()
        }
    young = second.events.filter(pa.array(second.events["user_id"].to_numpy() < 30))
    fewer = Scored("b", "din", young, second.lists, first.drawn)
    report = compare(first, fewer, DRAWING)
    sizes = report.rows_of_first["like"], report.rows_of_second["like"], report.common["like"]
    assert sizes == (EVENTS, len(young), len(young))
    assert f"like: the {len(young)} rows of both runs, of {EVENTS} and {len(young)}." in as_text(
        report
    )
    assert "rows of both runs" not in as_text(expected)


def test_equal_keys_are_paired_one_by_one() -> None:
    first = pa.table({"k": ["a", "b", "a", None, "c"], "v": [0, 1, 2, 3, 4]})
    second = pa.table({"k": ["d", "a", "b", "a", "a", None], "v": [9, 10, 11, 12, 13, 14]})
    own, other = paired(first, second, ["k"], "v")
    assert own["v"].to_pylist() == [0, 1, 2, 3]
    assert other["v"].to_pylist() == [10, 11, 12, 14]
    none = paired(first, second.slice(0, 1), ["k"], "v")
    assert [len(table) for table in none] == [0, 0]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"label": np.ones(EVENTS)}, r"\d+ of 2400 rows have another label in the second run"),
        ({"user_id": np.arange(EVENTS) + 1000}, "no test rows in common"),
        ({"item_id": np.arange(EVENTS)}, "item_id is string in the first run and int64"),
        ({"task": ["buy"] * EVENTS}, None),
    ],
)
def test_what_was_not_asked_the_same_is_refused(change: dict[str, list], words: str | None) -> None:
    second = scored("b")
    table = second.events
    for name, values in change.items():
        table = table.set_column(table.column_names.index(name), name, pa.array(values))
    other = Scored("b", "din", table, second.lists, second.drawn)
    if words is None:
        report = compare(scored("a"), other, DRAWING)
        assert {row.task for row in report.rows} == {"lists"}
        told = "Run a alone has the task like.", "Run b alone has the task buy."
        assert report.left_out == told
        assert as_text(report).splitlines()[-2:] == list(told)
        assert all(line in compare_page.render(report) for line in told)
        bare = Scored("b", "din", table, second.lists.slice(0, 0), second.drawn)
        with pytest.raises(DataError, match="Runs a and b have no task in common"):
            compare(scored("a"), bare, DRAWING)
    else:
        with pytest.raises(DataError, match=words):
            compare(scored("a"), other, DRAWING)


def test_other_targets_and_other_drawn_negatives_are_refused() -> None:
    second = scored("b")
    more = second.lists.set_column(2, "targets", pa.array(np.full(3 * USERS, 7)))
    with pytest.raises(DataError, match="180 of 180 rows have another number of targets"):
        compare(scored("a"), Scored("b", "din", second.events, more, second.drawn), DRAWING)
    drawn = frozenset({"like"})
    fewer = Scored("b", "din", second.events.slice(0, 100), second.lists, drawn)
    with pytest.raises(DataError, match=r"other test rows \(100 of 2400 and 100 are the same\)"):
        compare(scored("a"), fewer, DRAWING)


def test_what_cannot_be_compared_is_told() -> None:
    first, second = scored("a"), scored("b", 2.0, 0.3, seed=4)
    names = ["ndcg@20" if name == "ndcg@10" else name for name in second.lists.column_names]
    longer = Scored("b", "din", second.events, second.lists.rename_columns(names), second.drawn)
    report = compare(first, longer, DRAWING)
    assert {row.task for row in report.rows} == {"like"}
    assert report.left_out == (
        "Run a alone has the list metric ndcg@10.",
        "Run b alone has the list metric ndcg@20.",
        "lists: no metric is defined, or is in both runs.",
    )
    likes = [
        Scored(
            run.run_id,
            "din",
            run.events.filter(pa.array(run.events["label"].to_numpy() > 0)),
            run.lists.slice(0, 0),
            run.drawn,
        )
        for run in (first, second)
    ]
    report = compare(*likes, DRAWING)
    assert {row.metric for row in report.rows if row.slice == "all"} == {"pr_auc", "logloss"}
    assert report.left_out == (
        "like: auc, gauc, normalized_entropy not defined, as the common rows have one label only.",
    )
    assert "What is not compared" in compare_page.render(report)
    nobody = scored("c", quality=0.2)
    values = pa.array(np.full(3 * USERS, np.nan))
    empty = [
        Scored(run.run_id, "din", run.events, run.lists.set_column(3, "ndcg@10", values), run.drawn)
        for run in (first, nobody)
    ]
    report = compare(*empty, DRAWING)
    assert report.left_out == ("lists: no metric is defined, or is in both runs.",)


def test_two_users_of_whom_no_resample_has_both_labels_are_not_tested() -> None:
    first, second = scored("a"), scored("b", 2.0, seed=4)
    some = np.flatnonzero(first.events["user_id"].to_numpy() < 2)
    users = first.events["user_id"].to_numpy()[some]
    both = []
    for run in (first, second):
        table = run.events.take(pa.array(some))
        labels = pa.array((users == 0).astype(float))
        place = table.column_names.index("label")
        both.append(
            Scored(
                run.run_id,
                "din",
                table.set_column(place, "label", labels),
                run.lists.slice(0, 0),
                run.drawn,
            )
        )
    seed = next(seed for seed in range(99) if resample(2, 1, seed).counts.max() == 2)
    report = compare(*both, Drawing(resamples=1, seed=seed))  # which draws one user twice
    row = next(row for row in report.rows if (row.metric, row.slice) == ("auc", "all"))
    assert (row.users, row.p, row.ci_low) == (2, None, None)
    assert compare_page.verdict(row) == "no test"
    assert '"p":null' in report.model_dump_json()


def test_one_user_has_figures_but_no_test() -> None:
    first = scored("a", 2.0, seed=1)
    mask = pa.array(first.events["user_id"].to_numpy() == 3)
    single = [
        Scored(name, "din", table.events.filter(mask), table.lists.slice(0, 0), table.drawn)
        for name, table in (("a", first), ("b", scored("b", 0.5, seed=2)))
    ]
    for row in compare(*single, DRAWING).rows:
        assert (row.users, row.ci_low, row.p) == (1, None, None)
        assert compare_page.verdict(row) == "one user"


def test_the_page_and_the_table_name_the_better_run() -> None:
    report = compare(scored("20260101-<a>", 2.0, seed=1), scored("b", 0.5, seed=2), DRAWING)
    text = as_text(report)
    assert [line.split()[0] for line in text.splitlines()] == ["task", *["like"] * 5, "lists"]
    auc = next(line for line in text.splitlines() if " AUC " in line)
    assert auc.endswith(" b")
    page = compare_page.render(report)
    body = page[page.index("<body>") :]
    assert "20260101-&lt;a&gt;" in body
    assert "The same 2,400 test events" in body
    assert body.count("Plotly.newPlot") == 2
    assert "src=" not in body
