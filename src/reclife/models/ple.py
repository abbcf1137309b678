r"""PLE: experts of single tasks beside shared ones, in levels, so that tasks disturb less.

.. math:: h^l_t = \textstyle\sum_{e \in E^l_t \cup E^l_s} g^l_t(h^{l-1}_t)_e\, f_e \qquad
          h^l_s = \sum_{e \in \bigcup_t E^l_t \cup E^l_s} g^l_s(h^{l-1}_s)_e\, f_e \qquad
          \hat y_t = \sigma\big(\mathrm{MLP}_t(h^L_t)\big)

with :math:`h^0 = [v_1; \ldots; v_F; x]` for all tasks and the shared part `s`. An expert of task
`t` reads :math:`h^{l-1}_t`, a shared one :math:`h^{l-1}_s`; :math:`g` is the softmax of a linear
map. `v` are the rows of the categorical features (the mean for a list), `x` the numbers after batch
normalisation. A table is `[V, D]`, :math:`h^l` is `[B, K]`, the logits are `[B, T]`.

Reference: Tang et al., "Progressive Layered Extraction (PLE): A Novel Multi-Task Learning Model for
Personalized Recommendations", RecSys 2020, section 4.
"""

from collections.abc import Mapping
from typing import Any, Unpack, final

from reclife.config.multi_task import PLEConfig
from reclife.contracts import FeatureSpec, Task
from reclife.models.features import embedding_tables, same_length, used_features
from reclife.models.fields import flat, flat_width, number_layers
from reclife.models.layers.dense import hidden_layers
from reclife.models.layers.mixture import Gate
from reclife.models.ranking import Given, RankingModel, penalties
from reclife.models.tasks import tower_layers, towers

Layer = Any
Tensor = Any

_SHARED = "shared"


@final
class PLE(RankingModel):
    """See the module for the equations.

    Args:
        levels: How many levels there are.
        experts: How many experts an owner has on a level.
        given: As of every model; the layers are `expert_<level>_<owner>_<i>`,
            `gate_<level>_<owner>` and `tower_<task>`, where an owner is `task_<task>` or `shared`.
    """

    def __init__(self, levels: int, experts: Mapping[str, int], **given: Unpack[Given]) -> None:
        super().__init__(**given)
        self.levels = levels
        self.experts = dict(experts)

    def score(
        self, rows: Mapping[str, Tensor], inputs: Mapping[str, Tensor], training: bool
    ) -> Tensor:
        """Return the logits `[B, T]`."""
        found = dict.fromkeys(self.experts, flat(self, rows, inputs, training))
        for level in range(self.levels):
            found = self._level(level, found, training)
        return towers(self, {task.name: found[_owner(task)] for task in self.tasks}, training)

    def _level(self, level: int, below: Mapping[str, Tensor], training: bool) -> dict[str, Tensor]:
        """Return `[B, K]` for each owner; the shared one is not asked for on the last level."""
        outputs = {
            owner: [
                self.layers[name](below[owner], training=training)
                for name in _expert_names(level, owner, count)
            ]
            for owner, count in self.experts.items()
        }
        whole = [output for some in outputs.values() for output in some]
        seen = {owner: [*own, *outputs[_SHARED]] for owner, own in outputs.items()}
        seen[_SHARED] = whole
        gates = {owner: self.layers.get(f"gate_{level}_{owner}") for owner in outputs}
        return {o: gate(below[o], seen[o]) for o, gate in gates.items() if gate is not None}


def build(config: PLEConfig, spec: FeatureSpec, seed: int) -> PLE:
    """Return the model that `config` declares, over the features and tasks of `spec`."""
    features = used_features(spec, config.exclude_features)
    dim, width = config.embedding_dim, config.expert.hidden_units[-1]
    experts = {_owner(task): config.task_experts for task in spec.tasks}
    experts[_SHARED] = config.shared_experts
    layers: dict[str, Layer] = {
        **number_layers(features),
        **tower_layers(spec.tasks, width, config.tower, seed),
    }
    for level in range(config.levels):
        inputs = width if level else flat_width(features, dim)
        layers |= _level_layers(config, level, inputs, experts, seed)
    return PLE(
        config.levels,
        experts,
        features=features,
        tasks=spec.tasks,
        tables=embedding_tables(
            spec, same_length(features, dim), config.embedding_initializer, seed
        ),
        layers=layers,
        penalties=penalties(config),
    )


def _level_layers(
    config: PLEConfig, level: int, inputs: int, experts: Mapping[str, int], seed: int
) -> dict[str, Layer]:
    layers: dict[str, Layer] = {}
    for owner, count in experts.items():
        for name in _expert_names(level, owner, count):
            layers[name] = hidden_layers(inputs, config.expert, seed, name)
        shared = owner == _SHARED
        if not shared or level < config.levels - 1:
            seen = sum(experts.values()) if shared else count + experts[_SHARED]
            name = f"gate_{level}_{owner}"
            layers[name] = Gate(inputs, seen, seed, name)
    return layers


def _expert_names(level: int, owner: str, count: int) -> list[str]:
    return [f"expert_{level}_{owner}_{i}" for i in range(count)]


def _owner(task: Task) -> str:
    return f"task_{task.name}"
