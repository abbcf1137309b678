"""What the nodes of `ingest` do."""

import logging
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from reclife.config.ingest import IngestConfig, ItemsSource, UsersSource
from reclife.contracts import (
    EVENT,
    ITEM,
    TIME,
    USER,
    IngestedDays,
    IngestReport,
    LabelReport,
    TableReport,
    ValidationReport,
)
from reclife.datasets.days import DAYS, EarlierDays
from reclife.datasets.folder import Writer
from reclife.errors import DataError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
else:
    DataFrame = object  # Kedro resolves the annotations; Spark is imported on first use

_LOG = logging.getLogger(__name__)
RowCounts = dict[str, dict[str, int]]
"""Rows by reason for each source, the good ones under the empty reason."""
ParsedEntities = dict[str, DataFrame]
"""`items` and `users` as read, for those that are declared."""
EntityCounts = dict[str, int]
"""`rows`, `conflicts` and `completed` of an entity table."""


def read_days(
    raw: DataFrame, earlier: EarlierDays, config: IngestConfig
) -> tuple[Writer, DataFrame]:
    """Return what reads the new days of an incremental source and takes over the others, and `raw`.

    So the source is loaded, and its validator runs, once.
    """
    from reclife.sources.days import find_days, write_days

    if config.incremental is None:
        return _nothing, raw
    days = find_days(raw, earlier, config.interactions, config.incremental)
    return partial(write_days, raw, days, config.interactions, config.incremental), raw


def parse_interactions(raw: DataFrame, ingested_days: Path, config: IngestConfig) -> DataFrame:
    """Read the declared columns of every raw interaction, and mark the repeated ones."""
    from reclife.sources.canonical import parse_interactions as parse
    from reclife.sources.canonical import without_repeats
    from reclife.sources.days import parsed_days

    source = config.interactions
    parsed = parsed_days(ingested_days) if config.incremental else parse(raw, source)
    return without_repeats(parsed, source).persist()


def parse_entities(
    interactions: DataFrame,
    raw_items: DataFrame | None,
    raw_users: DataFrame | None,
    config: IngestConfig,
) -> ParsedEntities:
    """Read the declared columns of items and users, each from its source, where there is one."""
    sources = {"items": (raw_items, config.items), "users": (raw_users, config.users)}
    for table, (raw, source) in sources.items():
        if raw is not None and (source is None or source.source != f"raw_{table}"):
            _LOG.warning(
                "raw_%s is in the catalog, but ingest.%s reads nothing of it", table, table
            )
    return {
        table: _parse_entities(interactions, raw, source)
        for table, (raw, source) in sources.items()
        if source is not None
    }


def set_aside(
    interactions: DataFrame, entities: ParsedEntities, ingested_days: Path, config: IngestConfig
) -> tuple[DataFrame, RowCounts]:
    """Return the quarantine and the row counts; stop when a source is empty or too broken.

    Of an incremental source the days that were read are judged by themselves, too.
    """
    from reclife.datasets.layout import ordered
    from reclife.sources.canonical import rejected_rows
    from reclife.sources.days import rows_of
    from reclife.sources.quarantine import KEPT, check_rate, count_by_reason

    counts: RowCounts = {}
    drop = config.interactions.duplicates == "drop"
    quarantine = rejected_rows(interactions, "interactions")
    for table, parsed in {"interactions": interactions, **entities}.items():
        counts[table] = count_by_reason(parsed)
        name = _source_name(config, table)
        check_rate(parsed, name, counts[table], config.max_quarantine_rate, drop_duplicates=drop)
        if not counts[table].get(KEPT):
            raise DataError(f"{name}: none of the {sum(counts[table].values())} rows can be used")
        if table != "interactions":
            quarantine = quarantine.union(rejected_rows(parsed, table))
    if days := _days(ingested_days):
        new = rows_of(interactions, days.new)
        if found := count_by_reason(new):
            name = f"raw_interactions ({', '.join(days.new)})"
            check_rate(new, name, found, config.max_quarantine_rate, drop_duplicates=drop)
    rejected = sum(sum(found.values()) - found.get(KEPT, 0) for found in counts.values())
    return ordered(quarantine, rejected, ["source", "reason", "row"]), counts


def keep_interactions(parsed: DataFrame, counts: RowCounts, config: IngestConfig) -> DataFrame:
    """Return the canonical interactions with their labels, in the order of their time."""
    from reclife.datasets.layout import ordered
    from reclife.sources.canonical import canonical_interactions, newest

    source = config.interactions
    end = source.time.complete_until if source.time else None
    if end is None and source.delays:
        end = newest(parsed)
    kept = canonical_interactions(parsed, source, end)
    order = [name for name in (TIME, USER, ITEM, EVENT) if name in kept.columns]
    return ordered(kept, counts["interactions"].get("", 0), order)


