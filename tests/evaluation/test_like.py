"""The like task: baselines against formulas, rows, gate and page."""

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from tests.measured import feature_stats

from reclife.config.evaluation import (
    BootstrapConfig,
    EvaluationConfig,
    ItemMeanConfig,
    LogisticBaselineConfig,
    UserItemBiasConfig,
)
from reclife.config.gate import FloorConfig, GateConfig, MustBeatConfig
from reclife.config.slices import ActivitySlice, ColumnSlice, NewUsersSlice
from reclife.contracts import (
    EmbeddingTable,
    EvaluationReport,
    EvaluationRow,
    Feature,
    FeatureSpec,
    Platt,
    Task,
)
from reclife.errors import DataError, GateFailed
from reclife.evaluation import bias, gate, like, logistic, page
from reclife.evaluation.lists import ListsResult
from reclife.evaluation.slices import Entities

SPEC = FeatureSpec(
    features=(
        Feature(name="x", role="user", kind="numeric", dtype="float32"),
        Feature(
            name="tags", role="item", kind="multi_category", dtype="int64", shape=(3,), table="tags"
        ),
        Feature(name="item", role="item", kind="category", dtype="int64", table="item"),
    ),
    tables=(
        EmbeddingTable(name="tags", size=6, vocabulary_hash=""),
        EmbeddingTable(name="item", size=5000, vocabulary_hash=""),
    ),
    state_hash="",
)


def part(seed: int, rows: int, start: int) -> pa.Table:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=rows)
    tags = np.sort(rng.integers(0, 6, size=(rows, 3)), axis=1)
    chance = 1 / (1 + np.exp(-(x + 0.5 * (tags == 3).any(axis=1))))
    return pa.table(
        {
            "user_id": rng.integers(0, 20, size=rows),
            "item_id": rng.integers(0, 15, size=rows),
            "timestamp": start + np.sort(rng.integers(0, 50, size=rows)),
            "label": (rng.random(rows) < chance).astype(float),
            "x": x.astype(np.float32),
            "tags": pa.array(tags.tolist(), pa.list_(pa.int64())),
            "item": rng.integers(2, 17, size=rows),
        }
    )


WHO = Entities(
    pa.table({"item_id": range(15), "genre": ["a|b", "a", None, "c", "b"] * 3}),
    pa.table({"user_id": range(20), "age": [*range(10, 29), None]}),
)


@pytest.fixture(scope="module")
def examples() -> like.Examples:
    return like.Examples(part(0, 800, 0), part(1, 200, 100), part(2, 400, 200))


def test_item_mean_is_smoothed_towards_the_mean() -> None:
    known = pa.table({"user_id": [1, 2, 3], "item_id": [7, 7, 8], "label": [1.0, 1.0, 0.0]})
    test = pa.table({"user_id": [1, 1, 1], "item_id": [7, 8, 9], "label": [0.0, 0.0, 0.0]})
    found = bias.item_mean(known, test, ItemMeanConfig(smoothing=4))
    mean = 2 / 3
    np.testing.assert_allclose(found, [(2 + 4 * mean) / 6, (0 + 4 * mean) / 5, mean])


def test_user_item_bias_equals_plain_loops(examples: like.Examples) -> None:
    config = UserItemBiasConfig(item_smoothing=3, user_smoothing=2)
    known, test = examples.known.to_pylist(), examples.test.to_pylist()
    mean = np.mean([r["label"] for r in known])

    def item(name: int) -> float:
        own = [r["label"] - mean for r in known if r["item_id"] == name]
        return sum(own) / (len(own) + 3)

    expected = []
    for row in test:
        earlier = [
            r["label"] - mean - item(r["item_id"])
            for r in known + test
            if r["user_id"] == row["user_id"] and r["timestamp"] < row["timestamp"]
        ]
        expected.append(mean + item(row["item_id"]) + sum(earlier) / (len(earlier) + 2))
    test_rows = examples.test.select(examples.known.column_names)
    found = bias.user_item_bias(examples.known, test_rows, config)
    np.testing.assert_allclose(found, expected, atol=1e-4)  # sums are kept to 2 ** -20


