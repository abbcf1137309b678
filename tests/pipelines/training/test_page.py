"""The page on a training: drawn without crossing boxes, told without loss."""

from itertools import combinations
from xml.etree import ElementTree as ET

from reclife.contracts import EpochRow, ModelPart, ModelSummary, TrainingReport
from reclife.pipelines.training.layout import layout
from reclife.pipelines.training.page import render, text
from reclife.pipelines.training.picture import draw

READS = {
    "item": (),
    "late": (),
    "rows": ("item",),
    "deep": ("rows",),
    "sum": ("deep", "item", "late"),
    "like": ("sum",),
}
SUMMARY = ModelSummary(
    model_kind="toy",
    parts=(
        *(
            ModelPart(name=name, kind="concat", reads=reads, shape="[B, 4]", numbers=1234)
            for name, reads in READS.items()
        ),
        ModelPart(name="deep_0", kind="piece", reads=(), shape="[B, 4]", numbers=9, within="deep"),
    ),
    tables={"items": (10, 4)},
    numbers=1000,
)
REPORT = TrainingReport(
    run_id="run",
    model_kind="toy",
    seed=1,
    spec_hash="hash",
    epochs=(
        EpochRow(
            phase="fit",
            epoch=1,
            loss=0.6931,
            gradient_norm=1.5,
            learning_rate=0.1,
            sparse_learning_rate=0.1,
            validation={"<like>": {"auc": 0.7654}},
            seconds=2.0,
            waiting_seconds=0.1,
        ),
    ),
    best_epoch=1,
    refitted=False,
    steps=10,
    rows=100,
    seconds=2.0,
    rows_per_second=50.0,
    parameters=1000,
    used_features=("item",),
    unused_features=("genre",),
    validation={"<like>": {"auc": 0.7654}},
)


def test_a_part_stands_behind_what_it_reads_and_an_input_close_to_its_reader():
    found = layout(READS)
    at = {name: depth for depth, layer in enumerate(found.layers) for name in layer}
    assert at | {"item": 0, "rows": 1, "deep": 2, "late": 2, "sum": 3, "like": 4} == at
    for edge in found.edges:
        assert [at[name] for name in edge] == list(range(at[edge[0]], at[edge[-1]] + 1))
    assert {(edge[0], edge[-1]) for edge in found.edges} == {
        (source, name) for name, sources in READS.items() for source in sources
    }


def test_an_order_without_crossings_is_found():
    """Two chains, told crosswise: a to y, b to x."""
    found = layout({"a": (), "b": (), "x": ("b",), "y": ("a",)})
    first, second = found.layers
    assert [{"a": "y", "b": "x"}[name] for name in first] == second


def test_the_picture_has_each_part_once_and_no_box_on_another():
    root = ET.fromstring(draw(SUMMARY))  # noqa: S314 - our own text
    space = "{http://www.w3.org/2000/svg}"
    boxes = [
        [float(box.get(key, "")) for key in ("x", "y", "width", "height")]
        for box in root.iter(f"{space}rect")
    ]
    assert len(boxes) == len(READS)
    for (x, y, w, h), (u, v, p, q) in combinations(boxes, 2):
        assert x + w <= u or u + p <= x or y + h <= v or v + q <= y
    names = [label.text for label in root.iter(f"{space}text") if label.get("font-weight")]
    assert sorted(names) == sorted(READS)
    assert len(list(root.iter(f"{space}path"))) == sum(map(len, READS.values()))


def test_the_page_tells_epochs_shapes_and_what_is_not_used():
    page = render(REPORT, SUMMARY)
    for shown in ("0.6931", "0.7654", "items [10, 4]", "deep_0", "1,234", "does not use: genre"):
        assert shown in page
    assert "<svg" in page
    assert "<like>" not in page
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")


def test_a_trained_candidate_source_is_drawn_beside_the_model():
    source = SUMMARY.model_copy(update={"model_kind": "sasrec", "tables": {}, "numbers": 7654})
    page = render(REPORT, SUMMARY, source)
    assert page.count("<svg") == 2
    assert page.count("deep_0") == 2
    assert "The candidate source, sasrec" in page
    assert "7,654 numbers" in page
    assert "The candidate source" not in render(REPORT, SUMMARY)


def test_the_log_has_a_line_for_each_part_and_none_for_pieces():
    lines = text(SUMMARY).splitlines()
    assert [line.split()[0] for line in lines] == ["part", *READS]
    assert lines[5].split() == ["sum", "concat", "[B,", "4]", "1,234", "deep,", "item,", "late"]
