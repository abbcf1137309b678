"""Several trainings side by side, each a process with cores and memory of its own."""

import json
import logging
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, final

import pyarrow as pa

from reclife.config.training import TrainingConfig
from reclife.config.trials import TrialConfig, TrialsConfig, different
from reclife.contracts import FeatureSpec, TrainingReport
from reclife.errors import EnvironmentProblem
from reclife.training.launchers.cluster import TF_CONFIG
from reclife.training.launchers.job import Description, Job
from reclife.training.launchers.processes import task_command

_LOG = logging.getLogger(__name__)
_POLL_SECONDS = 0.2
_THREADS = ("OMP_NUM_THREADS", "TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS")


class Tried(NamedTuple):
    """What became of one trial: its report, or why there is none."""

    name: str
    report: TrainingReport | None
    problem: str


@final
@dataclass
class _Running:
    trial: TrialConfig
    job: Job
    process: subprocess.Popen[bytes]
    cores: frozenset[int]


@final
@dataclass(frozen=True)
class Trials:
    """The declared trials of a training.

    Args:
        declared: What is tried, within which limits.
        config: The training that they vary.
        spec: The schema of the examples.
        folder: Everything about them is kept below; examples are written there once.
    """

    declared: TrialsConfig
    config: TrainingConfig
    spec: FeatureSpec
    folder: Path

    def run(self, train: pa.Table, validation: pa.Table) -> list[Tried]:
        """Do all trials; return them, the best by the declared metric first.

        Raises:
            ConfigError: A trial is no training.
            EnvironmentProblem: The machine has fewer cores than declared.
        """
        machine = sorted(os.sched_getaffinity(0))
        if len(machine) < self.declared.cores:
            raise EnvironmentProblem(
                f"trials may use {self.declared.cores} cores, and there are {len(machine)}: "
                "declare `cores` as they are."
            )
        configs = [(trial, different(self.config, trial)) for trial in self.declared.all]
        jobs = list(self._jobs(configs, train, validation))
        free, running, done = set(machine[: self.declared.cores]), list[_Running](), list[Tried]()
        try:
            while jobs or running:
                while jobs and len(running) < self.declared.at_a_time:
                    trial, job = jobs.pop(0)
                    cores = frozenset(sorted(free)[: self.declared.each.cores])
                    free -= cores
                    running.append(_Running(trial, job, self._start(job, cores), cores))
                for one in list(running):
                    if (tried := self._over(one)) is not None:
                        running.remove(one)
                        free |= one.cores
                        done.append(tried)
                        _LOG.info("%d of %d trials done.", len(done), len(configs))
                time.sleep(_POLL_SECONDS)
        finally:
            for one in running:
                _end(one.process)
        return sorted(done, key=self._rank)

    def _jobs(
        self,
        configs: Sequence[tuple[TrialConfig, TrainingConfig]],
        train: pa.Table,
        validation: pa.Table,
    ) -> Iterator[tuple[TrialConfig, Job]]:
        first: Job | None = None
        for trial, config in configs:
            job = Job(self.folder / trial.name)
            described = Description(
                run_id=trial.name,
                config=config,
                spec=self.spec,
                checkpoints=(job.folder / "checkpoints").absolute(),
                logs=(job.folder / "tensorboard").absolute(),
            )
            job.clear()
            if first is None:
                job.write(described, train, validation)
                first = job
            else:
                job.write_beside(described, first)
            yield trial, job

    def _start(self, job: Job, cores: frozenset[int]) -> "subprocess.Popen[bytes]":
        threads = dict.fromkeys(_THREADS, str(len(cores)))
        environment = {n: v for n, v in os.environ.items() if n != TF_CONFIG} | threads
        with (job.tasks / "trial.log").open("ab") as output, _on(cores):
            return subprocess.Popen(
                task_command(job),
                env=environment,
                stdin=subprocess.PIPE,  # its end tells the trial that this process is gone
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def _over(self, one: _Running) -> Tried | None:
        name, limit = one.trial.name, self.declared.each.memory
        if one.process.poll() is None:
            if (held := _gigabytes(one.process.pid)) <= limit:
                return None
            _end(one.process)
            return Tried(name, None, f"held {held:.1f} GB, more than the {limit:g} GB declared")
        _end(one.process)
        if one.job.report.exists():
            return Tried(name, TrainingReport.read(one.job.report), "")
        problem = one.job.problem()
        return Tried(name, None, str(problem) if problem else f"see {one.job.tasks / 'trial.log'}")

    def _rank(self, tried: Tried) -> tuple[bool, float]:
        value = measured(tried, self.declared.metric)
        falling = self.declared.metric == "logloss"
        return value is None, 0.0 if value is None else (value if falling else -value)


def measured(tried: Tried, metric: str) -> float | None:
    """Return the `metric` of the main task in the best epoch."""
    if tried.report is None or not tried.report.validation:
        return None
    return next(iter(tried.report.validation.values())).get(metric)


def as_text(tried: Sequence[Tried], metrics: Sequence[str] = ("auc", "gauc", "logloss")) -> str:
    """Return a table of the trials."""
    width = max(len(one.name) for one in tried)
    lines = [f"{'trial':{width}}  " + "  ".join(f"{m:>8}" for m in metrics) + "  epochs  seconds"]
    for one in tried:
        if one.report is None:
            lines.append(f"{one.name:{width}}  {one.problem}")
            continue
        values = [measured(one, metric) for metric in metrics]
        shown = "  ".join(f"{'' if v is None else f'{v:.4f}':>8}" for v in values)
        report = one.report
        lines.append(
            f"{one.name:{width}}  {shown}  {len(report.epochs):>6}  {report.seconds:>7.1f}"
        )
    return "\n".join(lines)


def as_json(tried: Sequence[Tried]) -> str:
    """Return the trials as a document."""
    rows = [
        {
            "trial": one.name,
            "problem": one.problem or None,
            "report": one.report.model_dump(mode="json") if one.report else None,
        }
        for one in tried
    ]
    return json.dumps(rows, indent=2) + "\n"


@contextmanager
def _on(cores: frozenset[int]) -> Iterator[None]:
    """Let processes that are started by this thread run on `cores` only."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _gigabytes(pid: int) -> float:
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    except OSError:  # it is gone
        return 0.0
    kilobytes = next((x.split()[1] for x in status.splitlines() if x.startswith("VmRSS")), "0")
    return int(kilobytes) * 1024 / 1e9


def _end(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if process.stdin is not None:
        process.stdin.close()