def test_logistic_regression_equals_scikit_learn(examples: like.Examples) -> None:
    design = logistic.Design(SPEC, 50, examples.train)
    inputs, labels = design(examples.train), np.asarray(examples.train["label"])
    assert inputs.shape[1] == 1 + 1 + 5  # constant, x, tags 1..5; the item's vocabulary is large
    weights = logistic.fit(inputs, labels, 2.0)
    reference = LogisticRegression(C=1 / 2.0, tol=1e-10, max_iter=5000).fit(inputs[:, 1:], labels)
    np.testing.assert_allclose(weights[1:], reference.coef_[0], atol=1e-5)
    np.testing.assert_allclose(weights[0], reference.intercept_[0], atol=1e-5)


def test_validation_chooses_the_penalty(examples: like.Examples) -> None:
    parts = examples.train, examples.validation, examples.test
    wide = logistic.scores(*parts, SPEC, LogisticBaselineConfig(l2=(1e5, 1.0)), refit=False)
    weak = logistic.scores(*parts, SPEC, LogisticBaselineConfig(l2=(1.0,)), refit=False)
    np.testing.assert_allclose(wide, weak)


@pytest.fixture(scope="module")
def result(examples: like.Examples) -> like.LikeResult:
    chances = 1 / (1 + np.exp(-np.asarray(examples.test["x"], float)))
    return like.evaluate("deepfm", chances, examples, SPEC, EvaluationConfig(), True, False, WHO)


def test_every_model_is_measured_with_intervals(result: like.LikeResult) -> None:
    whole = {(r.model, r.metric): r for r in result.rows if r.slice == "all"}
    for model in ("deepfm", "item_mean", "user_item_bias", "logistic_regression"):
        for metric in ("auc", "gauc", "pr_auc", "logloss", "normalized_entropy", "calibration"):
            row = whole[model, metric]
            assert row.ci_low <= row.value <= row.ci_high, (model, metric)
    assert whole["observed", "base_rate"].value == pytest.approx(result.labels.mean())
    gaps = {r.slice: r for r in result.rows if r.metric == "auc_difference"}
    gap = gaps["over:item_mean"]
    assert gap.value == pytest.approx(
        whole["deepfm", "auc"].value - whole["item_mean", "auc"].value
    )
    assert gap.ci_low > 0
    keys = [(r.model, r.slice, r.metric, r.k) for r in result.rows]
    assert len(set(keys)) == len(keys)


def test_drawn_negatives_are_named_in_every_slice(examples: like.Examples) -> None:
    chances = np.full(examples.test.num_rows, 0.5)
    config = EvaluationConfig(like_baselines=())
    rows = like.evaluate("deepfm", chances, examples, SPEC, config, True, True, WHO).rows
    assert all(row.slice.startswith("sampled_negatives") for row in rows)
    whole = {r.metric: r.value for r in rows if r.slice == "sampled_negatives"}
    assert whole["auc"] == whole["gauc"] == 0.5


def test_measuring_twice_gives_the_same(examples: like.Examples, result: like.LikeResult) -> None:
    again = like.evaluate(
        "deepfm", result.scores["deepfm"], examples, SPEC, EvaluationConfig(), True, False, WHO
    )
    assert again.rows == result.rows


def row(model: str, metric: str, value: float, k: int | None = None) -> EvaluationRow:
    return EvaluationRow(
        model=model,
        task="lists" if k else "like",
        split="test",
        slice="all",
        metric=metric,
        k=k,
        value=value,
        ci_low=None,
        ci_high=None,
        users=1,
    )


REPORT = EvaluationReport(
    run_id="r",
    rows=(row("deepfm", "auc", 0.8), row("item_mean", "auc", 0.6), row("ease", "ndcg", 0.08, 10)),
)


