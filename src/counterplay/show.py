"""Results as the command line prints them: facts line by line, tables, JSON."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from counterplay.experiments.experiment import Experiment, Result


def show_json(value: Any) -> None:
    """One JSON document on stdout."""
    print(json.dumps(value, indent=1))


def show_facts(facts: dict[str, Any], names: list[str]) -> None:
    """One line a fact, in the order of `names`; what is None is left out."""
    width = max(len(name) for name in names)
    for name in names:
        value = facts.get(name)
        if value is not None:
            shown = f"{value + 0.0:.6g}" if isinstance(value, float) else value  # + 0.0 makes -0.0 plain
            print(f"{name.replace('_', ' '):{width}}  {shown}")


def announce(number: int, count: int, cell: str) -> None:
    """Say on stderr which cell of an experiment comes next."""
    print(f"{number}/{count}  {cell}", file=sys.stderr)


def show_results(experiment: Experiment, results: list[Result]) -> None:
    """One line a number: ours, the paper's, and whether they agree to the printed digit."""
    print(f"{experiment.source}: {experiment.title}\n")
    print(f"{'':14}{'':10}{'ours':>10}{'paper':>10}")
    for result in results:
        agrees = result.agrees(experiment.digits)
        paper = "" if result.paper is None else f"{result.paper:.{experiment.digits}f}"
        verdict = "" if agrees is None else "  agrees" if agrees else "  differs"
        print(f"{result.row:14}{result.column:10}{result.ours:10.3f}{paper:>10}{verdict}")


def note_interrupt(facts: dict[str, Any]) -> None:
    """Say on stderr that a result was cut short."""
    if facts.get("interrupted"):
        print("interrupted: this is the best so far", file=sys.stderr)


def show_points(points: list[Any]) -> None:
    """A table of the points of a frontier."""
    print(f"{'method':8}{'dial':>10}{'gain':>12}{'exploitability':>16}{'seconds':>9}")
    for point in points:
        dial = "" if point.dial is None else f"{point.dial:.4g}"
        print(f"{point.method:8}{dial:>10}{point.gain:12.6f}{point.exploitability:16.6f}{point.seconds:9.3f}")
