"""An experiment is a table of cells, each with a call that computes it and, if there is one, the printed number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from counterplay.experiments.panels import Panel


@dataclass(frozen=True)
class Cell:
    """One number. paper: as printed, None if it was not. slow: left out by `--quick`. compute: gives our number."""

    row: str
    column: str
    paper: float | None
    slow: bool
    compute: Callable[[], float]


@dataclass(frozen=True)
class Average:
    """The mean of a column over those of the rows `of` that the same run has: what figures call `a`.

    It is not kept in the record, for `--quick` averages over fewer rows.
    """

    row: str
    column: str
    of: Sequence[str]


@dataclass(frozen=True)
class Experiment:
    """A table or figure.

    Attributes:
        name: on the command line.
        title: what it shows, with units.
        source: paper and table or figure.
        digits: decimals that the paper prints; of figures, those that are shown.
        cells: all numbers, rows together, averages after what they are made of.
        panels: how a figure is drawn, in rows from above; none for a table, which is drawn as bars.
    """

    name: str
    title: str
    source: str
    digits: int
    cells: Sequence[Cell | Average]
    panels: Sequence[Sequence[Panel]] = ()


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
