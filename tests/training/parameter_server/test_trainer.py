"""The asynchronous trainer with one worker, this process: it must equal the local trainer."""

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.training import toy

from reclife.config.topology import ParameterServerConfig, WireConfig
from reclife.errors import ArtifactError
from reclife.models import build
from reclife.training.parameter_server.coordination import Connected
from reclife.training.parameter_server.trainer import ParameterServerTrainer, asynchronous
from reclife.training.replicas import Alone
from reclife.training.synchronous import synchronous
from reclife.training.trainer import Rates, Trainer, Work

HERE = "/device:CPU:0"
MODEL = {"kind": "deepfm", "hidden_units": [8], "embedding_dim": 4, "dropout": 0.0}
CONFIG = toy.config(
    model=MODEL,
    clipping={"kind": "global_norm", "limit": 0.5},
    objective={"weighting": {"kind": "uncertainty"}},
)
EXAMPLES = toy.examples(toy.table(320, seed=1), build(CONFIG.model, toy.SPEC, seed=1))


class Here:
    """Does a unit when it is handed out; `times` more than once, as after a crash."""

    def __init__(self, times: Callable[[int], int] = lambda _: 1) -> None:
        self._times = times

    def schedule(self, unit: Any, args: tuple[Any, ...]) -> "Done":
        numbers = args[2].numpy()
        return Done([unit(*args) for _ in range(self._times(int(numbers[0])))][-1])


class Done:
    def __init__(self, value: Any) -> None:
        self._value = value

    def fetch(self) -> Any:
        return self._value.numpy()


def servers(folder: Path, count: int, config: Any = CONFIG, **wire: Any) -> ParameterServerTrainer:
    coordinator, batches = wire.pop("coordinator", Here()), wire.pop("batches_per_unit", 1)
    prefetch = wire.pop("prefetch", False)
    cluster = Connected(coordinator, 1, (HERE,) * count)
    topology = ParameterServerConfig(
        workers=1,
        servers=count,
        batches_per_unit=batches,
        prefetch=prefetch,
        wire=WireConfig(**wire),
    )
    return asynchronous(cluster, topology, folder)(config, toy.SPEC, 3)


def local(config: Any = CONFIG) -> Trainer:
    return synchronous(Alone())(config, toy.SPEC, 3)


def train(trainer: Trainer, steps: int, examples: Any = EXAMPLES) -> list[Any]:
    def work() -> Any:
        for i in range(steps):
            rows = np.arange(64) + 64 * (i % 5)
            batch = trainer.prepare(examples, rows)
            yield Work(i % 5, batch, Rates(0.05, 0.01, i + 1), i + 1, watch=i == 1)

    return [result for _, result in trainer.steps(work())]


def assert_same(one: dict[str, Any], other: dict[str, Any], **tolerance: float) -> None:
    assert one.keys() == other.keys()
    for name, value in one.items():
        np.testing.assert_allclose(other[name], value, err_msg=name, **tolerance)


@pytest.mark.parametrize(
    ("count", "batches"), [pytest.param(1, 1, marks=pytest.mark.slow), (3, 1), (2, 3)]
)
def test_one_worker_does_what_one_process_does(count, batches, tmp_path):
    alone, cluster = local(), servers(tmp_path, count, batches_per_unit=batches)
    expected, found = train(alone, 7), train(cluster, 7)
    for one, other in zip(expected, found, strict=True):
        assert other.loss == pytest.approx(one.loss, rel=1e-4)
        assert other.gradient_norm == pytest.approx(one.gradient_norm, rel=1e-4)
        np.testing.assert_allclose(other.task_losses, one.task_losses, rtol=1e-4)
        assert other.watched == pytest.approx(one.watched, rel=1e-3, abs=1e-5)
    assert expected[1].watched
    assert_same(alone.state(), cluster.state(), rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(
        cluster.predict(EXAMPLES), alone.predict(EXAMPLES), rtol=1e-3, atol=1e-5
    )


def test_batches_of_a_unit_are_done_one_after_the_other(tmp_path):
    """What compression lost of one is there when the next one begins."""
    wire = {"pull": "int8", "push": "int4"}
    one, three = (servers(tmp_path / str(n), 2, batches_per_unit=n, **wire) for n in (1, 3))
    assert [r.loss for r in train(one, 7)] == [r.loss for r in train(three, 7)]
    for name, value in one.state().items():
        np.testing.assert_array_equal(three.state()[name], value, err_msg=name)


def test_prefetched_rows_miss_one_update(tmp_path):
    """The second batch of a unit is computed with the weights from before the first one."""
    cluster = servers(tmp_path, 2, batches_per_unit=2, prefetch=True)
    found = [result.loss for result in train(cluster, 4)]
    alone = local()
    first = train(alone, 1)[0].loss
    assert found[0] == pytest.approx(first, rel=1e-4)
    fresh, second = local(), np.arange(64) + 64
    batch = fresh.prepare(EXAMPLES, second)
    (early,) = fresh.steps(iter([Work(1, batch, Rates(0.05, 0.01, 2), 2, watch=False)]))
    assert found[1] == pytest.approx(early[1].loss, rel=1e-4)
    assert found[1] != pytest.approx(train(local(), 2)[1].loss, rel=1e-4)
    assert cluster.repeated() == ()


def test_a_checkpoint_fits_every_topology(tmp_path):
    alone, two, three = local(), servers(tmp_path / "2", 2), servers(tmp_path / "3", 3)
    train(alone, 2)
    two.restore(alone.state())
    assert_same(alone.state(), two.state())
    train(two, 2)
    three.restore(two.state())
    again = local()
    again.restore(three.state())
    assert_same(two.state(), again.state())


def test_another_models_checkpoint_is_refused(tmp_path):
    state = servers(tmp_path, 1).state()
    with pytest.raises(ArtifactError, match="does not fit the model: foreign"):
        servers(tmp_path, 1).restore(state | {"foreign": np.zeros(1)})


@pytest.mark.slow
@pytest.mark.parametrize("wire", [{"pull": "int8", "push": "int8"}, {"push": "top_k"}])
def test_compressed_messages_train_nearly_the_same(wire, tmp_path):
    expected, found = train(local(), 20), train(servers(tmp_path, 2, **wire), 20)
    assert found[0].loss == pytest.approx(expected[0].loss, abs=0.02)
    assert found[-1].loss == pytest.approx(expected[-1].loss, abs=0.1)


def test_a_batch_that_is_not_finite_moves_nothing(tmp_path):
    trainer = servers(tmp_path, 2)
    train(trainer, 1)
    before = trainer.state()
    broken = EXAMPLES.inputs | {"mean": np.full_like(EXAMPLES.inputs["mean"], np.inf)}
    (result,) = train(trainer, 1, dataclasses.replace(EXAMPLES, inputs=broken))
    assert not np.isfinite(result.loss)
    after = trainer.state()
    for name, value in before.items():
        assert np.isfinite(after[name]).all(), name
        if name.startswith(("table/", "sparse/")):
            np.testing.assert_array_equal(after[name], value, err_msg=name)


def test_what_was_done_twice_is_told_once(tmp_path):
    trainer = servers(tmp_path, 1, coordinator=Here(lambda unit: 2 if unit in {1, 3} else 1))
    train(trainer, 5)
    assert trainer.repeated() == (2, 4)
    assert trainer.repeated() == ()


def test_dropout_of_a_step_done_again_is_the_same(tmp_path):
    config = toy.config(model=MODEL | {"dropout": 0.5})
    losses = [train(servers(tmp_path / str(i), 1, config), 3)[2].loss for i in range(2)]
    assert losses[0] == losses[1]
