r"""Matrix factorisation: a vector for each user, a vector for each item.

.. math:: s_{ui} = \langle p_u, v_i \rangle + b_i

`p` is `[U, D]`, `v` is `[I, D]`. What the vectors are fitted to is the declared loss; with `bpr`
this is the model of the first reference.

References: Rendle et al., "BPR: Bayesian Personalized Ranking from Implicit Feedback", UAI 2009;
Koren, Bell and Volinsky, "Matrix Factorization Techniques for Recommender Systems", 2009.
"""

from collections.abc import Mapping
from typing import Any, final

import tensorflow as tf

from reclife.config.neural import BprMatrixFactorizationConfig, MatrixFactorizationConfig
from reclife.models.retrieval.model import RetrievalModel, table

Tensor = Any
Variable = Any
Config = MatrixFactorizationConfig | BprMatrixFactorizationConfig


@final
class MatrixFactorization(RetrievalModel):
    """See the module for the equation."""

    def __init__(self, users: Variable, items: Variable, config: Config) -> None:
        super().__init__(items, config.similarity)
        self.users = users

    def encode(self, inputs: Mapping[str, Tensor], training: bool) -> Tensor:  # noqa: ARG002
        """Return the rows of the users `[B, D]`."""
        return tf.gather(self.users, inputs["user"])

    def tables(self) -> dict[str, Variable]:
        """Return the trained tables by name, in a fixed order."""
        return {"users": self.users, "items": self.table}


def build(config: Config, users: int, items: int, seed: int) -> MatrixFactorization:
    """Return the model over `users` users and `items` items."""
    dim = config.embedding_dim
    return MatrixFactorization(
        table(users, dim, 0.1, seed, "users"), table(items + 1, dim, 0.1, seed, "items"), config
    )
