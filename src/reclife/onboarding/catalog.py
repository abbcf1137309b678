"""Where the user's files lie and how they are read: catalog entries, their suites, Spark's part."""

from pathlib import Path
from typing import Any

from reclife.onboarding.entities import Entity
from reclife.onboarding.profile import Column, Profile
from reclife.onboarding.proposal import Proposal
from reclife.onboarding.source import DELIMITERS, Form
from reclife.onboarding.yaml_text import document, flow, pairs, remark


def catalog_text(proposal: Proposal, project: Path, env: str) -> str:
    """Return `catalog/ingest.yml`."""
    lines = [
        "# The sources. Columns come in as text and get their types in parameters/ingest.yml.",
        *_entry("raw_interactions", proposal.interactions, project, env),
    ]
    for name, entity in (("raw_items", proposal.items), ("raw_users", proposal.users)):
        if entity is not None and entity.own_file:
            lines += _entry(name, entity.table, project, env)
        else:
            lines += [f"{name}:", "  type: reclife.datasets.absent.Absent"]
    return document(lines)


def suites(proposal: Proposal) -> dict[str, str]:
    """Return the text of `expectations/<source>.yml` by source."""
    roles = proposal.roles
    events = proposal.interactions
    keys = {roles.user.column: proposal.user_type, roles.item.column: proposal.item_type}
    filled = [*keys, *([roles.time.column] if roles.time else [])]
    texts = {"raw_interactions": _suite("raw_interactions", events, filled, keys)}
    for name, entity, kind in (
        ("raw_items", proposal.items, proposal.item_type),
        ("raw_users", proposal.users, proposal.user_type),
    ):
        if entity is not None and entity.own_file:
            key = entity.key.column
            texts[name] = _suite(name, entity.table, [key], {key: kind}, unique=key)
    return texts


def spark_text(proposal: Proposal) -> str | None:
    """Return `spark.yml` where a file's encoding needs a setting of Spark, else None."""
    tables = [proposal.interactions, *(e.table for e in _entities(proposal))]
    encodings = sorted({t.form.encoding for t in tables if t.form.legacy_charset})
    if not encodings:
        return None
    return document(
        [
            remark(f"Spark reads {', '.join(encodings)} only with this setting."),
            "spark.sql.legacy.javaCharsets: true",
        ]
    )


def _entities(proposal: Proposal) -> list[Entity]:
    return [one for one in (proposal.items, proposal.users) if one is not None]


def _entry(name: str, table: Profile, project: Path, env: str) -> list[str]:
    return [
        f"{name}:",
        "  type: spark.SparkDatasetV2",
        f"  filepath: {flow(_place(table.form.path, project))}",
        "  file_format: csv",
        "  load_args:",
        *_load_args(table),
        "  validator:",
        "    class: reclife.validation.catalog.SuiteValidator",
        '    "on": [load]',
        f"    options: {{path: {flow(f'conf/{env}/expectations/{name}.yml')}}}",
    ]


def _load_args(table: Profile) -> list[str]:
    form: Form = table.form
    between = DELIMITERS.get(form.delimiter, "given")
    lines = [
        remark(f"{between}s between the columns, {form.encoding} text, {table.rows:,} rows", 4),
        *pairs({"header": form.header, "sep": form.delimiter, "encoding": form.charset}, 4),
        '    quote: "\\""',
        '    escape: "\\""  # a quote inside quotes is doubled (RFC 4180)',
    ]
    # several lines a row, or two bytes a character, keep Spark from cutting the file
    if table.newlines or form.encoding == "utf-16":
        lines += [
            remark("a row may run over several lines, so the file is read in one piece", 4),
            "    multiLine: true",
        ]
    return lines


def _place(path: Path, project: Path) -> str:
    """Return the path from the project's folder when the file lies in it, else in full."""
    path = path.resolve()
    inside = path.is_relative_to(project.resolve())
    return (path.relative_to(project.resolve()) if inside else path).as_posix()


def _suite(
    name: str,
    table: Profile,
    filled: list[str],
    keys: dict[str, Any],
    unique: str | None = None,
) -> str:
    checks: list[tuple[str, dict[str, Any]]] = [
        ("expect_column_values_to_not_be_null", {"column": column, "mostly": 0.99})
        for column in filled
    ]
    checks += [
        (
            "expect_column_values_to_match_regex",
            {"column": column, "regex": r"^\s*-?[0-9]+\s*$", "mostly": 0.99},
        )
        for column, kind in keys.items()
        if kind == "int64"
    ]
    checks += [
        (
            "expect_column_unique_value_count_to_be_between",
            {"column": column, "min_value": min(2, _distinct(table.columns[column]))},
        )
        for column in keys
    ]
    if unique is not None and table.columns[unique].distinct == table.columns[unique].filled:
        checks.append(("expect_column_values_to_be_unique", {"column": unique}))
    return document(
        [
            "# What must hold for the file as a whole before any of it is read; single rows that",
            "# break the declared columns are set aside by ingest.",
            f"{name}:",
            f"  min_rows: 1  # the file had {table.rows:,}; a floor guards against half a file",
            "  columns:",
            *pairs(dict.fromkeys(table.columns, "string"), 4),
            "  expectations:",
            *(f"    - {flow({'type': kind, 'kwargs': kwargs})}" for kind, kwargs in checks),
        ]
    )


def _distinct(column: Column) -> int:
    return max(1, column.distinct)
