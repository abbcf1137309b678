"""Starts the one Spark session of this process, on first use."""

import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from reclife.runtime.java import java_home
from reclife.runtime.project import project_path

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DEFAULTS: Mapping[str, str] = {
    "spark.master": "local[*]",
    "spark.driver.memory": "2g",
    "spark.sql.shuffle.partitions": "4",
}
"""Used where the project declares nothing."""

FIXED: Mapping[str, str] = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.pyspark.validateSchema.enabled": "true",
}
"""What correctness rests on: not a matter of configuration."""

_CONF_DIR = "SPARK_CONF_DIR"

_LOGGING = """\
rootLogger.level = error
rootLogger.appenderRef.console.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = Spark %p %c{1}: %m%n
"""


def declare(conf: Mapping[str, object]) -> None:
    """Write `conf` where Spark looks for its defaults; nothing is started."""
    folder = Path(tempfile.mkdtemp(prefix="reclife-spark-"))
    merged = {**DEFAULTS, **{key: _text(value) for key, value in conf.items()}, **FIXED}
    lines = [f"{key} {value}\n" for key, value in merged.items()]
    (folder / "spark-defaults.conf").write_text("".join(lines), encoding="utf-8")
    (folder / "log4j2.properties").write_text(_LOGGING, encoding="utf-8")
    os.environ[_CONF_DIR] = str(folder)


def start(conf: Mapping[str, object] | None = None) -> "SparkSession":
    """Return the running session, started with `conf` or what was declared when there is none.

    Raises:
        EnvironmentProblem: No usable Java was found.
    """
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    if running is not None:
        return running
    if conf is not None or _CONF_DIR not in os.environ:
        declare(conf or {})
    _find_engines()
    return SparkSession.builder.appName("reclife").getOrCreate()


def session() -> "SparkSession":
    """Return the running session; start one with the defaults when there is none."""
    return start()


def stop() -> None:
    """End the running session, if any."""
    if "pyspark" not in sys.modules:
        return
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    if running is not None:
        running.stop()


def _find_engines() -> None:
    home = java_home(project_path() / ".java")
    if home is not None:
        os.environ["JAVA_HOME"] = str(home)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")


def _text(value: object) -> str:
    """Return a setting as Spark writes it: YAML's booleans in lower case."""
    return str(value).lower() if isinstance(value, bool) else str(value)
