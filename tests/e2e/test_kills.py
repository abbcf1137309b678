"""Runs that die, run side by side, or find their artefacts changed: nothing half-written is read.

What a stage has not finished has no record, and what no record vouches for is refused.
"""

import json
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.e2e.outcomes import check_lists, published
from tests.e2e.projects import call, kill, started, succeed

from reclife.contracts import STAGES, CompletionRecord, EvaluationReport, Pointer

pytestmark = pytest.mark.slow
Fresh = Callable[[str], Path]
RUN = ("run", "--env", "test")
ITEMS = set(range(1, 81))


def runs(project: Path) -> list[str]:
    folder = project / "data" / "08_reporting" / "runs"
    return sorted(path.parent.name for path in folder.glob("*/run.json"))


def record(project: Path, run_id: str, stage: str) -> Path:
    return project / "data" / "08_reporting" / "runs" / run_id / "records" / f"{stage}.json"


def wait_for(found: Callable[[], object], process: subprocess.Popen[bytes]) -> None:
    """Wait until `found` returns something, looking every few milliseconds."""
    deadline = time.monotonic() + 300
    while not found():
        assert process.poll() is None, "it ended before it could be killed"
        assert time.monotonic() < deadline, "it never came so far"
        time.sleep(0.002)


def refusal(project: Path, stage: str) -> str:
    """Expect a stage to be refused in sentences, and return what was printed."""
    done = call(project, "kedro", *RUN, "--pipelines", stage)
    printed = done.stdout + done.stderr
    assert done.returncode == 1, printed
    assert "Traceback" not in printed
    return printed


def test_a_stage_killed_in_its_spark_write_is_not_there_and_is_resumed(fresh: Fresh) -> None:
    project = fresh("killed")
    examples = project / "data" / "05_model_input" / "train"
    with started(project, *RUN) as process:
        wait_for(lambda: list(examples.glob("run_id=*/_temporary")), process)
        kill(process)
    (run_id,) = runs(project)
    assert record(project, run_id, "ingest").exists()
    assert not record(project, run_id, "features").exists()
    assert "stage features" in refusal(project, "training")
    assert "resuming with features, training" in succeed(project, "reclife", "resume")
    assert all(record(project, run_id, stage).exists() for stage in STAGES)
    assert runs(project) == [run_id]
    check_lists(project, 60, ITEMS)


def test_a_killed_stage_may_also_be_run_by_its_name(finished: Path, tmp_path: Path) -> None:
    project = copied(finished, tmp_path)
    (run_id,) = runs(project)
    staged = project / "data" / "07_model_output" / "staging"
    shutil.rmtree(staged)
    before = published(project)
    with started(project, *RUN, "--pipelines", "scoring") as process:
        wait_for(lambda: list(staged.glob("run_id=*/_temporary")), process)
        kill(process)
    assert not record(project, run_id, "scoring").exists()
    assert published(project).equals(before)  # readers still see the whole earlier set
    succeed(project, "kedro", *RUN, "--pipelines", "scoring")
    check_lists(project, 60, ITEMS)


def test_two_runs_side_by_side_read_only_their_own(fresh: Fresh) -> None:
    project = fresh("side-by-side")
    with started(project, *RUN) as first:
        time.sleep(5)
        with started(project, *RUN) as second:
            assert [first.wait(timeout=900), second.wait(timeout=900)] == [0, 0]
    ids = runs(project)
    assert len(ids) == 2
    for run_id in ids:
        records = {stage: CompletionRecord.read(record(project, run_id, stage)) for stage in STAGES}
        for one in records.values():
            assert all(run_id in artifact.path for artifact in one.outputs.values())
            for name, sha256 in one.inputs.items():
                producer, _, dataset = name.partition("/")
                assert records[producer].outputs[dataset].sha256 == sha256, (run_id, name)
    check_lists(project, 60, ITEMS)
    assert_same_results(project, *ids)


def assert_same_results(project: Path, first: str, second: str) -> None:
    """Two runs of one seed: the same metrics and the same recommendations."""
    reports = [
        EvaluationReport.read(project / f"data/08_reporting/runs/{run_id}/evaluation.json")
        for run_id in (first, second)
    ]
    assert reports[0].rows == reports[1].rows
    order = [("user_id", "ascending"), ("rank", "ascending")]
    lists = [
        pq.read_table(project / f"data/07_model_output/staging/run_id={run_id}", partitioning=None)
        for run_id in (first, second)
    ]
    plain = [
        table.drop_columns([name for name in table.column_names if "run_id" in name]).sort_by(order)
        for table in lists
    ]
    assert plain[0].num_rows == 600
    assert plain[0].equals(plain[1])


