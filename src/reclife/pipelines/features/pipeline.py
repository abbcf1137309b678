"""The graph of `features`."""

from kedro.pipeline import Node, Pipeline

from reclife.pipelines.features import nodes


def create_pipeline() -> Pipeline:
    """Canonical tables in; examples, specification, fitted state and statistics out."""
    return Pipeline(
        [
            Node(
                nodes.split_interactions,
                inputs=[
                    "interactions@spark",
                    "items@spark",
                    "users@spark",
                    "ingest_report",
                    "params:features",
                ],
                outputs=["divided_interactions", "split_cuts"],
                name="split_interactions",
                namespace="features",
            ),
            Node(
                nodes.fit_state,
                inputs=[
                    "divided_interactions",
                    "items@spark",
                    "users@spark",
                    "ingest_report",
                    "split_cuts",
                    "params:features",
                    "earlier_feature_state",
                ],
                outputs=["feature_state", "feature_spec"],
                name="fit_state",
                namespace="features",
            ),
            Node(
                nodes.compute_features,
                inputs=[
                    "divided_interactions",
                    "items@spark",
                    "users@spark",
                    "feature_state",
                    "split_cuts",
                    "params:features",
                ],
                outputs="examples",
                name="compute_features",
                namespace="features",
            ),
            Node(
                nodes.measure_examples,
                inputs=["examples", "feature_spec", "feature_state", "split_cuts"],
                outputs="feature_stats",
                name="measure_examples",
                namespace="features",
            ),
            Node(
                nodes.write_examples,
                inputs=["examples", "feature_stats"],
                outputs=[
                    "train_examples@spark",
                    "validation_examples@spark",
                    "test_examples@spark",
                ],
                name="write_examples",
                namespace="features",
            ),
            Node(
                nodes.validate,
                inputs=[
                    "train_examples@spark",
                    "validation_examples@spark",
                    "test_examples@spark",
                    "feature_spec",
                    "feature_state",
                    "feature_stats",
                    "expectations",
                    "run_id",
                ],
                outputs="features_validation",
                name="validate",
                namespace="features",
            ),
        ]
    )