def test_a_gate_that_holds_says_nothing() -> None:
    rules = GateConfig(
        floors=(
            FloorConfig(metric="auc", at_least=0.8),
            FloorConfig(metric="ndcg", k=10, model="ease", at_least=0.07),
        ),
        must_beat=(MustBeatConfig(metric="auc", baselines=("item_mean",)),),
    )
    gate.check(REPORT, rules, "deepfm", "there.html")
    gate.check(REPORT, GateConfig(), "deepfm", "there.html")


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        (
            GateConfig(floors=(FloorConfig(metric="auc", at_least=0.82),)),
            r"auc of deepfm is 0\.8000, below the floor 0\.82.*there\.html",
        ),
        (
            GateConfig(floors=(FloorConfig(metric="ndcg", k=20, model="ease", at_least=0),)),
            r"ndcg@20 of ease was not measured",
        ),
        (
            GateConfig(must_beat=(MustBeatConfig(metric="auc", baselines=("deepfm", "gone")),)),
            r"not above deepfm \(0\.8000\); auc of gone was not measured",
        ),
    ],
)
def test_a_gate_that_fails_names_figure_floor_and_place(rules: GateConfig, words: str) -> None:
    with pytest.raises(GateFailed, match=words):
        gate.check(REPORT, rules, "deepfm", "there.html")


def test_a_task_is_measured_on_the_rows_whose_label_is_known(examples: like.Examples) -> None:
    rng = np.random.default_rng(5)

    def with_second(part: pa.Table) -> pa.Table:
        values = (rng.random(part.num_rows) < 0.3).astype(float)
        hidden = pa.array(values, mask=rng.random(part.num_rows) < 0.4)
        return part.append_column("label_buy", hidden)

    several = like.Examples(
        with_second(examples.train), with_second(examples.validation), with_second(examples.test)
    )
    buy = Task(name="buy", label="label_buy")
    spec = SPEC.model_copy(update={"tasks": (*SPEC.tasks, buy)})
    chances = rng.random(several.test.num_rows)
    config = EvaluationConfig(like_baselines=(ItemMeanConfig(),))
    found = like.evaluate("mmoe", chances, several, spec, config, True, False, WHO, buy)
    truth = several.test["label_buy"].to_numpy()
    known = ~np.isnan(truth)
    assert found.task == "buy"
    assert found.unlabelled == (~known).sum() > 100
    assert {row.task for row in found.rows} == {"buy"}
    whole = {(r.model, r.metric): r.value for r in found.rows if r.slice == "all"}
    assert whole["observed", "events"] == known.sum()
    assert whole["observed", "unlabelled"] == (~known).sum()
    assert whole["mmoe", "auc"] == pytest.approx(roc_auc_score(truth[known], chances[known]))
    own = several.of(buy)
    expected = bias.item_mean(own.known, own.test, ItemMeanConfig())
    assert whole["item_mean", "auc"] == pytest.approx(roc_auc_score(truth[known], expected))
    assert found.table()["task"].unique().to_pylist() == ["buy"]
    assert found.table().num_rows == known.sum()


def test_calibrated_chances_are_a_model_of_their_own(examples: like.Examples) -> None:
    chances = 1 / (1 + np.exp(-3 * np.asarray(examples.test["x"], float)))  # too sure
    half = Platt(slope=1 / 3, intercept=0.0)
    config = EvaluationConfig(like_baselines=(), slices=())
    rows = like.evaluate(
        "deepfm", chances, examples, SPEC, config, False, False, WHO, calibration=half
    ).rows
    value = {(r.model, r.metric): r.value for r in rows if r.slice == "all"}
    labels = np.asarray(examples.test["label"])
    mapped = 1 / (1 + np.exp(-np.asarray(examples.test["x"], float)))
    assert value["deepfm+platt", "logloss"] == pytest.approx(log_loss(labels, mapped), abs=1e-6)
    assert value["deepfm", "logloss"] == pytest.approx(log_loss(labels, chances), abs=1e-6)
    assert value["deepfm+platt", "auc"] == value["deepfm", "auc"]
    assert value["deepfm+platt", "calibration_error"] < value["deepfm", "calibration_error"]


