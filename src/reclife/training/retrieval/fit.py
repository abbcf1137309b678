"""Trains a declared retriever with TensorFlow; what comes out needs none."""

import logging
import time
from typing import final

import numpy as np
import tensorflow as tf

from reclife.config.neural import (
    BERT4RecConfig,
    BprMatrixFactorizationConfig,
    GSASRecConfig,
    LightGCNConfig,
    MatrixFactorizationConfig,
    NeuralSourceConfig,
    SASRecConfig,
    TwoTowerConfig,
    ValidationConfig,
)
from reclife.errors import TrainingError
from reclife.models.retrieval import build
from reclife.retrieval.interactions import Interactions
from reclife.retrieval.vectors import Vectors
from reclife.training.retrieval.batches import (
    Batches,
    MaskedBatches,
    NextBatches,
    OthersBatches,
    UserBatches,
)
from reclife.training.retrieval.frozen import frozen
from reclife.training.retrieval.holdout import hold_out
from reclife.training.retrieval.objective import Objective
from reclife.training.retrieval.sequences import Sequences
from reclife.training.retrieval.trainer import Trainer

_LOG = logging.getLogger(__name__)


def train(interactions: Interactions, config: NeuralSourceConfig) -> Vectors:
    """Train the declared model.

    With a validation part the number of epochs is chosen on events set aside; where a refit is
    declared, the model is then trained on everything for that number. The same declaration, data
    and machine give the same vectors, bit for bit.

    Raises:
        TrainingError: The loss is not finite.
    """
    tf.config.experimental.enable_op_determinism()
    if config.validation is None:
        return _Training(interactions, config).run(config.epochs)
    found, epochs = _chosen(interactions, config, config.validation)
    return _Training(interactions, config).run(epochs) if config.validation.refit else found


def _chosen(
    interactions: Interactions, config: NeuralSourceConfig, validation: ValidationConfig
) -> tuple[Vectors, int]:
    """Return the best retriever on events set aside, and its number of epochs."""
    holdout = hold_out(interactions, validation.holdout, config.seed)
    training = _Training(holdout.kept, config)
    best, found, epochs, waited = -1.0, None, 0, 0
    for epoch in range(1, config.epochs + 1):
        training.epoch(epoch)
        if epoch % validation.every and epoch < config.epochs:
            continue
        retriever = training.retriever()
        value = holdout.ndcg(retriever, validation.k)
        _LOG.info("%s epoch %d: NDCG@%d %.4f", config.kind, epoch, validation.k, value)
        waited += 1
        if value > best:
            best, found, epochs, waited = value, retriever, epoch, 0
        if waited == validation.patience:
            break
    if found is None:
        raise TrainingError(
            f"Retriever {config.kind}: no epoch gave finite scores: lower learning_rate."
        )
    return found, epochs


@final
class _Training:
    def __init__(self, interactions: Interactions, config: NeuralSourceConfig) -> None:
        self._interactions, self._config = interactions, config
        sequences = Sequences.of(interactions)
        self._batches = batches(sequences, config)
        _check(interactions, self._batches, config.kind)
        objective = Objective(config.loss, sequences.columns, len(interactions.index))
        steps = len(self._batches) * config.epochs
        try:
            self._model = build(config, interactions.matrix)
            self._trainer = Trainer(self._model, objective, config, steps)
        except (MemoryError, tf.errors.ResourceExhaustedError) as error:
            raise TrainingError(
                f"Retriever {config.kind}: the vectors of {len(interactions.index)} items do not "
                "fit into memory: declare a smaller embedding_dim."
            ) from error

    def run(self, epochs: int) -> Vectors:
        for epoch in range(1, epochs + 1):
            self.epoch(epoch)
        return self.retriever()

    def epoch(self, number: int) -> None:
        began = time.perf_counter()
        losses = [self._trainer.step(batch) for batch in self._batches.epoch(number)]
        loss = float(np.mean([float(value) for value in losses]))
        if not np.isfinite(loss):
            raise TrainingError(
                f"Retriever {self._config.kind}: the loss of epoch {number} is {loss}; lower "
                "learning_rate."
            )
        seconds = time.perf_counter() - began
        _LOG.info(
            "%s epoch %d/%d: loss %.4f, %.1f s",
            self._config.kind,
            number,
            self._config.epochs,
            loss,
            seconds,
        )

    def retriever(self) -> Vectors:
        return frozen(self._model, self._interactions)


def _check(interactions: Interactions, batches: Batches, kind: str) -> None:
    if len(interactions.index) < 2:
        raise TrainingError(f"Retriever {kind}: there is one item only, and so nothing to choose.")
    if not len(batches):
        raise TrainingError(
            f"Retriever {kind}: nobody has two events, so that no item follows from another: "
            "declare kind: popularity, or ingest a longer log."
        )


def batches(sequences: Sequences, config: NeuralSourceConfig) -> Batches:
    """Return what the declared model trains on."""
    size, seed = config.batch_size, config.seed
    match config:
        case MatrixFactorizationConfig() | BprMatrixFactorizationConfig() | LightGCNConfig():
            return UserBatches(sequences, size, seed)
        case SASRecConfig() | GSASRecConfig() | TwoTowerConfig(targets="next"):
            return NextBatches(sequences, size, seed, config.max_length)
        case TwoTowerConfig():
            return OthersBatches(sequences, size, seed, config.max_length)
        case BERT4RecConfig():
            return MaskedBatches(sequences, size, seed, config.max_length, config.masked)
