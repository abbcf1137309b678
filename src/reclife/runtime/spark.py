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

_LOGGING = """\
rootLogger.level = error
rootLogger.appenderRef.console.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = Spark %p %c{1}: %m%n
"""


def start(conf: Mapping[str, str] | None = None) -> "SparkSession":
    """Return the running session, started with `conf` when there is none yet.

    Raises:
        EnvironmentProblem: No usable Java was found.
    """
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    if running is not None:
        return running
    _prepare_environment()
    builder = SparkSession.builder.appName("reclife")
    for key, value in {**DEFAULTS, **(conf or {}), **FIXED}.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


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


def _prepare_environment() -> None:
    home = java_home(project_path() / ".java")
    if home is not None:
        os.environ["JAVA_HOME"] = str(home)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    if "SPARK_CONF_DIR" not in os.environ:
        folder = Path(tempfile.mkdtemp(prefix="reclife-spark-"))
        (folder / "log4j2.properties").write_text(_LOGGING, encoding="utf-8")
        os.environ["SPARK_CONF_DIR"] = str(folder)