def test_declared_slices_are_measured_with_intervals(examples: like.Examples) -> None:
    config = EvaluationConfig(
        like_baselines=(),
        slices=(
            ColumnSlice(column="genre", separator="|", most=2),
            ColumnSlice(source="user", column="age", bounds=(18, 25)),
            ColumnSlice(source="examples", column="item", most=1),
            ActivitySlice(bounds=(1, 45)),
            NewUsersSlice(),
        ),
    )
    chances = 1 / (1 + np.exp(-np.asarray(examples.test["x"], float)))
    found = like.evaluate("deepfm", chances, examples, SPEC, config, True, False, WHO)
    rows = {(r.slice, r.metric): r for r in found.rows if r.model == "deepfm"}
    test, labels = examples.test.to_pylist(), np.asarray(examples.test["label"])
    genres = dict(zip(range(15), WHO.items["genre"].to_pylist(), strict=True))
    ages = WHO.users["age"].to_pylist()
    members = {
        "genre:a": [genres[r["item_id"]] in ("a", "a|b") for r in test],
        "genre:b": [genres[r["item_id"]] in ("b", "a|b") for r in test],
        "genre:other": [genres[r["item_id"]] in ("c", None) for r in test],
        "age:below 18": [ages[r["user_id"]] is not None and ages[r["user_id"]] < 18 for r in test],
        "age:18-24": [18 <= (ages[r["user_id"]] or 0) < 25 for r in test],
        "age:25+": [(ages[r["user_id"]] or 0) >= 25 for r in test],
        "age:missing": [ages[r["user_id"]] is None for r in test],
        "user:known": [True] * len(test),
    }
    for name, mask in members.items():
        area = rows[name, "auc"]
        assert area.value == pytest.approx(roc_auc_score(labels[mask], chances[mask])), name
        users = {r["user_id"] for r, inside in zip(test, mask, strict=True) if inside}
        assert area.users == len(users)
        if len(users) == 1:  # nothing to resample
            assert area.ci_low is None
            continue
        assert area.ci_low < area.value < area.ci_high
        assert rows[name, "logloss"].ci_low is not None
    earlier = {name for name, _ in rows if name.startswith("earlier_events:")}
    assert earlier <= {"earlier_events:0", "earlier_events:1-44", "earlier_events:45+"}
    assert "user:unknown" not in {name for name, _ in rows}
    listed = found.scored["slices"].to_pylist()
    for name, mask in members.items():
        assert [name in own for own in listed] == list(mask), name


def test_a_slice_of_no_column_is_told(examples: like.Examples) -> None:
    config = EvaluationConfig(like_baselines=(), slices=(ColumnSlice(column="colour"),))
    chances = np.full(examples.test.num_rows, 0.5)
    with pytest.raises(DataError, match="item table has no column 'colour'; it has item_id, genre"):
        like.evaluate("deepfm", chances, examples, SPEC, config, True, False, WHO)


BARE = EvaluationConfig(like_baselines=(), slices=(), bootstrap=BootstrapConfig(resamples=50))


def whole_of(examples: like.Examples, config: EvaluationConfig = BARE) -> dict[str, EvaluationRow]:
    chances = np.full(examples.test.num_rows, 0.5)
    found = like.evaluate("m", chances, examples, SPEC, config, False, False, WHO)
    return {row.metric: row for row in found.rows if (row.model, row.slice) == ("m", "all")}


def with_test(examples: like.Examples, **columns: object) -> like.Examples:
    test = examples.test
    for name, values in columns.items():
        test = test.set_column(test.column_names.index(name), name, pa.array(values))
    return like.Examples(examples.train, examples.validation, test)


def test_one_label_alone_leaves_out_what_needs_both(examples: like.Examples) -> None:
    positive = whole_of(with_test(examples, label=np.ones(400)))
    assert set(positive) == {"pr_auc", "logloss", "calibration", "calibration_error"}
    assert positive["calibration"].value == 0.5
    negative = whole_of(with_test(examples, label=np.zeros(400)))
    assert set(negative) == {"logloss", "calibration_error"}


def test_one_user_has_figures_without_intervals(examples: like.Examples) -> None:
    rows = whole_of(with_test(examples, user_id=np.full(400, 3)))
    assert rows["auc"].value == rows["gauc"].value == 0.5
    assert all((row.ci_low, row.ci_high) == (None, None) for row in rows.values())


def test_what_cannot_be_measured_is_told_in_one_sentence(examples: like.Examples) -> None:
    nobody = like.Examples(examples.train, examples.validation, examples.test.slice(0, 0))
    with pytest.raises(DataError, match="like: the test part is empty"):
        whole_of(nobody, EvaluationConfig())
    hidden = with_test(examples, label=pa.array([None] * 400, pa.float64()))
    with pytest.raises(DataError, match="like: none of the 400 test events has a label"):
        whole_of(hidden, EvaluationConfig())
    chances = np.where(np.arange(400) == 7, np.nan, 0.5)
    with pytest.raises(
        DataError, match="deepfm: 1 of 400 scores are not numbers; look at the losses"
    ):
        like.evaluate("deepfm", chances, examples, SPEC, BARE, False, False, WHO)


