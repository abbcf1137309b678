"""How fast this machine reads and writes back rows at random: a bound on steps of large tables."""

import time

import numpy as np

ROW = 16
"""float32 numbers in a row: 64 bytes, one line of the cache."""
ROWS = 1 << 22
PICKED = 1 << 17
ROUNDS = 10


def rows_per_second() -> float:
    """Return the rows that one thread reads, changes and writes back in a second, at best."""
    table = np.ones((ROWS, ROW), np.float32)
    generator = np.random.default_rng(7)
    seconds = []
    for _ in range(ROUNDS):
        picked = generator.permutation(ROWS)[:PICKED]
        began = time.perf_counter()
        table[picked] += 1.0
        seconds.append(time.perf_counter() - began)
    return PICKED / min(seconds)
