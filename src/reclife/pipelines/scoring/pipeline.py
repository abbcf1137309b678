"""Wiring of the scoring stage."""

from kedro.pipeline import Node, Pipeline

from reclife.pipelines.scoring import nodes


def create_pipeline() -> Pipeline:
    """Return the stage: recommend, validate; the framework publishes after that."""
    return Pipeline(
        [
            Node(
                nodes.recommend_items,
                inputs=[
                    "bundle",
                    "interactions@spark",
                    "items@spark",
                    "users@spark",
                    "params:scoring",
                    "run_id",
                ],
                outputs=["recommendations@spark", "scoring_report"],
                name="recommend_items",
                namespace="scoring",
            ),
            Node(
                nodes.validate,
                inputs=[
                    "recommendations@spark",
                    "scoring_report",
                    "items@spark",
                    "users@spark",
                    "expectations",
                    "run_id",
                ],
                outputs="scoring_validation",
                name="validate",
                namespace="scoring",
            ),
        ]
    )
