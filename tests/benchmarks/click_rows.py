"""Made-up click data: 26 columns of ids, 13 numbers with gaps, a label from a planted model.

Most ids are in few columns and most columns are small, as in public click logs. Ids are local to
their column, drawn with popularities that fall as a power of the rank, and mixed so that popular
ids do not lie side by side. The sizes of the columns are in the metadata as `vocabulary_sizes`.
"""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

CATEGORIES = tuple(f"C{i}" for i in range(1, 27))
NUMBERS = tuple(f"I{i}" for i in range(1, 14))
LARGE = {2: 0.29, 11: 0.25, 20: 0.21, 15: 0.16, 3: 0.07, 23: 0.01, 9: 0.005}
"""Column -> its share of all ids; the other columns are small."""
EXPONENT = 1.05
MIXING = 2_654_435_761
CHUNK = 1 << 16

Array = NDArray[np.floating]
Ids = NDArray[np.int64]


def column_sizes(ids: int) -> list[int]:
    """Return how many ids each column has, `ids` in all; some four hundred are the fewest."""
    scale = ids / 1_000_000
    sizes = [
        int(LARGE.get(j, 0) * ids) or 4 + int(37 * scale * j**2) for j in range(len(CATEGORIES))
    ]
    largest = max(LARGE, key=LARGE.__getitem__)
    sizes[largest] += ids - sum(sizes)
    return sizes


def write_click_rows(
    path: Path, rows: int, ids: int, *, stream: int = 0, seed: int = 7, uniform: bool = False
) -> None:
    """Write `rows` rows over `ids` ids; another `stream` gives other rows of the same model.

    With `uniform` every id of a column is as frequent as another: the worst case of a table.
    """
    draw = _uniform if uniform else _skewed
    sizes = column_sizes(ids)
    planted = np.random.default_rng([seed, ids])
    effects = [planted.normal(0, 1 / (1 + np.log10(size)), size) for size in sizes]
    weights = planted.normal(0, 0.25, len(NUMBERS))
    fields = [pa.field("label", pa.int8())]
    fields += [pa.field(name, pa.int64()) for name in CATEGORIES]
    fields += [pa.field(name, pa.float32()) for name in NUMBERS]
    schema = pa.schema(fields, {"vocabulary_sizes": json.dumps(sizes)})
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, rows, CHUNK):
            generator = np.random.default_rng([seed, 1 + stream, start])
            count = min(CHUNK, rows - start)
            drawn = [draw(generator, size, count) for size in sizes]
            numbers = generator.normal(size=(len(NUMBERS), count))
            logits = weights @ numbers + sum(e[i] for e, i in zip(effects, drawn, strict=True))
            chance = 1 / (1 + np.exp(1.3 - 0.7 * logits))
            label = (generator.random(count) < chance).astype(np.int8)
            gaps = generator.random(numbers.shape) < 0.2
            columns = [pa.array(label), *map(pa.array, drawn)]
            columns += [
                pa.array(values, pa.float32(), mask=gap)
                for values, gap in zip(np.exp(numbers), gaps, strict=True)
            ]
            writer.write_table(pa.Table.from_arrays(columns, schema=schema), CHUNK)


def _skewed(generator: np.random.Generator, size: int, count: int) -> Ids:
    """Return ids whose popularity falls as a power of their rank, by inverting its integral."""
    power = 1 - EXPONENT
    rank = (generator.random(count) * ((size + 1.0) ** power - 1) + 1) ** (1 / power) - 1
    mixed: Ids = np.minimum(rank.astype(np.int64), size - 1) * MIXING % size
    return mixed


def _uniform(generator: np.random.Generator, size: int, count: int) -> Ids:
    return generator.integers(0, size, count)
