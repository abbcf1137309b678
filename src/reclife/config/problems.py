"""How mistakes in a declaration are told: all at once, with the nearest name that exists."""

from collections.abc import Callable, Iterable
from difflib import get_close_matches

from pydantic import ValidationError
from pydantic_core import InitErrorDetails

from reclife.errors import ConfigError


def nearest(word: str, allowed: Iterable[str], cutoff: float = 0.6) -> str:
    """Return `; did you mean ...?` for the most similar of `allowed`, or nothing."""
    near = get_close_matches(word, list(allowed), n=1, cutoff=cutoff)
    return f"; did you mean {near[0]!r}?" if near else ""


def hint(word: str, allowed: Iterable[str]) -> str:
    """Return the nearest match to `word` and everything else that is `allowed`."""
    names = sorted(set(allowed))
    near = nearest(word, names, cutoff=0.5)
    return f"{near or '.'} Allowed: {', '.join(names)}." if names else near


def refuse(problems: Iterable[str]) -> None:
    """Raise one `ConfigError` that lists all `problems`, if there are any."""
    listed = list(problems)
    if listed:
        raise ConfigError(f"The configuration has {len(listed)} problem(s):\n" + "\n".join(listed))


def check_all(*checks: Callable[[], object]) -> None:
    """Run every check, then raise one `ConfigError` with what all of them found."""
    found = []
    for check in checks:
        try:
            check()
        except ConfigError as error:
            found.append(str(error))
    if found:
        raise ConfigError("\n".join(found))


def joined(
    key: str, problems: Iterable[str], error: ValidationError | None = None
) -> ValidationError:
    """Return one error with the `problems` found at `key` behind those of `error`, if any."""
    lines = [
        InitErrorDetails(
            type=line["type"], loc=line["loc"], input=line["input"], ctx=line.get("ctx", {})
        )
        for line in (error.errors() if error else ())
    ]
    lines += [
        InitErrorDetails(
            type="value_error", loc=(key,), input=[], ctx={"error": ValueError(problem)}
        )
        for problem in problems
    ]
    return ValidationError.from_exception_data(error.title if error else key, lines)
