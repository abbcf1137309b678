"""Wiring of the export stage."""

from kedro.pipeline import Node, Pipeline

from reclife.pipelines.export import nodes


def create_pipeline() -> Pipeline:
    """Return the stage: parity, bundle, validate."""
    return Pipeline(
        [
            Node(
                nodes.check_parity,
                inputs=[
                    "model",
                    "compressed_model",
                    "feature_spec",
                    "test_examples@arrow",
                    "params:export",
                    "run_id",
                ],
                outputs=["export_report", "golden_rows"],
                name="check_parity",
                namespace="export",
            ),
            Node(
                nodes.write_bundle,
                inputs=[
                    "model",
                    "compressed_model",
                    "feature_state",
                    "candidates",
                    "feature_spec",
                    "evaluation",
                    "calibrations",
                    "compression_report",
                    "export_report",
                    "golden_rows",
                    "items@arrow",
                    "origin",
                ],
                outputs="bundle",
                name="write_bundle",
                namespace="export",
            ),
            Node(
                nodes.validate,
                inputs=["bundle", "export_report", "expectations", "run_id"],
                outputs="export_validation",
                name="validate",
                namespace="export",
            ),
        ]
    )
