"""What every trained retriever must do, whatever its kind."""

import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from reclife.config.neural import (
    BERT4RecConfig,
    BprMatrixFactorizationConfig,
    CosineConfig,
    GbceConfig,
    GSASRecConfig,
    LightGCNConfig,
    MatrixFactorizationConfig,
    NeuralSourceConfig,
    SampledSoftmaxConfig,
    SASRecConfig,
    SequenceModelConfig,
    SoftmaxConfig,
    TwoTowerConfig,
    ValidationConfig,
)
from reclife.config.retrieval import CandidatesConfig
from reclife.errors import TrainingError
from reclife.models.retrieval import build
from reclife.models.retrieval.sequence import SequenceModel
from reclife.retrieval.candidates import CandidateSource
from reclife.retrieval.histories import Histories
from reclife.retrieval.interactions import Interactions
from reclife.retrieval.vectors import Graph, Vectors
from reclife.training.retrieval.fit import batches, train
from reclife.training.retrieval.frozen import frozen
from reclife.training.retrieval.objective import Objective
from reclife.training.retrieval.sequences import Sequences
from reclife.training.retrieval.sources import fit
from reclife.training.retrieval.trainer import Trainer

USERS, ITEMS, DIM = 40, 30, 8
SMALL = {"embedding_dim": DIM, "epochs": 3, "batch_size": 16, "learning_rate": 0.02}
LENGTH = {"max_length": 6}
KINDS: list[NeuralSourceConfig] = [
    MatrixFactorizationConfig(**SMALL),
    BprMatrixFactorizationConfig(**SMALL),
    LightGCNConfig(**SMALL, layers=2, similarity=CosineConfig(temperature=0.2)),
    TwoTowerConfig(**SMALL, **LENGTH, targets="next"),
    TwoTowerConfig(**SMALL, **LENGTH, similarity=CosineConfig(), targets="others"),
    SASRecConfig(**SMALL, **LENGTH, loss=SoftmaxConfig()),
    SASRecConfig(**SMALL, **LENGTH, loss=GbceConfig(negatives=5, calibration=0.0)),
    SASRecConfig(**SMALL, **LENGTH, heads=2, loss=SampledSoftmaxConfig(negatives=9)),
    GSASRecConfig(**SMALL, **LENGTH, loss=GbceConfig(negatives=10)),
    BERT4RecConfig(**SMALL, **LENGTH),
]
Fitted = Callable[[NeuralSourceConfig], CandidateSource]
FEW = [KINDS[0], KINDS[2], KINDS[5]]


def named(config: NeuralSourceConfig) -> str:
    """Return what a test of the configuration is called."""
    return f"{config.kind}-{config.loss.kind}"


few_kinds = pytest.mark.parametrize(
    "config",
    [pytest.param(c, marks=() if c in FEW else pytest.mark.slow) for c in KINDS],
    ids=named,
)
every_kind = pytest.mark.parametrize("config", KINDS, ids=named)
sequences_only = pytest.mark.parametrize(
    "config", [KINDS[3], KINDS[5], KINDS[7], KINDS[9]], ids=named
)