@pytest.mark.parametrize("name", [lambda n: n + 2**53 + 1, lambda n: f"{n:03d}"])
def test_other_ids_give_the_same_figures(
    name: Callable[[int], object], examples: like.Examples, result: like.LikeResult
) -> None:
    """Neighbours beyond 2^53, which a float cannot tell apart, and texts with leading zeros."""

    def renamed(table: pa.Table, *keys: str) -> pa.Table:
        for key in keys:
            ids = pa.array([name(n) for n in table[key].to_pylist()])
            table = table.set_column(table.column_names.index(key), key, ids)
        return table

    parts = (examples.train, examples.validation, examples.test)
    other = like.Examples(*(renamed(part, "user_id", "item_id") for part in parts))
    who = Entities(renamed(WHO.items, "item_id"), renamed(WHO.users, "user_id"))
    chances = result.scores["deepfm"]
    found = like.evaluate("deepfm", chances, other, SPEC, EvaluationConfig(), True, False, who)
    assert found.rows == result.rows


@pytest.mark.parametrize("value", [np.inf, -np.inf, 1e30, 0.0])
def test_scores_without_an_order_are_shown_as_chance(examples: like.Examples, value: float) -> None:
    scores = np.full(400, value, np.float32)
    found = like.evaluate("m", scores, examples, SPEC, BARE, False, False, WHO)
    with np.errstate(all="raise"):
        body = body_of(found, ListsResult((), 0, 0, 0.0, "", pa.table({})), BARE)
    assert {r.metric: r.value for r in found.rows if r.model == "m"}["auc"] == 0.5
    assert "ROC" in body


def test_a_label_that_is_no_number_is_not_known(examples: like.Examples) -> None:
    truth = np.asarray(examples.test["label"]).copy()
    truth[::3] = np.nan
    chances = np.random.default_rng(4).random(400)
    some = with_test(examples, label=truth)
    found = like.evaluate("m", chances, some, SPEC, BARE, False, False, WHO)
    rows = {r.metric: r.value for r in found.rows if (r.model, r.slice) == ("m", "all")}
    known = ~np.isnan(truth)
    assert found.unlabelled == 134
    assert rows["auc"] == pytest.approx(roc_auc_score(truth[known], chances[known]), abs=1e-9)


def test_a_task_without_a_label_to_learn_from_is_told(examples: like.Examples) -> None:
    names = examples.train.column_names
    empty = pa.array([None] * examples.train.num_rows, pa.float64())
    train = examples.train.set_column(names.index("label"), "label", empty)
    hidden = like.Examples(train, examples.validation, examples.test)
    with pytest.raises(DataError, match="like: no training event has a label"):
        whole_of(hidden, EvaluationConfig())
    assert whole_of(hidden)["auc"].value == 0.5


def test_models_of_one_kind_stand_apart(examples: like.Examples) -> None:
    """A trained logistic regression beside the baseline, and two of one baseline."""
    config = EvaluationConfig(
        like_baselines=(
            LogisticBaselineConfig(),
            ItemMeanConfig(smoothing=1),
            ItemMeanConfig(smoothing=99),
        ),
        slices=(),
    )
    own = np.random.default_rng(2).random(400)
    name = config.trained_name("logistic_regression")
    found = like.evaluate(name, own, examples, SPEC, config, False, False, WHO)
    labels = np.asarray(examples.test["label"])
    whole = {r.model: r.value for r in found.rows if (r.metric, r.slice) == ("auc", "all")}
    known, test = examples.known, examples.test.select(examples.known.column_names)
    expected = {
        "trained logistic_regression": own,
        "logistic_regression": like.baseline_scores(
            examples, SPEC, config.like_baselines[0], refit=False
        ),
        "item_mean": bias.item_mean(known, test, ItemMeanConfig(smoothing=1)),
        "item_mean#2": bias.item_mean(known, test, ItemMeanConfig(smoothing=99)),
    }
    assert whole == {
        model: pytest.approx(roc_auc_score(labels, scores), abs=1e-9)
        for model, scores in expected.items()
    }
    np.testing.assert_allclose(np.asarray(found.scored["score"]), own, rtol=1e-6)


