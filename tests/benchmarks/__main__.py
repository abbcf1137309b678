"""Runs benchmarks: each prints its lines and leaves them as JSON."""

import argparse
from collections.abc import Callable

from tests.benchmarks import (
    features,
    metrics,
    models,
    parameter_server,
    published,
    quality,
    run,
    scoring,
    training,
)
from tests.benchmarks.lines import Line, write

PARTS: dict[str, Callable[[str], list[Line]]] = {
    "run": run.measure,
    "features": features.measure,
    "metrics": metrics.measure,
    "quality": quality.measure,
    "models": models.measure,
    "scoring": scoring.measure,
    "training": training.measure,
    "parameter_server": parameter_server.measure,
    "published": published.measure,
}


def main() -> None:
    """Parse the command line and measure."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--part", choices=["all", *PARTS], default="all")
    parser.add_argument("--scale", choices=["small", "full"], default="small")
    chosen = parser.parse_args()
    for part in PARTS if chosen.part == "all" else [chosen.part]:
        lines = PARTS[part](chosen.scale)
        for line in lines:
            print(line)  # noqa: T201 - this is what the command is for
        write(part, lines)


if __name__ == "__main__":
    main()
