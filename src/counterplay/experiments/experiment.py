"""An experiment is a table of cells, each with a call that computes it and, if there is one, the printed number."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterplay.experiments.panels import Panel
from counterplay.work.work import Work


@dataclass(frozen=True)
class Cell:
    """One number.

    Attributes:
        row: where it stands.
        column: where it stands.
        paper: as printed, None if it was not.
        slow: left out by `--quick`.
        compute: gives our number.
        reason: why ours is not the printed number, in some words; empty where it is.
    """

    row: str
    column: str
    paper: float | None
    slow: bool
    compute: Callable[[], float]
    reason: str = ""


@dataclass(frozen=True)
class Average:
    """The mean of a column over those of the rows `of` that the same run has: what figures call `a`.

    It is not kept in the record, for `--quick` averages over fewer rows.
    """

    row: str
    column: str
    of: Sequence[str]


@dataclass(frozen=True)
class Derived:
    """A number made from others of the same run: those of the rows `of`, as far as the run has them, in the columns `needs`.

    Like an average it is not kept in the record. compute: gets for every column the numbers of the rows, in one order.
    """

    row: str
    column: str
    of: Sequence[str]
    needs: Sequence[str]
    compute: Callable[[Mapping[str, Sequence[float]]], float]


@dataclass(frozen=True)
class Summary:
    """A number made from the results of an experiment's long work, as far as they are there.

    Attributes:
        row, column, paper, reason: as of `Cell`.
        compute: gets the results by key; None where they do not suffice.
    """

    row: str
    column: str
    paper: float | None
    compute: Callable[[Mapping[str, Any]], float | None]
    reason: str = ""


@dataclass(frozen=True)
class LongPieces:
    """Work of hours or days beside the cells, left out by `--quick`.

    Attributes:
        work: makes the pieces; it raises an `InputError` where something is missing that a person has to make first.
        keep: writes what others shall have of the results into a folder.
    """

    work: Callable[[], Work]
    keep: Callable[[Path, Mapping[str, Any]], None]


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
        record: the experiment whose record it shares, for they have numbers in common; empty if it has its own.
        measure: what the numbers of a table are, with units, beside its bars.
        long_pieces: what summaries are made from.
    """

    name: str
    title: str
    source: str
    digits: int
    cells: Sequence[Cell | Average | Derived | Summary]
    panels: Sequence[Sequence[Panel]] = ()
    record: str = ""
    measure: str = ""
    long_pieces: LongPieces | None = None


@dataclass(frozen=True)
class Result:
    """One computed number beside the printed one; reason: why they differ, where they may."""

    table: str
    row: str
    column: str
    ours: float
    paper: float | None
    reason: str = ""

    def agrees(self, digits: int) -> bool | None:
        """Whether ours is the printed number to its last digit; None if none was printed."""
        return None if self.paper is None else abs(self.ours - self.paper) <= 0.5 * 10.0**-digits + 1e-9

    def verdict(self, digits: int) -> str:
        """`agrees`, or `differs` and the reason; empty if none was printed."""
        agrees = self.agrees(digits)
        if agrees is None:
            return ""
        return "agrees" if agrees else f"differs: {self.reason or 'for no known reason'}"
