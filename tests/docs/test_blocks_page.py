"""The graphs on the page on blocks are built, and say of themselves what the page says."""

import re
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from tests.models import zoo
from tests.models.test_blocks import SAME

from reclife.config.blocks import AnyBlock
from reclife.config.model import ModelConfig
from reclife.errors import ConfigError
from reclife.models import build

TEXT = (Path(__file__).parents[2] / "docs" / "blocks.md").read_text(encoding="utf-8")
GRAPHS = [
    yaml.safe_load(block)["training"]["model"]
    for block in re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
]
WRONG = next(graph for graph in GRAPHS if "histroy" in str(graph))


@pytest.mark.parametrize("declared", [graph for graph in GRAPHS if graph is not WRONG])
def test_every_model_is_built(declared: dict[str, Any]) -> None:
    model = build(ModelConfig.model_validate(declared), zoo.SPEC, seed=1)
    logits = model(zoo.inputs_of(model, 3), training=True)
    assert logits.shape == (3, len(declared.get("outputs", ["like"])))


@pytest.mark.parametrize("kind", SAME)
def test_what_is_said_to_equal_a_built_in_kind_is_the_graph_that_does(kind: str) -> None:
    shown = re.search(rf"`{kind}`[^\n]*:\n\n```yaml\n(.*?)```", TEXT, re.DOTALL)
    assert shown
    assert yaml.safe_load(shown[1])["training"]["model"]["blocks"] == yaml.safe_load(SAME[kind][0])


def test_mistakes_are_told_as_shown() -> None:
    with pytest.raises(ConfigError) as error:
        build(ModelConfig.model_validate(WRONG), zoo.SPEC, seed=1)
    assert [str(error.value)] == [
        text.strip() for text in re.findall(r"```text\n(.*?)```", TEXT, re.DOTALL)
    ]


def test_the_code_runs() -> None:
    for block in re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL):
        exec(block, {"spec": zoo.SPEC})  # noqa: S102 - the page is ours


def test_every_kind_of_block_is_in_the_table_with_its_options() -> None:
    table = TEXT[TEXT.index("## Kinds") : TEXT.index("## Built-in")]
    rows: dict[str, str] = {}
    for row in (line for line in table.splitlines() if line.startswith("| `")):
        rows |= dict.fromkeys(re.findall(r"`(\w+)`", row.split("|")[1]), row)
    kinds = {
        get_args(block.model_fields["kind"].annotation)[0]: block for block in get_args(AnyBlock)
    }
    assert rows.keys() == kinds.keys()
    for kind, block in kinds.items():
        options = block.model_fields.keys() - {
            "kind",
            "input",
            "inputs",
            "normalization",
            "dense_initializer",
        }
        assert options <= set(re.findall(r"\w+", rows[kind]))
