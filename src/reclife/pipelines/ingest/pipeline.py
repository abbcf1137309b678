"""The graph of `ingest`."""

from kedro.pipeline import Node, Pipeline

from reclife.pipelines.ingest import nodes


def create_pipeline() -> Pipeline:
    """Raw interactions, items and users in; canonical tables, quarantine and a report out."""
    return Pipeline(
        [
            Node(
                nodes.read_days,
                inputs=["raw_interactions", "newest_days", "params:ingest"],
                outputs=["ingested_days", "found_interactions"],
                name="read_days",
                namespace="ingest",
            ),
            Node(
                nodes.parse_interactions,
                inputs=["found_interactions", "ingested_days", "params:ingest"],
                outputs="parsed_interactions",
                name="parse_interactions",
                namespace="ingest",
            ),
            Node(
                nodes.parse_entities,
                inputs=["parsed_interactions", "raw_items", "raw_users", "params:ingest"],
                outputs="parsed_entities",
                name="parse_entities",
                namespace="ingest",
            ),
            Node(
                nodes.set_aside,
                inputs=[
                    "parsed_interactions",
                    "parsed_entities",
                    "ingested_days",
                    "params:ingest",
                ],
                outputs=["quarantine@spark", "row_counts"],
                name="set_aside",
                namespace="ingest",
            ),
            Node(
                nodes.keep_interactions,
                inputs=["parsed_interactions", "row_counts", "params:ingest"],
                outputs="interactions@spark",
                name="keep_interactions",
                namespace="ingest",
            ),
            Node(
                nodes.build_items,
                inputs=["parsed_entities", "interactions@spark", "params:ingest"],
                outputs=["items@spark", "item_counts"],
                name="build_items",
                namespace="ingest",
            ),
            Node(
                nodes.build_users,
                inputs=["parsed_entities", "interactions@spark", "params:ingest"],
                outputs=["users@spark", "user_counts"],
                name="build_users",
                namespace="ingest",
            ),
            Node(
                nodes.write_report,
                inputs=[
                    "row_counts",
                    "item_counts",
                    "user_counts",
                    "interactions@spark",
                    "ingested_days",
                    "params:ingest",
                ],
                outputs="ingest_report",
                name="write_report",
                namespace="ingest",
            ),
            Node(
                nodes.validate,
                inputs=[
                    "interactions@spark",
                    "items@spark",
                    "users@spark",
                    "quarantine@spark",
                    "ingest_report",
                    "expectations",
                    "run_id",
                ],
                outputs="ingest_validation",
                name="validate",
                namespace="ingest",
            ),
        ]
    )