def build_items(
    entities: ParsedEntities, interactions: DataFrame, config: IngestConfig
) -> tuple[DataFrame, EntityCounts]:
    """Return one row per item and how they came about."""
    return _build_entities(entities.get("items"), interactions, ITEM, config.items)


def build_users(
    entities: ParsedEntities, interactions: DataFrame, config: IngestConfig
) -> tuple[DataFrame, EntityCounts]:
    """Return one row per user and how they came about."""
    return _build_entities(entities.get("users"), interactions, USER, config.users)


def write_report(
    counts: RowCounts,
    items: EntityCounts,
    users: EntityCounts,
    interactions: DataFrame,
    ingested_days: Path,
    config: IngestConfig,
) -> IngestReport:
    """Report rows in, out and aside for each table, what is known of each label, and the days."""
    kept = counts["interactions"].get("", 0)
    built = {"interactions": {"rows": kept, "conflicts": 0, "completed": 0}}
    built |= {"items": items, "users": users}
    rows = []
    for table, outcome in built.items():
        found = counts.get(table, {})
        rows.append(
            TableReport(
                table=table,
                source=_source_name(config, table),
                rows_in=sum(found.values()) if found else kept,
                rows_out=outcome["rows"],
                quarantined={reason: n for reason, n in found.items() if reason},
                conflicts=outcome["conflicts"],
                completed=outcome["completed"],
            )
        )
    return IngestReport(
        tables=tuple(rows),
        labels=_label_reports(interactions, config),
        days=_days(ingested_days),
    )


def validate(
    interactions: DataFrame,
    items: DataFrame,
    users: DataFrame,
    quarantine: DataFrame,
    report: IngestReport,
    expectations: Mapping[str, object],
    run_id: str,
) -> ValidationReport:
    """Check the written tables against their suites, once."""
    from reclife.validation.stage import validate_stage

    tables = {
        "interactions": interactions,
        "items": items,
        "users": users,
        "quarantine": quarantine,
        "ingest_report": report.tables,
    }
    return validate_stage("ingest", tables, expectations, run_id)


def _parse_entities(
    interactions: DataFrame, raw: DataFrame | None, source: ItemsSource | UsersSource
) -> DataFrame:
    from reclife.sources.canonical import REASON, parse_entities, raw_rows

    if source.source == "raw_interactions":
        rows = interactions.where(f"{REASON} IS NULL")
    elif raw is None:
        raise DataError(
            f"ingest declares {source.source}, but the catalog holds no such source; declare it in "
            "catalog/ingest.yml, or take the attributes from raw_interactions"
        )
    else:
        rows = raw_rows(raw)
    return parse_entities(rows, source.columns, source.source).persist()


def _build_entities(
    parsed: DataFrame | None,
    interactions: DataFrame,
    identity: str,
    source: ItemsSource | UsersSource | None,
) -> tuple[DataFrame, EntityCounts]:
    from reclife.datasets.layout import ordered
    from reclife.sources.canonical import good_rows, one_row_per_id

    described = None if parsed is None else good_rows(parsed)
    columns = source.columns if source else {}
    table = one_row_per_id(described, interactions, identity, columns).persist()
    row = table.selectExpr(
        "count(*) rows", "count_if(_conflict) conflicts", "count_if(_completed) completed"
    ).head()
    counts: EntityCounts = row.asDict() if row else {}
    return ordered(table.drop("_conflict", "_completed"), counts["rows"], [identity]), counts


def _label_reports(interactions: DataFrame, config: IngestConfig) -> tuple[LabelReport, ...]:
    columns = config.interactions.label_columns
    figures = [f"{figure}({name})" for name in columns.values() for figure in ("count", "avg")]
    found = interactions.selectExpr(*figures).head() or ()
    for number, (task, name) in enumerate(columns.items()):
        if not found[2 * number]:
            raise DataError(
                f"no event has a known {name} for the task {task}: its window is longer than the "
                "data, or no event is among interactions.examples"
            )
    return tuple(
        LabelReport(
            task=task,
            column=name,
            delay=config.interactions.delays.get(name, 0),
            known=found[2 * number],
            mean=found[2 * number + 1],
        )
        for number, (task, name) in enumerate(columns.items())
    )


def _nothing(folder: Path) -> None:
    """Leave the folder empty: everything is read."""


def _days(ingested_days: Path) -> IngestedDays | None:
    path = ingested_days / DAYS
    return IngestedDays.read(path) if path.exists() else None


def _source_name(config: IngestConfig, table: str) -> str:
    entity = {"items": config.items, "users": config.users}.get(table)
    return entity.source if entity else "raw_interactions"
