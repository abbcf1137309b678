"""The stage's decision: int8 within the budget, the original outside, and the log says why."""

import logging

import onnxruntime
import pytest

from reclife.compression.compress import Examples, compress
from reclife.config.compression import CompressionConfig
from reclife.contracts import ChosenGraph
from toys import deepfm, toy_examples, toy_spec

WIDE = {"max_auc_drop": 0.5, "max_abs_diff": 1.0, "min_top10_overlap": 0.0, "min_ratio": 1.0}


@pytest.fixture(scope="module")
def examples():
    return Examples(toy_examples(1000, 1), toy_examples(600, 2), toy_examples(600, 3))


@pytest.fixture(scope="module")
def model():
    return deepfm(toy_spec())


def test_within_the_budget_the_smaller_graph_is_chosen(model, examples, tmp_path):
    config = CompressionConfig.model_validate({"budget": WIDE})
    compressed = compress(model, toy_spec(), examples, config, "run")
    compressed.save(tmp_path)
    chosen = ChosenGraph.read(tmp_path / "chosen.json")
    assert chosen.variant == compressed.report.chosen == "int8"
    sizes = {name: (tmp_path / file).stat().st_size for name, file in chosen.graphs.items()}
    for row in compressed.report.rows:
        assert row.bytes == sizes[row.variant]
        assert row.ratio == pytest.approx(sizes["original"] / row.bytes, abs=1e-3)
    for file in chosen.graphs.values():
        onnxruntime.InferenceSession(tmp_path / file)


def test_rows_cover_both_variants_and_the_original_costs_nothing(model, examples):
    report = compress(model, toy_spec(), examples, CompressionConfig(), "run").report
    metrics = {"auc", "logloss", "validation_auc", "validation_logloss"}
    for variant in ("original", "int8"):
        assert {r.metric for r in report.rows if r.variant == variant} == metrics
    values = {(r.variant, r.metric): r for r in report.rows}
    for metric in metrics:
        original, int8 = values["original", metric], values["int8", metric]
        assert (original.delta, original.max_abs_diff, original.top10_overlap) == (0, 0, 1)
        assert int8.delta == pytest.approx(int8.value - original.value)


@pytest.mark.parametrize(
    ("limit", "reason"),
    [
        ({"min_ratio": 50.0}, "of the original's"),
        ({"max_abs_diff": 1e-6}, "a score moves"),
        ({"min_top10_overlap": 1.0, "max_abs_diff": 1e-6}, "a score moves"),
    ],
)
def test_outside_the_budget_the_original_stays(model, examples, tmp_path, caplog, limit, reason):
    config = CompressionConfig.model_validate({"budget": WIDE | limit})
    with caplog.at_level(logging.INFO):
        compressed = compress(model, toy_spec(), examples, config, "run")
    compressed.save(tmp_path)
    assert ChosenGraph.read(tmp_path / "chosen.json").variant == "original"
    assert reason in caplog.text
    assert "the original is shipped" in caplog.text


def test_the_next_method_is_tried_when_one_is_outside_the_budget(model, examples):
    drift = {
        row.variant: row.max_abs_diff
        for row in compress(
            model,
            toy_spec(),
            examples,
            CompressionConfig.model_validate({"budget": {"min_ratio": 99}}),
            "run",
        ).report.rows
        if row.metric == "validation_auc"
    }
    assert drift["int8_embeddings"] < drift["int8"]
    between = (drift["int8_embeddings"] + drift["int8"]) / 2
    config = CompressionConfig.model_validate({"budget": WIDE | {"max_abs_diff": between}})
    report = compress(model, toy_spec(), examples, config, "run").report
    assert report.chosen == "int8_embeddings"
    assert {row.variant for row in report.rows} == {"original", "int8", "int8_embeddings"}


def test_variants_need_names_that_differ():
    methods = [{"kind": "static_int8"}, {"kind": "row_int8", "name": "int8"}]
    with pytest.raises(ValueError, match="names that differ"):
        CompressionConfig.model_validate({"methods": methods})
