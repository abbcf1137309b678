"""Tables with a length and a start of their own, in any kind of model.

References: Ginart et al., "Mixed Dimension Embeddings with Application to Memory-Efficient
Recommendation Systems", ISIT 2021.
"""

from collections.abc import Iterable, Sequence

from reclife.config.custom import CustomConfig
from reclife.config.model import AnyModelConfig, DeepFMConfig
from reclife.config.problems import nearest
from reclife.config.towers import Embedded
from reclife.contracts import FeatureSpec
from reclife.errors import ConfigError
from reclife.models.features import embedding_tables
from reclife.models.layers.dense import linear
from reclife.models.ranking import RankingModel


def with_own_tables(
    model: RankingModel, config: AnyModelConfig, spec: FeatureSpec, seed: int
) -> RankingModel:
    """Return `model` with the tables that `config` declares otherwise than the rest.

    Raises:
        ConfigError: A table is named that the model does not have, or a layer has the name of a
            projection.
    """
    if isinstance(config, CustomConfig) or not isinstance(config, Embedded):
        return model
    _check("embedding_dims", config.embedding_dims, tuple(model.tables))
    _check("embedding_initializers", config.embedding_initializers, tuple(model.tables))
    lengths = {name: int(table.shape[1]) for name, table in model.tables.items()}
    dims = {} if isinstance(config, DeepFMConfig) else config.embedding_dims  # it projects itself
    shorter = {name: dim for name, dim in dims.items() if dim != config.embedding_dim}
    for name in {**shorter, **config.embedding_initializers}:
        initial = config.embedding_initializers.get(name, config.embedding_initializer)
        own = {name: shorter.get(name, lengths[name])}
        model.tables |= embedding_tables(spec, own, initial, seed)
    for name, dim in shorter.items():
        layer = f"projection_{name}"
        if layer in model.layers:
            raise ConfigError(
                f"{layer} is the name of the layer that projects table {name!r} (embedding_dims): "
                "rename the block."
            )
        model.layers[layer] = linear(dim, lengths[name], seed, layer)
    model.projected = frozenset(shorter)
    return model


def _check(key: str, named: Iterable[str], tables: Sequence[str]) -> None:
    for name in named:
        if name not in tables:
            raise ConfigError(
                f"{key} names {name!r}; the model's tables are {', '.join(tables)}"
                f"{nearest(name, tables)}."
            )
