"""The factorization machine against its equation: a double loop over the fields."""

from tests.models import equations
from tests.training import toy

from reclife.config.model import FMConfig
from reclife.models.fm import build


def test_logits_follow_the_equation():
    equations.check(build(FMConfig(embedding_dim=4), toy.SPEC, seed=2), _logit)


def _logit(weights: equations.Weights, row: equations.Row) -> float:
    fields = equations.field_vectors(weights, row)
    assert len(fields) == 6
    total = float(weights["dense/bias/0"])
    for i, one in enumerate(fields):
        total += one[0]
        for other in fields[i + 1 :]:
            total += float(one[1:] @ other[1:])
    return total
