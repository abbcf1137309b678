"""The static site of the graph, opened in a real browser without a network."""

import functools
import http.server
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from reclife.contracts import STAGES

pytestmark = pytest.mark.slow
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--disable-breakpad",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--window-size=1600,1400",
    "--virtual-time-budget=30000",
)
NODE = r'pipeline-node__bg--(\w+)".*?pipeline-node__text"[^>]*>([^<]*)<'
OFFLINE = "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory, project: Path) -> Iterator[str]:
    """Build the site where no Java can be found and serve it on the loopback."""
    site = tmp_path_factory.mktemp("site")
    no_java = {key: value for key, value in os.environ.items() if key != "JAVA_HOME"}
    subprocess.run(
        [sys.executable, "-m", "reclife.viz", str(site)],
        cwd=project,
        env=no_java | {"PATH": "/nowhere"},
        check=True,
        timeout=180,
    )
    handler = functools.partial(Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


def drawn(url: str, profile: Path) -> Counter[tuple[str, str]]:
    """Return (kind, label) of what the browser draws in the graph."""
    if BROWSER is None:
        pytest.skip("no browser: install Debian's chromium")
    command = [
        BROWSER,
        *FLAGS,
        OFFLINE,
        f"--user-data-dir={profile}",
        "--dump-dom",
        url,
    ]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
    ) as browser:
        try:
            page = browser.communicate(timeout=180)[0].decode()
        finally:
            if browser.poll() is None:
                os.killpg(browser.pid, signal.SIGKILL)
    return Counter(re.findall(NODE, page, re.DOTALL))


def test_every_stage_is_shown(address: str, tmp_path: Path) -> None:
    nodes = drawn(f"{address}?pid=__default__", tmp_path)
    assert {label for kind, label in nodes if kind == "modularPipeline"} == set(STAGES)


def test_every_validation_is_shown(address: str, tmp_path: Path) -> None:
    nodes = drawn(f"{address}?pid=__default__&expandAllPipelines=true", tmp_path)
    assert nodes["task", "validate"] == len(STAGES)
    closing = {label for kind, label in nodes if kind == "data" and label.endswith("_validation")}
    assert closing == {f"{stage}_validation" for stage in STAGES}
