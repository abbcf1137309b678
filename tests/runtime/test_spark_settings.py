"""A setting that Spark does not know, or cannot start with, is named."""

import os
from pathlib import Path
from typing import Any

import pytest

from reclife.errors import ConfigError
from reclife.runtime import spark as runtime


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("spark.driver.memory", "lots"),
        ("spark.executor.memory", "1gigg"),
        ("spark.master", "lcal[2]"),
        ("spark.master", "local[two]"),
        ("master", "local[2]"),
        ("spark.sql", {"shuffle.partitions": 2}),
        ("spark.ui.enabled", None),
    ],
)
def test_a_wrong_form_is_told_before_java_starts(key: str, value: object) -> None:
    with pytest.raises(ConfigError, match=key):
        runtime.check_settings({key: value})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("spark.master", "local[*]"),
        ("spark.master", "local[2,4]"),
        ("spark.master", "spark://host:7077"),
        ("spark.master", "yarn"),
        ("spark.driver.memory", "1536m"),
        ("spark.driver.memory", 2147483648),
        ("spark.ui.enabled", False),
    ],
)
def test_a_right_form_passes(key: str, value: object) -> None:
    runtime.check_settings({key: value})


def test_a_mistyped_name_comes_with_the_nearest(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(os.environ, "SPARK_CONF_DIR", "")
    runtime.declare({"spark.drver.memory": "1g", "spark.executor.memory": "1g"})
    with pytest.raises(ConfigError, match=r"spark\.drver\.memory.*'spark\.driver\.memory'\?"):
        runtime._check_names(spark)


def test_a_connector_s_own_setting_passes(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "SPARK_CONF_DIR", "")
    runtime.declare({"spark.hadoop.fs.s3a.endpoint": "x", "spark.app.name": "mine"})
    runtime._check_names(spark)
