"""Processes of a cluster: started, watched, restarted, and never left behind."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from reclife.errors import EnvironmentProblem, TrainingError
from reclife.training.launchers.cluster import Cluster, Task, free_ports, from_tf_config
from reclife.training.launchers.supervisor import Supervisor

CHIEF, WORKER, SERVER = Task("chief", 0), Task("worker", 0), Task("ps", 0)
SLEEP = "import time; time.sleep(60)"


def python(programs: dict[Task, str]) -> Callable[[Task], Sequence[str]]:
    return lambda task: [sys.executable, "-c", programs[task]]


def supervisor(logs: Path, programs: dict[Task, str], **restarts: int) -> Supervisor:
    allowed = {task: restarts.get(task.job, 0) for task in programs}
    return Supervisor(python(programs), lambda task: {"NAME": str(task)}, logs, allowed)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def gone_within(pid: int, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not alive(pid)


def test_all_end_with_the_chief(tmp_path: Path) -> None:
    programs = {CHIEF: "import os; print(os.environ['NAME'])", SERVER: SLEEP}
    with supervisor(tmp_path, programs) as processes:
        for task in programs:
            processes.start(task)
        server = processes.pid(SERVER)
        processes.wait([CHIEF])
        assert alive(server)
    assert not alive(server)
    assert processes.log(CHIEF).read_text() == "chief-0\n"


def test_a_failed_task_is_named_with_its_last_words(tmp_path: Path) -> None:
    programs = {CHIEF: SLEEP, WORKER: "print('out of eggs'); raise SystemExit(3)"}
    with supervisor(tmp_path, programs) as processes:
        for task in programs:
            processes.start(task)
        chief = processes.pid(CHIEF)
        with pytest.raises(TrainingError, match=r"worker-0 ended with status 3.*'out of eggs'"):
            processes.wait([CHIEF])
    assert not alive(chief)


def test_a_killed_task_is_started_again_as_often_as_allowed(tmp_path: Path) -> None:
    count = tmp_path / "starts"
    killed = (
        f"import os; open({str(count)!r}, 'a').write('x'); "
        f"len(open({str(count)!r}).read()) < 3 and os.kill(os.getpid(), {signal.SIGKILL:d})"
    )
    with supervisor(tmp_path / "logs", {WORKER: killed}, worker=2) as processes:
        processes.start(WORKER)
        processes.wait([WORKER])
    assert count.read_text() == "xxx"
    count.unlink()
    with supervisor(tmp_path / "logs", {WORKER: killed}, worker=1) as processes:
        processes.start(WORKER)
        with pytest.raises(TrainingError, match="worker-0 was ended by SIGKILL"):
            processes.wait([WORKER])


def test_a_server_that_ends_early_is_a_failure(tmp_path: Path) -> None:
    with supervisor(tmp_path, {CHIEF: SLEEP, SERVER: "pass"}) as processes:
        processes.start(CHIEF)
        processes.start(SERVER)
        with pytest.raises(TrainingError, match="ps-0 ended before its time"):
            processes.wait([CHIEF])


def test_a_task_that_ignores_the_request_is_killed(tmp_path: Path) -> None:
    deaf = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(1, flush=True)"
    stubborn = f"{deaf}; {SLEEP}"
    with supervisor(tmp_path, {SERVER: stubborn}) as processes:
        processes.start(SERVER)
        pid = processes.pid(SERVER)
        while not processes.log(SERVER).read_text():
            time.sleep(0.05)
    assert not alive(pid)


def test_no_task_outlives_a_killed_parent(tmp_path: Path) -> None:
    child = (
        f"from reclife.training.launchers.guard import die_with_parent; die_with_parent(); {SLEEP}"
    )
    parent = f"""
import sys
from pathlib import Path
from reclife.training.launchers.cluster import Task
from reclife.training.launchers.supervisor import Supervisor
command = lambda task: [sys.executable, "-c", {child!r}]
with Supervisor(command, lambda task: {{}}, Path({str(tmp_path)!r})) as found:
    found.start(Task("ps", 0))
    print(found.pid(Task("ps", 0)), flush=True)
    {SLEEP}
"""
    with subprocess.Popen([sys.executable, "-c", parent], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        process.kill()
    assert gone_within(pid, 10)


def test_tf_config_round_trip() -> None:
    cluster = Cluster.on_this_machine({"chief": 1, "worker": 2, "ps": 1})
    assert [str(task) for task in cluster.tasks] == ["chief-0", "worker-0", "worker-1", "ps-0"]
    task = Task("worker", 1)
    assert from_tf_config(cluster.tf_config(task)) == (cluster, task)
    assert cluster.address(task) == cluster.jobs["worker"][1]


def test_tf_config_as_a_training_operator_writes_it() -> None:
    text = json.dumps(
        {
            "cluster": {"chief": ["job-chief-0.ns.svc:2222"], "ps": ["job-ps-0.ns.svc:2222"]},
            "task": {"type": "ps", "index": 0},
            "environment": "cloud",
        }
    )
    cluster, task = from_tf_config(text)
    assert (task, cluster.address(task)) == (SERVER, "job-ps-0.ns.svc:2222")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (None, "TF_CONFIG is not set"),
        ("", "TF_CONFIG is not set"),
        ("{", "JSONDecodeError"),
        ('{"cluster": {}}', "KeyError: 'task'"),
        ('{"cluster": {"boss": ["a:1"]}, "task": {"type": "boss", "index": 0}}', "unknown job"),
        ('{"cluster": {"ps": ["a"]}, "task": {"type": "ps", "index": 0}}', "no host:port"),
        ('{"cluster": {"ps": ["a:1"]}, "task": {"type": "ps", "index": 1}}', "ps-1, which"),
    ],
)
def test_a_cluster_that_is_none_is_explained(text: str | None, problem: str) -> None:
    with pytest.raises(EnvironmentProblem, match=problem):
        from_tf_config(text)


def test_free_ports_differ() -> None:
    assert len(set(free_ports(20))) == 20
