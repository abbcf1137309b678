"""The page on vocabularies: ids as they grow, and the sentence about unknown values."""

import json
import re
from pathlib import Path

import pyarrow as pa
import pytest
import yaml
from tests.measured import feature_stats
from tests.transforms.rows import state_of

from reclife.config.features import FeaturesConfig
from reclife.errors import DataError
from reclife.transforms.engine.growth import grow
from reclife.transforms.engine.out_of_vocabulary import check_rates

TEXT = (Path(__file__).parents[2] / "docs" / "vocabularies.md").read_text(encoding="utf-8")
DECLARED = [
    found["features"]
    for found in map(yaml.safe_load, re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL))
    if "features" in found
]
VALUES = ("DE", "FR", "JP", "US")


def admitted(events: str) -> list[str]:
    """Return what fitting admits of `DE 5, FR 3`: those of enough events, the most frequent."""
    feature = DECLARED[0]["features"][0]
    counts = {pair.split()[0]: int(pair.split()[1]) for pair in events.split(", ")}
    known = [value for value in counts if counts[value] >= feature["min_count"]]
    return sorted(known, key=lambda value: (-counts[value], value))[: feature["max_size"]]


def test_ids_from_day_to_day() -> None:
    state = None
    rows = re.findall(r"^\| (?:first|second) \| ([^|]+) \| (.+) \|$", TEXT, re.MULTILINE)
    assert len(rows) == 2
    for events, shown in rows:
        vocabulary, *ids = map(json.loads, re.findall(r"`([^`]+)`", shown))
        values = pa.array(admitted(events))
        fitted = state_of(*DECLARED[0]["features"], vocabularies={"place": values})
        state = grow(state, fitted) if state else fitted
        assert state.vocabularies["place"].to_pylist() == vocabulary
        assert state.encode("place", pa.array(VALUES)).tolist() == ids


def test_the_sentence_about_unknown_values() -> None:
    header, *rows = re.findall(r"^\| (?:feature|`\w+`) \|.*$", TEXT, re.MULTILINE)
    parts = re.findall(r"`(\w+)`", header)
    rates = {
        name: dict(zip(parts, map(float, shares), strict=True))
        for name, *shares in (re.findall(r"`([^`]+)`", row) for row in rows)
    }
    stats = feature_stats(validation_start=1, test_start=2, oov_rates=rates)
    with pytest.raises(DataError) as found:
        check_rates(stats, FeaturesConfig.model_validate(DECLARED[1]))
    shown = re.findall(r"^    (out_of_vocabulary: .*)$", TEXT, re.MULTILINE)
    assert len(shown) == 1
    assert str(found.value).startswith(shown[0])
