"""A benchmark's lines: `part name value unit [goal holds|short]`, and the same rows as JSON."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, final

FOLDER = Path("data/08_reporting/benchmarks")


@final
@dataclass(frozen=True)
class Line:
    """One measured figure; `goal` is a bound in the direction of `better`, or None."""

    part: str
    name: str
    value: float
    unit: str
    goal: float | None = None
    better: Literal["lower", "higher"] = "lower"

    @property
    def verdict(self) -> str:
        """Whether the goal holds; figures without a goal have none."""
        if self.goal is None:
            return "-"
        holds = self.value <= self.goal if self.better == "lower" else self.value >= self.goal
        return "holds" if holds else "short"

    def __str__(self) -> str:
        value = f"{self.value:,.0f}" if abs(self.value) >= 1000 else f"{self.value:.4g}"
        measured = f"{self.part} {self.name} {value} {self.unit}"
        return measured if self.goal is None else f"{measured} {self.goal:g} {self.verdict}"


def write(part: str, lines: list[Line]) -> Path:
    """Write the lines of a part as JSON and return the file."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"{part}.json"
    rows = [asdict(line) | {"verdict": line.verdict} for line in lines]
    path.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    return path
