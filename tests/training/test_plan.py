"""The plan of a training: bytes by device, bytes that travel, what limits it."""

import numpy as np
import pytest
from tests.models.zoo import SPEC, declared, table
from tests.training import toy

from reclife.models import build
from reclife.training.examples import Examples
from reclife.training.plan import Plan, plan


def planned(model: dict[str, object], **changes: object) -> Plan:
    config = toy.config(model=model, **changes)
    built = build(config.model, SPEC, 1)
    spec = SPEC.model_copy(update={"tasks": built.tasks})
    rows = table(64, seed=1).append_column("user_id", [np.arange(64)])
    return plan(config, built, Examples.from_table(rows, built.features, spec, config.objective))


def bytes_of(kind: str, what: str) -> int:
    """Return the bytes of the tables or the layers of a model, counted from its weights."""
    model = build(declared(kind, **MODEL), SPEC, 1)
    if what == "tables":
        return sum(4 * table.numpy().size for table in model.tables.values())
    return sum(4 * variable.numpy().size for variable in model.dense_variables)


MODEL = {"experts": 2, "expert": {"hidden_units": [16]}}
MMOE = {"kind": "mmoe", **MODEL}


def test_one_device_has_everything():
    found = planned(MMOE)
    (load,) = found.loads.values()
    tables, layers = bytes_of("mmoe", "tables"), bytes_of("mmoe", "layers")
    assert load.weights == tables + layers
    assert load.optimizer == tables + 2 * layers  # Adagrad has one slot, Adam two
    assert found.wire == 0
    assert found.bottleneck in ("arithmetic", "memory")


def test_a_placed_expert_has_its_bytes_there_and_what_it_reads_and_gives_travels():
    placed = [{"parts": ["dense/expert_1"], "device": 1}]
    found = planned(MMOE, placement={"devices": 2, "placed": placed, "link": 1e-6})
    kernel, bias = build(declared("mmoe", **MODEL), SPEC, 1).layers["expert_1"].trainable_variables
    inputs, outputs = kernel.shape
    assert found.loads["device 1"].weights == 4 * (inputs * outputs + outputs)
    assert bias.shape == (outputs,)
    assert found.wire == 4 * 2 * 64 * (inputs + outputs)  # there and, as gradients, back
    assert found.bottleneck == "wire"
    assert "device 1: weights" in str(found)


@pytest.mark.parametrize("workers", [2, 4])
def test_copies_hold_everything_and_exchange_gradients(workers):
    found = planned(MMOE, topology={"kind": "multi_worker", "workers": workers})
    (load,) = found.loads.values()
    assert load.weights == bytes_of("mmoe", "tables") + bytes_of("mmoe", "layers")
    ring = 2 * (workers - 1) * bytes_of("mmoe", "layers")
    assert found.wire == ring + (workers - 1) * distinct_bytes()


def test_parameter_servers_share_the_tables_and_send_what_a_batch_touches():
    topology = {"kind": "parameter_server", "workers": 2, "servers": 2}
    plain = planned(MMOE, topology=topology)
    layers = bytes_of("mmoe", "layers")
    assert plain.loads["each of 2 servers"].weights == (bytes_of("mmoe", "tables") + layers) / 2
    assert plain.wire == 2 * distinct_bytes() + 2 * layers
    short = planned(MMOE, topology=topology | {"wire": {"pull": "int8", "push": "int8"}})
    assert short.wire == distinct_bytes() / 2 + 2 * layers


def distinct_bytes() -> int:
    """Return the bytes of the distinct rows that the batch looks up."""
    rows, model = table(64, seed=1), build(declared("mmoe", **MODEL), SPEC, 1)
    seen: dict[str, set[int]] = {}
    for feature in model.embedded:
        values = np.array(rows[feature.name].to_pylist()).reshape(-1)
        seen.setdefault(str(feature.table), set()).update(values.tolist())
    dims = {name: int(table.shape[1]) for name, table in model.tables.items()}
    return sum(4 * dims[name] * len(ids) for name, ids in seen.items())