def copied(finished: Path, tmp_path: Path) -> Path:
    project = tmp_path / "project"
    shutil.copytree(finished, project, symlinks=True)
    return project


def newest_file(folder: Path) -> Path:
    """The first file of an artefact that carries data."""
    return next(
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith((".", "_"))
    )


def cut(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


def damages(data: Path, run_id: str) -> Iterator[tuple[str, str, Callable[[], object]]]:
    """The stage that reads, the words of its refusal, and what happens to its inputs before."""
    own = f"run_id={run_id}"
    train = data / "05_model_input" / "train" / own
    model = data / "06_models" / "model" / own
    bundle = data / "06_models" / "bundles" / own
    pointer = data / "06_models" / "current.json"
    current = data / "08_reporting" / "runs" / "current.json"
    changed = "is missing or was changed"
    yield (
        "training",
        f"train_examples: data/05_model_input/train/{own} {changed}",
        lambda: cut(newest_file(train)),
    )
    yield (
        "training",
        f"train_examples: data/05_model_input/train/{own} {changed}",
        newest_file(train).unlink,
    )
    yield "export", f"model: data/06_models/model/{own} {changed}", lambda: shutil.rmtree(model)
    yield (
        "scoring",
        f"bundle: data/06_models/bundles/{own} {changed}",
        lambda: cut(bundle / "items.parquet"),
    )
    yield (
        "scoring",
        "stage export of run gone has not finished",
        lambda: (
            (bundle / "manifest.json").unlink(),
            pointer.write_text(Pointer(run_id="gone", path="data/gone").model_dump_json()),
        ),
    )
    yield (
        "scoring",
        "current.json is damaged",
        lambda: (
            (bundle / "manifest.json").unlink(),
            cut(pointer),
        ),
    )
    yield (
        "training",
        "of run gone has not finished",
        lambda: current.write_text(Pointer(run_id="gone", path="data/gone").model_dump_json()),
    )
    yield "training", "current.json is damaged", lambda: cut(current)


def test_what_changed_since_its_stage_finished_is_refused(finished: Path, tmp_path: Path) -> None:
    project = copied(finished, tmp_path)
    (run_id,) = runs(project)
    data = project / "data"
    for stage, words, damage in damages(data, run_id):
        damage()
        assert words in " ".join(refusal(project, stage).split())
        shutil.rmtree(data)
        shutil.copytree(finished / "data", data)


def test_a_bundle_with_one_file_of_another_run_is_refused(finished: Path, tmp_path: Path) -> None:
    project = copied(finished, tmp_path)
    (run_id,) = runs(project)
    bundles = project / "data" / "06_models" / "bundles"
    candidates = newest_file(bundles / f"run_id={run_id}" / "candidates")
    content = json.dumps({"of": "another run"}).encode()
    candidates.write_bytes(content.ljust(candidates.stat().st_size, b" "))  # of the same size
    assert "bundle" in refusal(project, "scoring")
    assert "bundle" in refusal(project, "rescore")


@contextmanager
def small_disk(folder: Path, kilobytes: int) -> Iterator[None]:
    """Let `folder` be a disk of its own that is soon full."""
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.skip(f"no disk can be mounted here: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_full_disk_is_told_and_the_run_resumed(fresh: Fresh) -> None:
    project = fresh("full-disk")
    data = project / "data"
    with small_disk(data / "05_model_input", 24):
        done = call(project, "kedro", *RUN)
        assert_disk_full(done)
    (run_id,) = runs(project)
    assert record(project, run_id, "ingest").exists()
    assert not record(project, run_id, "features").exists()
    with small_disk(data / "06_models" / "bundles", 24):
        assert_disk_full(call(project, "reclife", "resume"))
        assert record(project, run_id, "compression").exists()
        assert not record(project, run_id, "export").exists()
        assert not (data / "06_models" / "current.json").exists()
    succeed(project, "reclife", "resume")
    check_lists(project, 60, ITEMS)


def assert_disk_full(done: subprocess.CompletedProcess[str]) -> None:
    printed = done.stdout + done.stderr
    assert done.returncode == 1, printed
    assert "The disk is full" in printed
    assert "Traceback" not in printed, printed


def test_the_stages_of_a_run_follow_one_another(finished: Path) -> None:
    (run_id,) = runs(finished)
    ends = [CompletionRecord.read(record(finished, run_id, stage)).finished_at for stage in STAGES]
    assert all(earlier <= later for earlier, later in pairwise(ends))
