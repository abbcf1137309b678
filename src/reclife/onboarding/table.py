"""The short table of what was guessed."""

from collections.abc import Iterator
from pathlib import Path

from reclife.onboarding.entities import Entity
from reclife.onboarding.proposal import Proposal
from reclife.onboarding.roles import Guess
from reclife.onboarding.source import DELIMITERS


def print_guesses(proposal: Proposal, files: list[Path], project: Path, env: str) -> None:
    """Print what was guessed, where it was written, and the command that follows."""
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False, emoji=False, markup=False)
    table = Table("what", "guess", "seen", title=f"conf/{env}", title_justify="left")
    for what, guess, seen in _rows(proposal):
        table.add_row(what, guess, seen)
    console.print(table)
    for path in files:
        console.print(f"  {path.relative_to(project)}")
    console.print(f"\nEach guess is explained in these files. Next: make run ENV={env}")


def _rows(proposal: Proposal) -> Iterator[tuple[str, str, str]]:
    roles, form = proposal.roles, proposal.interactions.form
    between = DELIMITERS.get(form.delimiter, repr(form.delimiter))
    header = "header" if form.header else "no header"
    rows = f"{proposal.interactions.rows:,} rows"
    yield "file", form.path.name, f"{between}, {form.encoding}, {header}, {rows}"
    yield "user", _named(roles.user, proposal.user_type), roles.user.seen
    yield "item", _named(roles.item, proposal.item_type), roles.item.seen
    if roles.time is not None:
        yield "time", _named(roles.time), roles.time.seen
    else:
        yield "time", "none", "no column of times"
    yield "liked", proposal.label.words, proposal.label.seen
    yield "split", proposal.split, proposal.split_column or ""
    yield from _entity("items", proposal.items)
    yield from _entity("users", proposal.users)


def _named(guess: Guess, kind: str = "") -> str:
    return f"{guess.column} {kind}".strip() + (" (check)" if guess.weak else "")


def _entity(what: str, entity: Entity | None) -> Iterator[tuple[str, str, str]]:
    if entity is None:
        yield what, "bare ids", "no attributes"
        return
    listed = ", ".join(f"{one.source} ({one.kind})" for one in entity.attributes)
    yield what, entity.table.form.path.name, listed or "no attributes"
