"""The table of compression methods: a new one is a file, a config class and a row here."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from reclife.compression import row_int8, static_int8
from reclife.compression.calibration import Calibration

Method = Callable[[Path, Path, Any, Calibration], None]
"""Reads the graph at the first path and writes the smaller one to the second."""

METHODS: Mapping[str, Method] = {
    "static_int8": static_int8.compress,
    "row_int8": row_int8.compress,
}
