"""An experiment is a table of cells, each with a call that computes it and, if there is one, the printed number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Cell:
    """One number. paper: as printed, None if it was not. slow: left out by `--quick`. compute: gives our number."""

    row: str
    column: str
    paper: float | None
    slow: bool
    compute: Callable[[], float]


@dataclass(frozen=True)
class Experiment:
    """A table or figure.

    Attributes:
        name: on the command line.
        title: what it shows, with units.
        source: paper and table or figure.
        digits: decimals that the paper prints.
        cells: all numbers, rows together.
    """

    name: str
    title: str
    source: str
    digits: int
    cells: Sequence[Cell]


@dataclass(frozen=True)
class Result:
    """One computed number beside the printed one."""

    table: str
    row: str
    column: str
    ours: float
    paper: float | None

    def agrees(self, digits: int) -> bool | None:
        """Whether ours is the printed number to its last digit; None if none was printed."""
        return None if self.paper is None else abs(self.ours - self.paper) <= 0.5 * 10.0**-digits + 1e-9
