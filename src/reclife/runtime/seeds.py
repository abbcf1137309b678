"""Seeds: one declared number, a stream of its own for every use."""

import hashlib


def derive(seed: int, *names: str | int) -> int:
    """Return a 31-bit seed for the use called `names`, the same on every machine.

    Uses that share the declared seed stay independent of one another, and adding one does not
    shift the others.
    """
    text = "\x1f".join([str(seed), *map(str, names)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") >> 1
