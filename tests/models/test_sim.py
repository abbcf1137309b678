"""SIM: the search by a loop over the history, the scores by the equations."""

import numpy as np
import pytest
import tensorflow as tf
from pydantic import ValidationError
from tests.models import equations, zoo
from tests.models.test_din import interest_by_loop

from reclife.config.model import SIMConfig
from reclife.contracts import FIRST_ID
from reclife.errors import ConfigError
from reclife.models.sim import build

CONFIG = SIMConfig(
    search="history_genre", relevant=3, recent=2, embedding_dim=3, attention_units=(6,)
)


def test_the_newest_of_the_same_category_and_the_newest_of_any_are_kept():
    model = build(CONFIG, zoo.SPEC, seed=1)
    inputs = zoo.inputs_of(model, 200)
    kept = {name: tensor.numpy() for name, tensor in model.select(inputs).items()}
    short = 0
    for row in range(200):
        genre = int(inputs["genre"][row])
        past, genres = inputs["history"][row].numpy(), inputs["history_genre"][row].numpy()
        places = [p for p in range(zoo.LENGTH) if genres[p] == genre >= FIRST_ID][-3:]
        short += len(places) < 3
        expected = sorted(past[p] for p in places)
        found = kept["history"][row]
        assert sorted(found[:3]) == sorted([0] * (3 - len(places)) + expected)
        assert list(found[3:]) == list(past[-2:])
        assert list(kept["history_genre"][row][3:]) == list(genres[-2:])
    assert 0 < short < 200


def test_logits_follow_the_equation():
    model = zoo.scrambled(build(CONFIG, zoo.SPEC, seed=1))
    inputs = {name: tensor.numpy() for name, tensor in zoo.inputs_of(model, 40).items()}
    weights = {name: v.numpy().astype("float64") for name, v in model.weights().items()}
    expected = [_logit(weights, {k: v[row] for k, v in inputs.items()}) for row in range(40)]
    actual = model({name: tf.constant(array) for name, array in inputs.items()}).numpy()[:, 0]
    # float32 sums of some hundred products of either sign
    np.testing.assert_allclose(actual, expected, rtol=2e-4, atol=2e-4)


def _logit(weights: equations.Weights, row: equations.Row) -> float:
    items, genres = weights["table/items"], weights["table/genre"]

    def of(item: int, genre: int) -> np.ndarray:
        return np.concatenate([items[item] * (item != 0), genres[genre] * (genre != 0)])

    target = of(row["item"], row["genre"])
    past = list(zip(row["history"], row["history_genre"], strict=True))
    relevant = [pair for pair in past if pair[1] == row["genre"] >= FIRST_ID][-3:]
    interests = [
        interest_by_loop(
            [of(*pair) for pair in pairs if pair[0] != 0],
            target,
            equations.parameters_of(weights, layer),
        )
        for layer, pairs in (("relevant", relevant), ("recent", past[-2:]))
    ]
    shares = row["shares"] * (row["genres"] != 0)
    mean = shares @ weights["table/genres"][row["genres"]] / (shares.sum() or 1.0)
    flat = [*interests, target, mean, equations.numbers(weights, row)]
    return equations.perceptron(
        equations.parameters_of(weights, "perceptron"), np.concatenate(flat)
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"search": "genres"}, "'genres' is no sequence .* such are history, history_genre"),
        ({"relevant": 7}, "keeps 7 positions of history, which has 6"),
    ],
)
def test_a_search_that_cannot_be_made_is_refused(changes, message):
    config = CONFIG.model_copy(update=changes)
    with pytest.raises(ConfigError, match=message):
        build(config, zoo.SPEC, seed=1)


def test_a_sequence_is_not_searched_in_itself():
    with pytest.raises(ValidationError, match="history and search are both 'history'"):
        SIMConfig(search="history")
