"""The model as a training takes it: precision, devices, and what of it stands still."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

from reclife.config.training import TrainingConfig
from reclife.contracts import FeatureSpec
from reclife.models.ranking import RankingModel
from reclife.training.objective import Objective
from reclife.training.parts import freeze
from reclife.training.placement import devices, place
from reclife.training.precision import build_model
from reclife.training.sparse.packs import Pack, packs

Variable = Any

_FROZEN = "_frozen"


@final
@dataclass(frozen=True)
class Trainee:
    """A `model`, its tables packed, and what moves of it.

    `moving` are the packs whose rows are learnt, `variables` everything else that is.
    """

    model: RankingModel
    objective: Objective
    packs: Mapping[str, Pack]
    moving: Mapping[str, Pack]
    variables: list[Variable]


def trainee(config: TrainingConfig, spec: FeatureSpec, seed: int) -> Trainee:
    """Return the declared model, ready to be trained.

    Raises:
        ConfigError: A pattern fits no part of it.
        EnvironmentProblem: There are fewer devices than it is placed on.
    """
    if config.placement is not None:
        devices(config.placement.devices)  # before anything runs on them
    model = build_model(config.model, spec, seed, config.precision)
    objective = Objective(config.objective, spec)
    learnt = {f"objective/{variable.name}": variable for variable in objective.variables}
    still = freeze(model, config.trainable, learnt)
    apart = dict.fromkeys(still, _FROZEN)
    if config.placement is not None:
        for table, device in place(model, config.placement).items():
            apart[table] = apart.get(table, "") + device.replace("/", "_").replace(":", "_")
    packed = packs(model.tables, model.embedded, apart)
    variables = [v for v in learnt.values() if v.trainable]
    return Trainee(
        model=model,
        objective=objective,
        packs=packed,
        moving={name: pack for name, pack in packed.items() if not still & set(pack.tables)},
        variables=[*model.dense_variables, *variables],
    )