def test_a_value_called_all_does_not_stand_for_everything(examples: like.Examples) -> None:
    who = Entities(pa.table({"item_id": range(15), "genre": ["all"] * 15}), WHO.users)
    config = BARE.model_copy(update={"slices": (ColumnSlice(column="genre"),)})
    chances = np.full(400, 0.5)
    rows = like.evaluate("m", chances, examples, SPEC, config, False, True, who).rows
    assert {r.slice for r in rows} == {"sampled_negatives", "sampled_negatives:genre:all"}


def test_a_floor_of_lists_is_meant_for_the_trained_models_lists() -> None:
    rules = GateConfig(floors=(FloorConfig(metric="ndcg", k=10, at_least=0.09),))
    rows = (*REPORT.rows, row("ease+deepfm", "ndcg", 0.0899, 10))
    report = EvaluationReport(run_id="r", rows=rows)
    with pytest.raises(GateFailed, match=r"ndcg@10 of ease\+deepfm is 0\.0899, below the floor"):
        gate.check(report, rules, "deepfm", "there.html")


STATS = feature_stats(validation_start=1, test_start=2)


def body_of(result: like.LikeResult, lists: ListsResult, config: EvaluationConfig) -> str:
    report = EvaluationReport(run_id="r1", rows=(*result.rows, *lists.rows))
    text = page.render(report, [result], lists, STATS, config)
    return text[text.index("<body>") :]


def test_what_is_not_defined_is_said_to_be_so(examples: like.Examples) -> None:
    """One label alone, and users of whose lists nothing is new."""
    positive = with_test(examples, label=np.ones(400))
    chances = np.full(400, 0.5)
    found = like.evaluate("m", chances, positive, SPEC, BARE, False, False, WHO)
    lists = ListsResult(
        (row("ease", "novelty", 2.5, 10),), 3, 2, float("nan"), "ease", pa.table({})
    )
    body = body_of(found, lists, BARE)
    first, second, third = (part[: part.index("</table>")] for part in body.split("<table>")[1:])
    cells = first[first.index("<tbody>") :].count("not defined")
    assert cells == 3  # AUC, GAUC, normalized entropy
    assert second.count("not defined") == 0  # nobody has a metric of lists, so there is no line
    assert third.count("not defined") == 4  # all but novelty; repetition is not asked for
    assert "Nothing new came next, so no metric of the lists is defined." in body
    assert "nan" not in body.lower().replace("finance", "")


def test_slices_with_colons_are_shown(examples: like.Examples) -> None:
    who = Entities(
        pa.table({"item_id": range(15), "over": ["8:15", "9:00", "9:30"] * 5}), WHO.users
    )
    config = BARE.model_copy(update={"slices": (ColumnSlice(column="over"),)})
    chances = np.random.default_rng(0).random(400)
    for sampled in (False, True):
        found = like.evaluate("m", chances, examples, SPEC, config, False, sampled, who)
        body = body_of(found, ListsResult((), 0, 0, 0.0, "", pa.table({})), config)
        assert "AUC by slice" in body
        for time in ("8:15", "9:00", "9:30"):
            assert f"item over {time}" in body


def test_the_page_needs_no_network(result: like.LikeResult) -> None:
    lists_rows = (row("ease", "ndcg", 0.08, 10), row("ease+<b>", "ndcg", 0.09, 10))
    lists = ListsResult(lists_rows, 3, 2, 0.2, "ease+<b>", pa.table({}), exposure={"ease": [0, 1]})
    body = body_of(result, lists, EvaluationConfig())
    assert body.count("Plotly.newPlot") == 11  # nobody has a recall
    assert "<link" not in body
    assert "src=" not in body
    assert "cdn" not in body
    assert "<td class=win>0.0900" in body
    assert "ease+&lt;b&gt;" in body
    assert "leaking" not in body
    for words in (
        "AUC above the others",
        "Reliability",
        "ROC",
        "Precision and recall",
        "NDCG@10",
        "20.0%",
        "400 test events",
    ):
        assert words in body, words
