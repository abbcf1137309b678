"""Starts the one Spark session of this process, on first use."""

import os
import re
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reclife.config.problems import nearest, refuse
from reclife.errors import EnvironmentProblem
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

_READ_UNREGISTERED = ("spark.master", "spark.app.name", "spark.local.dir", "spark.home")
"""Settings that Spark reads without registering them."""

_FORMS = {
    ".memory": r"\d+[bkmgtpBKMGTP]?[bB]?",
    "spark.master": r"local(\[(\*|\d+)(,\d+)?\])?|local-cluster\[.+\]|yarn|(spark|k8s)://.+",
}
"""Values without which the Java process itself ends at once, by the end of the setting's name."""

_CONF_DIR = "SPARK_CONF_DIR"

_LOGGING = """\
rootLogger.level = error
rootLogger.appenderRef.console.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = Spark %p %c{1}: %m%n
logger.gateway.name = org.apache.spark.api.python.PythonGatewayServer
logger.gateway.level = error
"""
"""Errors only. The gateway tells of a level that differs from the root's; so it has the same."""


def check_settings(conf: Mapping[str, object]) -> None:
    """Check the form of Spark's settings; the names are checked by Spark, once it runs.

    Raises:
        ConfigError: A name does not begin with `spark.`, or a value cannot be one.
    """
    found = {key: _misfit(str(key), value) for key, value in conf.items()}
    refuse(f"conf/*/spark.yml: {key}: {problem}" for key, problem in found.items() if problem)


def _misfit(key: str, value: object) -> str | None:
    """Return what is wrong with a setting, where its form tells."""
    if not key.startswith("spark.") or isinstance(value, Mapping | list) or value is None:
        return "write every setting in one line by its whole name, as `spark.driver.memory: 2g`"
    form = next((form for end, form in _FORMS.items() if key.endswith(end)), None)
    if form and not re.fullmatch(form, str(value)):
        return f"{value!r} is no value that Spark can start with"
    return None


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
        EnvironmentProblem: No usable Java was found, or Spark did not start.
        ConfigError: A setting is mistyped or has a value that Spark refuses.
    """
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    if running is not None:
        return running
    if conf is not None or _CONF_DIR not in os.environ:
        declare(conf or {})
    _find_engines()
    try:
        created = SparkSession.builder.appName("reclife").getOrCreate()
        created.conf.get("spark.sql.session.timeZone")  # the values of SQL settings are read now
    except (PySparkException, Py4JError) as error:
        raise EnvironmentProblem(
            f"Spark did not start with the settings of conf/*/spark.yml: {_first_line(error)}"
        ) from error
    _check_names(created)
    return created


def session() -> "SparkSession":
    """Return the running session; start one with the defaults when there is none."""
    return start()


def forget() -> None:
    """Drop what the session keeps in memory: a file that changes is read anew by the next run."""
    if "pyspark" not in sys.modules:
        return
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    if running is not None:
        running.catalog.clearCache()


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


def _check_names(running: "SparkSession") -> None:
    """Refuse a declared setting that Spark does not know and whose name is close to one it knows.

    Others may belong to a connector or a cluster's own software.
    """
    declared = Path(os.environ[_CONF_DIR], "spark-defaults.conf").read_text(encoding="utf-8")
    java: Any = running._jvm  # noqa: SLF001
    entries = java.org.apache.spark.internal.config.ConfigEntry
    names = [line.partition(" ")[0] for line in declared.splitlines()]
    unknown = [name for name in names if name not in _READ_UNREGISTERED]
    unknown = [name for name in unknown if entries.findEntry(name) is None]
    if not unknown:
        return
    known = [*_READ_UNREGISTERED, *_known_names(running)]
    found = {name: nearest(name, known, cutoff=0.85) for name in unknown}
    refuse(
        f"conf/*/spark.yml: {name}: unknown setting{near}" for name, near in found.items() if near
    )


def _known_names(running: "SparkSession") -> list[str]:
    """Return the names of all settings that Spark has registered."""
    java: Any = running._jvm  # noqa: SLF001
    companion = java.java.lang.Class.forName("org.apache.spark.internal.config.ConfigEntry$")
    field = companion.getDeclaredField("knownConfigs")
    field.setAccessible(True)
    return list(field.get(companion.getField("MODULE$").get(None)).keySet())


def _first_line(error: Exception) -> str:
    """Return what went wrong: the innermost cause that Java names, else the first line."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    named = [
        line for line in lines if re.match(r"(Caused by: )?[a-z.]+\.\w+(Exception|Error): ", line)
    ]
    return re.sub(r"^.*?(Exception|Error): ", "", named[-1]) if named else lines[0]


def _text(value: object) -> str:
    """Return a setting as Spark writes it: YAML's booleans in lower case."""
    return str(value).lower() if isinstance(value, bool) else str(value)
