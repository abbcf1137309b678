"""A trained model on disk: weights as plain arrays, declaration and identity as JSON."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, final

import numpy as np
import pyarrow as pa
import tensorflow as tf
from numpy.typing import NDArray

from reclife.config.model import ModelConfig
from reclife.contracts import Contract, FeatureSpec
from reclife.datasets.tensors import to_arrays
from reclife.errors import ArtifactError
from reclife.models import build
from reclife.models.ranking import RankingModel

_WEIGHTS, _DESCRIPTION = "weights.npz", "model.json"


@final
class SavedModel(Contract):
    """What `weights.npz` belongs to."""

    config: dict[str, Any]
    spec_hash: str
    features: tuple[str, ...]


def save_model(model: RankingModel, config: ModelConfig, spec: FeatureSpec, folder: Path) -> None:
    """Write `model` into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    weights = {name: variable.numpy() for name, variable in model.weights().items()}
    np.savez(folder / _WEIGHTS, **weights)
    description = SavedModel(
        config=config.model_dump(mode="json"),
        spec_hash=spec.hash,
        features=tuple(feature.name for feature in model.features),
    )
    (folder / _DESCRIPTION).write_text(description.model_dump_json(indent=2), encoding="utf-8")


def load_model(folder: Path, spec: FeatureSpec) -> RankingModel:
    """Return the model saved in `folder`.

    Raises:
        ArtifactError: The model belongs to another feature specification, or a weight is missing.
    """
    saved = SavedModel.read(folder / _DESCRIPTION)
    if saved.spec_hash != spec.hash:
        raise ArtifactError(
            f"The model in {folder} was trained on another feature specification "
            f"({saved.spec_hash[:12]}, not {spec.hash[:12]}). Train again on the current features."
        )
    model = build(ModelConfig.model_validate(saved.config), spec, seed=0)
    with np.load(folder / _WEIGHTS, allow_pickle=False) as arrays:
        set_weights(model, {name: arrays[name] for name in arrays.files})
    return model


def read_weights(folder: Path) -> tuple[dict[str, NDArray[Any]], tuple[str, ...]]:
    """Return the weights saved in `folder`, and the features that their model reads."""
    saved = SavedModel.read(folder / _DESCRIPTION)
    with np.load(folder / _WEIGHTS, allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files}, saved.features


def set_weights(model: RankingModel, arrays: dict[str, NDArray[Any]]) -> None:
    """Put `arrays`, by the names of `model.weights()`, into the variables of `model`.

    Raises:
        ArtifactError: The names are not exactly those of the model.
    """
    variables = model.weights()
    if different := sorted(variables.keys() ^ arrays.keys()):
        raise ArtifactError(f"The saved weights do not fit the model: {', '.join(different)}.")
    for name, variable in variables.items():
        variable.assign(arrays[name])


def predict(model: RankingModel, table: pa.Table, batch_size: int = 8192) -> NDArray[np.float32]:
    """Return the probability of the first task for each row of `table`, `[N]`."""
    return predict_tasks(model, table, batch_size)[:, 0]


def predict_tasks(
    model: RankingModel, table: pa.Table, batch_size: int = 8192
) -> NDArray[np.float32]:
    """Return the probability of every task of the model for each row of `table`, `[N, T]`."""
    arrays = to_arrays(table, model.features)
    return predict_arrays(compiled(model), arrays, table.num_rows, batch_size)


def compiled(model: RankingModel) -> Callable[[dict[str, Any]], Any]:
    """Return the function from a batch of inputs to probabilities `[B, T]`, traced once."""
    return tf.function(
        lambda inputs: tf.sigmoid(model(inputs)),
        input_signature=[model.signature()],
        autograph=False,
    )


def predict_arrays(
    score: Callable[[dict[str, Any]], Any],
    arrays: dict[str, NDArray[Any]],
    rows: int,
    batch_size: int = 8192,
) -> NDArray[np.float32]:
    """Return what `score` gives each of the `rows` rows of `arrays`, `[N, T]`."""
    parts = []
    for start in range(0, max(rows, 1), batch_size):
        batch = {name: array[start : start + batch_size] for name, array in arrays.items()}
        parts.append(score({name: tf.constant(value) for name, value in batch.items()}).numpy())
    return np.concatenate(parts)
