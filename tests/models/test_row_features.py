"""Models take every kind of feature of the row, as the page on features declares them."""

import pyarrow as pa
import pytest
from tests.docs.test_features_page import STATISTICS, VOCABULARIES, examples
from tests.transforms.rows import state_of, written

from reclife.config.model import ModelConfig
from reclife.export.probe import check_exportable
from reclife.models import build
from reclife.models.saved import predict
from reclife.transforms.engine.plan import feature_spec

COLUMNS = {
    "country": ["DE", "US", None, "JP"],
    "genres": ["Drama|New", "", None, "Comedy"],
    "tags": ["dark:0.5|calm", "new:2", None, "calm:0"],
    "studios": ["North|South", "South", None, "East"],
    "shares": ["3|1", None, None, "0.5"],
    "url": ["/home", None, "/cart", ""],
    "age": [17.0, None, 40.0, 90.0],
    "price": [5.0, 50.0, None, 5000.0],
    "device": ["tv", None, "phone", "tv"],
    "amount": [None, 3.0, 70.0, -1.0],
    "embedding": [[0.5, 1.0, -2.0], None, [0.1, 0.1, 0.1], [0.0, 0.0, 9.0]],
    "title": ["Heat (1995)", None, "!", "Up"],
}


@pytest.mark.parametrize("kind", ["deepfm", "logistic_regression"])
def test_all_kinds_are_scored_and_exported(kind: str) -> None:
    features = [feature for _, declared, _, _ in examples() for feature in declared]
    state = state_of(*features, vocabularies=VOCABULARIES, statistics=STATISTICS)
    spec = feature_spec(state, timed=True)
    columns = {name: pa.array(values) for name, values in COLUMNS.items()}
    table = written(state, [0, 10**6, 10**8, 10**9], **columns)
    model = build(ModelConfig.model_validate({"kind": kind}), spec, 0)
    assert [feature.name for feature in model.features] == table.column_names
    assert predict(model, table).shape == (4,)
    check_exportable(model, spec)
