"""Whether the declared precision and XLA are worth it on this machine, before training starts."""

import logging
import time
from collections.abc import Callable

import numpy as np

from reclife.config.precision import Float32Config
from reclife.config.training import TrainingConfig
from reclife.contracts import FeatureSpec
from reclife.errors import ConfigError
from reclife.training.examples import Examples
from reclife.training.replicas import Alone
from reclife.training.synchronous import synchronous
from reclife.training.trainer import Rates, Work

_LOG = logging.getLogger(__name__)
_RATES = Rates(1e-6, 1e-6, 1)
_NOISE = 1.03
"""Ratio of two times of the same steps that says nothing."""


def check_speed(config: TrainingConfig, spec: FeatureSpec, examples: Examples) -> None:
    """Time steps of float32 without XLA and of what is declared, by turns, on the first examples.

    Nothing is timed where float32 without XLA is declared, or where `probe.force` is.

    Raises:
        ConfigError: What is declared is slower.
    """
    plain = config.model_copy(update={"precision": Float32Config(), "xla": False})
    if config.probe.force or plain == config:
        return
    runs = [_steps(declared, spec, examples) for declared in (plain, config)]
    _turns(runs, 1)  # compiles
    plainly, declared = _turns(runs, config.probe.steps)
    _LOG.info(
        "A step takes %.1f ms in float32 and %.1f ms in %s.",
        plainly * 1e3,
        declared * 1e3,
        name(config),
    )
    if declared > _NOISE * plainly:
        raise ConfigError(
            f"On this machine a step takes {declared * 1e3:.1f} ms in {name(config)} and "
            f"{plainly * 1e3:.1f} ms in float32: declare precision: {{kind: float32}} and "
            "xla: false, or probe: {force: true} to train as declared all the same."
        )


def name(config: TrainingConfig) -> str:
    """Return what the dense part computes in, for people."""
    return f"{config.precision.kind}{' with XLA' if config.xla else ''}"


def _steps(config: TrainingConfig, spec: FeatureSpec, examples: Examples) -> Callable[[], None]:
    trainer = synchronous(Alone())(config, spec, config.seed)
    batch = trainer.prepare(examples, np.arange(min(config.batch_size, len(examples))))

    def step() -> None:
        for _ in trainer.steps(iter([Work(0, batch, _RATES, 1, watch=False)])):
            pass

    return step


def _turns(runs: list[Callable[[], None]], count: int) -> list[float]:
    """Return the shortest of `count` times of each run, in seconds."""
    seconds: list[list[float]] = [[] for _ in runs]
    for _ in range(count):
        for run, taken in zip(runs, seconds, strict=True):
            began = time.perf_counter()
            run()
            taken.append(time.perf_counter() - began)
    return [min(taken) for taken in seconds]
