"""The graph of `evaluation`."""

from kedro.pipeline import Node, Pipeline

from reclife.pipelines.evaluation import nodes

EXAMPLES = ["train_examples@arrow", "validation_examples@arrow", "test_examples@arrow"]


def create_pipeline() -> Pipeline:
    """Model, candidate source and examples in; a report and a page out, if the gate holds."""
    return Pipeline(
        [
            Node(
                nodes.evaluate_like,
                inputs=[
                    "model",
                    "feature_spec",
                    *EXAMPLES,
                    "interactions@arrow",
                    "items@arrow",
                    "users@arrow",
                    "training_report",
                    "params:evaluation",
                ],
                outputs=["like_results", "scored_events", "calibrations"],
                name="evaluate_like",
                namespace="evaluation",
            ),
            Node(
                nodes.evaluate_lists,
                inputs=[
                    "model",
                    "candidates",
                    "feature_spec",
                    "feature_state",
                    "feature_stats",
                    *EXAMPLES,
                    "interactions@arrow",
                    "items@arrow",
                    "users@arrow",
                    "training_report",
                    "params:evaluation",
                ],
                outputs=["lists_result", "scored_lists", "drawn_negatives"],
                name="evaluate_lists",
                namespace="evaluation",
            ),
            Node(
                nodes.write_report,
                inputs=[
                    "like_results",
                    "lists_result",
                    "feature_stats",
                    "params:evaluation",
                    "run_id",
                ],
                outputs=["evaluation", "evaluation_page"],
                name="write_report",
                namespace="evaluation",
            ),
            Node(
                nodes.check_gate,
                inputs=[
                    "evaluation",
                    "evaluation_page",
                    "training_report",
                    "params:evaluation",
                    "run_id",
                ],
                outputs="gate_passed_by",
                name="check_gate",
                namespace="evaluation",
            ),
            Node(
                nodes.validate,
                inputs=[
                    "evaluation",
                    "evaluation_page",
                    "scored_events",
                    "scored_lists",
                    "drawn_negatives",
                    "calibrations",
                    "gate_passed_by",
                    "expectations",
                    "run_id",
                ],
                outputs="evaluation_validation",
                name="validate",
                namespace="evaluation",
            ),
        ]
    )
