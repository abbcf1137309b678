"""Fits and computes every kind of feature under a given master; a process of its own."""

import argparse
import json
from pathlib import Path

from tests.transforms import examples

SETTINGS = {
    "spark.driver.memory": "1g",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.executor.memory": "600m",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
SEED, ROWS = 5, 2_000


def run(master: str, partitions: int, out: Path) -> None:
    """Write the features of all events, the hash of the fitted state and how many executors ran."""
    from reclife.runtime.spark import start
    from reclife.transforms.engine.fit import fit
    from reclife.transforms.engine.spark import features_for_spark

    parts = {"spark.master": master, "spark.sql.shuffle.partitions": str(partitions)}
    spark = start(SETTINGS | parts)
    tables = examples.make_tables(SEED, ROWS)
    frames = [spark.createDataFrame(t) for t in (tables.events, tables.items, tables.users)]
    events, items, users = (frame.repartition(partitions) for frame in frames)
    cut = int(events.approxQuantile("timestamp", [0.8], 0.0)[0])
    state = fit(events.where(f"timestamp < {cut}"), items, users, examples.config())
    found = features_for_spark(events, events, items, users, state, item_cut=cut)
    found.write.parquet(str(out / "features"))

    executors = spark.sparkContext._jsc.sc().statusStore().executorList(True)
    working = sum(executors.apply(n).totalTasks() > 0 for n in range(executors.size()))
    told = {"state": state.hash, "executors": working}
    (out / "told.json").write_text(json.dumps(told), encoding="utf-8")
    spark.stop()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--master", required=True)
    parser.add_argument("--partitions", type=int, required=True)
    parser.add_argument("--out", type=Path, required=True)
    chosen = parser.parse_args()
    run(chosen.master, chosen.partitions, chosen.out)