def walks(seed: int = 0) -> pa.Table:
    """Users who go from one item to the next, with a few jumps: there is something to learn."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(4, 12, USERS)
    starts = np.repeat(rng.integers(0, ITEMS, USERS), lengths)
    steps = np.concatenate([np.arange(n) for n in lengths])
    jumps = rng.integers(0, ITEMS, len(steps)) * (rng.random(len(steps)) < 0.1)
    items = (starts + steps + jumps) % ITEMS
    users = np.repeat(np.arange(USERS) * 3 + 7, lengths)
    return pa.table({"user_id": users, "item_id": items * 11 + 5, "timestamp": steps * 60})


@pytest.fixture(scope="module")
def fitted() -> Fitted:
    """Fit a source on the walks, once each."""
    return cache(lambda config: CandidateSource.fit(walks(), CandidatesConfig(source=config), fit))


def random_histories(index: pa.Array, queries: int, seed: int) -> pa.Array:
    rng = np.random.default_rng(seed)
    ids = index.to_pylist()
    lists = [rng.choice(ids, rng.integers(1, 10), replace=False).tolist() for _ in range(queries)]
    return pa.array(lists, pa.list_(index.type))


@few_kinds
def test_the_loss_falls(config: NeuralSourceConfig) -> None:
    interactions = Interactions.of(walks())
    sequences = Sequences.of(interactions)
    many = batches(sequences, config)
    objective = Objective(config.loss, sequences.columns, len(interactions.index))
    trainer = Trainer(build(config, interactions.matrix), objective, config, steps=1000)
    losses = [np.mean([float(trainer.step(b)) for b in many.epoch(e)]) for e in range(12)]
    assert np.mean(losses[-3:]) < np.mean(losses[:3])


@few_kinds
def test_the_same_seed_gives_the_same_vectors(config: NeuralSourceConfig, fitted: Fitted) -> None:
    first = fitted(config).retriever
    again, other = (
        CandidateSource.fit(
            walks(), CandidatesConfig(source=config.model_copy(update={"seed": seed})), fit
        ).retriever
        for seed in (config.seed, config.seed + 1)
    )
    assert isinstance(first, Vectors)
    assert isinstance(again, Vectors)
    assert isinstance(other, Vectors)
    np.testing.assert_array_equal(first.items, again.items)
    assert np.abs(first.items - other.items).max() > 1e-3


@few_kinds
def test_saved_and_loaded_it_lists_the_same(
    config: NeuralSourceConfig,
    fitted: Fitted,
    tmp_path: Path,
) -> None:
    source = fitted(config)
    source.save(tmp_path)
    again = CandidateSource.load(tmp_path)
    assert {p.suffix for p in tmp_path.iterdir()} <= {".parquet", ".json", ".npy", ".onnx"}
    histories = random_histories(source.items, 20, seed=1)
    users = pa.array(np.arange(20) * 3 + 7)
    found = source.top(histories, 10, users=users)
    assert again.top(histories, 10, users=users).equals(found)
    seen = {(q, i) for q, history in enumerate(histories.to_pylist()) for i in history}
    listed = set(zip(found["query"].to_pylist(), found["item_id"].to_pylist(), strict=True))
    assert not seen & listed


def test_a_source_is_loaded_and_asked_without_tensorflow(fitted: Fitted, tmp_path: Path) -> None:
    source = fitted(KINDS[5])
    source.save(tmp_path)
    lists = random_histories(source.items, 5, seed=1)
    script = (
        "import sys, pathlib, pyarrow as pa\n"
        "from reclife.retrieval.candidates import CandidateSource\n"
        "source = CandidateSource.load(pathlib.Path(sys.argv[1]))\n"
        f"found = source.top(pa.array({lists.to_pylist()}, pa.list_(pa.int64())), 3)\n"
        "assert not {'tensorflow', 'keras', 'tf2onnx'} & sys.modules.keys()\n"
        "print(*found['item_id'].to_pylist())"
    )
    run = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True
    )
    expected = source.top(lists, 3)["item_id"].to_pylist()
    assert [int(word) for word in run.stdout.split()] == expected


@every_kind
def test_scores_are_the_models_own(config: NeuralSourceConfig) -> None:
    import tensorflow as tf

    interactions = Interactions.of(walks())
    model = build(config, interactions.matrix)
    model.bias.assign(np.random.default_rng(0).normal(size=ITEMS))
    retriever = frozen(model, interactions)
    lists = random_histories(interactions.index.ids, 30, seed=2)
    users = interactions.owners.raw(np.arange(30))
    histories = Histories.of(lists, interactions.index, users)
    if isinstance(model, SequenceModel):
        assert isinstance(config, SequenceModelConfig)
        padded = tf.constant(histories.padded(config.max_length))
        queries = model.query(padded).numpy()
        items = model.compared(model.table[1:], model.table[1:])[1].numpy()
    else:
        queries, items = (x.numpy() for x in model.forward({"user": np.arange(30)}, training=False))
    bias = 0.0 if isinstance(config.similarity, CosineConfig) else model.bias.numpy()
    np.testing.assert_allclose(
        retriever.scores(histories), queries @ items.T + bias, rtol=1e-5, atol=1e-5
    )


@sequences_only
def test_the_graph_is_the_encoder_and_padding_changes_nothing(config: SequenceModelConfig) -> None:
    interactions = Interactions.of(walks())
    model = build(config, interactions.matrix)
    encoder = frozen(model, interactions).encoder
    assert isinstance(encoder, Graph)
    assert isinstance(model, SequenceModel)
    rng = np.random.default_rng(3)
    history = rng.integers(1, ITEMS + 1, (7, 5))
    session = encoder._open()
    expected = model.query(history).numpy()
    for batch in (history, np.pad(history, ((0, 0), (10, 0)))):
        found = session.run(None, {"history": batch})[0]
        np.testing.assert_allclose(found, expected, atol=1e-5)
    one = [session.run(None, {"history": history[i : i + 1]})[0][0] for i in range(7)]
    np.testing.assert_allclose(one, expected, atol=1e-5)
    newest = np.concatenate([rng.integers(1, ITEMS + 1, (7, 4)), history], axis=1)
    longer, cut = (session.run(None, {"history": h})[0] for h in (newest, newest[:, -6:]))
    np.testing.assert_allclose(longer, cut, atol=1e-5)


@pytest.mark.parametrize("config", [KINDS[3], KINDS[5], KINDS[8]], ids=named)
def test_what_follows_changes_no_place_before_it(config: SequenceModelConfig) -> None:
    """Training knows places by what came before them, as they are when a list is asked for."""
    model = build(config, Interactions.of(walks()).matrix)
    assert isinstance(model, SequenceModel)
    rng = np.random.default_rng(5)
    history = np.pad(rng.integers(1, ITEMS + 1, (7, 4)), ((0, 0), (2, 0)))
    whole = model.states(history, training=False).numpy()
    for stop in range(3, 7):
        asked = model.newest(history[:, :stop]).numpy()
        np.testing.assert_allclose(whole[:, stop - 1], asked, atol=1e-5)


@few_kinds
def test_unknown_items_are_ignored_and_strangers_get_the_fallback(
    config: NeuralSourceConfig, fitted: Fitted
) -> None:
    source = fitted(config)
    known = source.items[3].as_py()
    histories = pa.array([[known], [known, 999_999], [], [999_999], None], pa.list_(pa.int64()))
    strangers = pa.array([-1, -2, -3, -4, -5])
    top = source.top(histories, 5, users=strangers)
    lists = np.array(top["item_id"]).reshape(5, 5)
    np.testing.assert_array_equal(lists[0], lists[1])
    popular = source.items[:5].to_pylist()
    assert lists[2:].tolist() == [popular] * 3
    retrieved = np.array(top["retrieved"]).reshape(5, 5)
    assert retrieved[:2].all()
    assert not retrieved[2:].any()


@pytest.mark.parametrize("config", [KINDS[3], KINDS[4], KINDS[6], KINDS[8]], ids=lambda c: c.kind)
def test_users_of_one_event_are_nothing_to_learn_an_order_from(config: NeuralSourceConfig) -> None:
    lonely = pa.table({"user_id": range(9), "item_id": range(9), "timestamp": range(9)})
    with pytest.raises(TrainingError, match="nobody has two events"):
        train(Interactions.of(lonely), config)


@pytest.mark.parametrize("config", [KINDS[0], KINDS[8]], ids=lambda c: c.kind)
def test_of_one_item_there_is_no_choice(config: NeuralSourceConfig) -> None:
    one = pa.table({"user_id": [1, 1, 2], "item_id": [5, 5, 5], "timestamp": [1, 2, 3]})
    with pytest.raises(TrainingError, match="one item only"):
        train(Interactions.of(one), config)


def test_vectors_beyond_memory_are_told() -> None:
    config = MatrixFactorizationConfig(embedding_dim=1 << 40)
    with pytest.raises(TrainingError, match="declare a smaller embedding_dim"):
        train(Interactions.of(walks()), config)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_scores_that_overflow_on_held_out_events_are_told() -> None:
    config = MatrixFactorizationConfig(**SMALL | {"learning_rate": 1e30}, validation={})
    with pytest.raises(TrainingError, match="lower learning_rate"):
        train(Interactions.of(walks()), config)


@pytest.mark.slow
@every_kind
def test_something_is_learned(config: NeuralSourceConfig) -> None:
    """The next item on the walk is among the first five of thirty more often than by chance."""
    few = isinstance(config.loss, GbceConfig)  # it learns of a few items a step
    long = config.model_copy(update={"epochs": 160 if few else 40})
    source = CandidateSource.fit(walks(), CandidatesConfig(source=long), fit)
    rng = np.random.default_rng(4)
    starts = rng.integers(0, ITEMS, 60)
    items = (starts[:, None] + np.arange(5)) % ITEMS * 11 + 5
    lists = pa.array(items[:, :4].tolist(), pa.list_(pa.int64()))
    found = source.top(lists, 5)
    hits = np.array(found["item_id"]).reshape(60, 5) == items[:, 4:]
    assert hits.any(axis=1).mean() > 0.4  # by chance: 5 of the 26 that are left


@pytest.mark.slow
def test_the_number_of_epochs_is_chosen_on_events_set_aside() -> None:
    validation = ValidationConfig(every=2, patience=2, refit=False)
    config = SASRecConfig(**SMALL | {"epochs": 6}, **LENGTH, validation=validation)
    chosen = train(Interactions.of(walks()), config)
    assert chosen.items.shape == (ITEMS, DIM)
    refitted = train(
        Interactions.of(walks()),
        config.model_copy(update={"validation": ValidationConfig(every=2, patience=2)}),
    )
    assert np.abs(chosen.items - refitted.items).max() > 0
