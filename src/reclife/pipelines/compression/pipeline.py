"""Wiring of the compression stage."""

from kedro.pipeline import Node, Pipeline

from reclife.pipelines.compression import nodes


def create_pipeline() -> Pipeline:
    """Return the stage: lower, compress, decide, validate."""
    return Pipeline(
        [
            Node(
                nodes.compress_model,
                inputs=[
                    "model",
                    "feature_spec",
                    "train_examples@arrow",
                    "validation_examples@arrow",
                    "test_examples@arrow",
                    "params:compression",
                    "run_id",
                ],
                outputs=["compressed_model", "compression_report"],
                name="compress_model",
                namespace="compression",
            ),
            Node(
                nodes.validate,
                inputs=["compressed_model", "compression_report", "expectations", "run_id"],
                outputs="compression_validation",
                name="validate",
                namespace="compression",
            ),
        ]
    )
