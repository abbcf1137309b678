"""The graph of `training`."""

from kedro.pipeline import Node, Pipeline

from reclife.pipelines.training import nodes


def create_pipeline() -> Pipeline:
    """Examples in; a trained model, a fitted candidate source and a report out."""
    return Pipeline(
        [
            Node(
                nodes.probe_export,
                inputs=["feature_spec", "params:training"],
                outputs="probed_spec_hash",
                name="probe_export",
                namespace="training",
            ),
            Node(
                nodes.describe_model,
                inputs=["feature_spec", "params:training"],
                outputs="model_summary",
                name="describe_model",
                namespace="training",
            ),
            Node(
                nodes.train_model,
                inputs=[
                    "train_examples@arrow",
                    "validation_examples@arrow",
                    "feature_spec",
                    "params:training",
                    "checkpoint_workspace",
                    "tensorboard_workspace",
                    "run_id",
                    "probed_spec_hash",
                    "feature_state",
                    "earlier_model",
                ],
                outputs=["model", "training_report"],
                name="train_model",
                namespace="training",
            ),
            Node(
                nodes.fit_candidates,
                inputs=[
                    "interactions@arrow",
                    "train_examples@arrow",
                    "validation_examples@arrow",
                    "test_examples@arrow",
                    "feature_spec",
                    "feature_stats",
                    "params:training",
                ],
                outputs="candidates",
                name="fit_candidates",
                namespace="training",
            ),
            Node(
                nodes.write_page,
                inputs=["training_report", "model_summary", "candidates"],
                outputs="training_page",
                name="write_page",
                namespace="training",
            ),
            Node(
                nodes.validate,
                inputs=[
                    "model",
                    "candidates",
                    "training_report",
                    "training_page",
                    "expectations",
                    "run_id",
                ],
                outputs="training_validation",
                name="validate",
                namespace="training",
            ),
        ]
    )
