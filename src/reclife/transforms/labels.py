"""Labels of the interactions: what each task's rule says of an event, null where nothing yet."""

from collections.abc import Mapping, Sequence

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf

from reclife.config.ingest import InteractionsSource
from reclife.config.labels import ConversionLabel, LabelRule
from reclife.contracts import EVENT, ITEM, LABEL, TIME, USER
from reclife.errors import DataError
from reclife.transforms.split import Cuts


def with_labels(events: DataFrame, source: InteractionsSource, end: int | None) -> DataFrame:
    """Return `events`, without duplicates, with one column a task: 1, 0, or null for not known.

    Args:
        events: Canonical columns.
        source: The rules, and which types of events are examples; the others have no label.
        end: Second up to which the data is complete, for rules that look ahead.
    """
    labels = {source.label_columns[task]: _label(rule, end) for task, rule in source.tasks.items()}
    if source.examples is not None:
        wanted = sf.col(EVENT).isin(*source.examples)
        labels = {name: sf.when(wanted, label) for name, label in labels.items()}
    return events.select("*", *(label.alias(name) for name, label in labels.items()))


def label_columns(columns: Sequence[str]) -> list[str]:
    """Return the label columns among those of interactions or examples, the main one first."""
    return [name for name in columns if name == LABEL or name.startswith(f"{LABEL}_")]


def is_example(columns: Sequence[str]) -> Column:
    """Return whether an event has a label: without one it is only looked back on.

    Where nothing has a label, in requests for instance, all are examples.
    """
    labels = label_columns(columns)
    return sf.coalesce(*labels).isNotNull() if labels else sf.lit(True)


def known_by(divided: DataFrame, cuts: Cuts, delays: Mapping[str, int]) -> DataFrame:
    """Return the divided interactions without labels that are known in a later part only.

    A label that looks ahead would carry what happens after the cut into what is trained on before.

    Raises:
        DataError: No label of the validation part is known before the test part begins.
    """
    if cuts.validation_start is None or cuts.test_start is None or not delays:
        return divided
    length = cuts.test_start - cuts.validation_start
    if late := {name: delay for name, delay in delays.items() if delay >= length}:
        raise DataError(
            f"split: validation lasts {length} seconds, so none of its labels is known before the "
            f"test part ({', '.join(f'{n} takes {d} seconds' for n, d in late.items())}): declare "
            "a larger split.validation, or shorter windows in ingest"
        )
    cut = sf.when(sf.col(TIME) < cuts.validation_start, cuts.validation_start).when(
        sf.col(TIME) < cuts.test_start, cuts.test_start
    )
    return divided.withColumns(
        {
            name: sf.when(cut.isNull() | (sf.col(TIME) + delay < cut), sf.col(name))
            for name, delay in delays.items()
        }
    )


def _label(rule: LabelRule, end: int | None) -> Column:
    if rule.kind == "all_positive":
        return sf.lit(1.0)
    if rule.kind == "conversion":
        return _conversion(rule, end)
    column = sf.col(rule.column)
    positive = column >= rule.at_least if rule.kind == "threshold" else column.isin(*rule.positive)
    return sf.coalesce(positive, sf.lit(False)).cast("double")


def _conversion(rule: ConversionLabel, end: int | None) -> Column:
    """Return whether the next conversion lies in the window; the newest events come first.

    So the frame only ever grows: one pass over the events of a key, however many there are.
    """
    keys = (USER, ITEM) if rule.same_item else (USER,)
    later = (
        Window.partitionBy(*keys)
        .orderBy(sf.col(TIME).desc())
        .rangeBetween(Window.unboundedPreceding, -1)
    )
    happened = sf.when(sf.col(EVENT).isin(*rule.events), sf.col(TIME))
    following = sf.min(happened).over(later)
    converted = sf.coalesce(following <= sf.col(TIME) + rule.seconds, sf.lit(False))
    closed = sf.col(TIME) + rule.seconds <= sf.lit(end)
    known = closed | converted if rule.early == "count" else closed
    return sf.when(known, converted.cast("double"))
