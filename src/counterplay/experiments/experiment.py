"""Experiments as tables of cells: each has a function that computes it and, if there is one, the printed number."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from counterplay.errors import InputError, quoted
from counterplay.experiments.panels import Panel
from counterplay.work.needed_files import NeededFile
from counterplay.work.work import SomePieces, Work


@dataclass(frozen=True)
class Cell:
    """One number.

    Attributes:
        row: name of its row.
        column: name of its column.
        paper: the printed number; None without one.
        slow: whether `--quick` leaves it out.
        compute: computes our number.
        reason: why ours differs from the printed number; empty if it agrees.
    """

    row: str
    column: str
    paper: float | None
    slow: bool
    compute: Callable[[], float]
    reason: str = ""


@dataclass(frozen=True)
class Average:
    """The mean of a column over the rows `of` that the same run has: `a` in the figures.

    It is not in the record, since `--quick` averages over fewer rows.
    """

    row: str
    column: str
    of: Sequence[str]


@dataclass(frozen=True)
class Derived:
    """A number derived from others of the same run: the rows `of`, as far as the run has them, in the columns `needs`.

    Like an average it is not in the record.

    Attributes:
        row, column, paper, reason: as of `Cell`. Of a claim in words the paper's number is what the words mean, such as 100
            percent of the rows for "always".
        compute: takes for each column the numbers of the rows, in one order; None where they make none.
        so_far: leave out rows that an interrupted run has not computed; else there is no number until all are there.
    """

    row: str
    column: str
    of: Sequence[str]
    needs: Sequence[str]
    compute: Callable[[Mapping[str, Sequence[float]]], float | None]
    paper: float | None = None
    reason: str = ""
    so_far: bool = False


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
        rows_of: how the rows begin that need a piece, by its key; None if all need all.
        seconds: that a piece takes on one core, as measured, by its key; None where nothing is known before the first.
    """

    work: Callable[[], Work]
    keep: Callable[[Path, Mapping[str, Any]], None]
    rows_of: Callable[[str], str] | None = None
    seconds: Callable[[str], float] | None = None

    def for_rows(self, rows: Collection[str]) -> LongPieces:
        """Those that some rows need."""
        return self if self.rows_of is None else replace(self, work=partial(_chosen, self.work, self.rows_of, rows))


def _chosen(work: Callable[[], Work], rows_of: Callable[[str], str], rows: Collection[str]) -> Work:
    every = work()
    keys = every.keys()
    return SomePieces(every, tuple(key for key in keys if any(row.startswith(rows_of(key)) for row in rows)))


@dataclass(frozen=True)
class Experiment:
    """A table or figure.

    Attributes:
        name: on the command line.
        title: its content, with units.
        source: paper and table or figure.
        digits: decimals that the paper prints; for figures those to show.
        cells: all numbers, row by row, averages after their parts.
        panels: panels of a figure, in rows from the top; none for a table, which is drawn as bars.
        record: the experiment with which it shares a record; empty if it has its own.
        measure: measure of the numbers of a table, with units, for its bars.
        long_pieces: pieces of long work that summaries are made from.
        files: that cells read, as far as they are there.
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
    files: Sequence[NeededFile] = ()


def part_of(experiment: Experiment, words: Sequence[str]) -> Experiment:
    """The rows of an experiment whose names have one of some words in them. It shares the record of the whole.

    Raises:
        InputError: a word is in no row.
    """
    for word in words:
        if not any(word in cell.row for cell in experiment.cells):
            named = ", ".join(quoted(row) for row in list(dict.fromkeys(cell.row for cell in experiment.cells))[:3])
            raise InputError(f"{experiment.name} has no row with {quoted(word)} in its name; it has {named}, ...")
    cells = [cell for cell in experiment.cells if any(word in cell.row for word in words)]
    rows, pieces = {cell.row for cell in cells if isinstance(cell, Summary)}, experiment.long_pieces
    return replace(experiment, cells=cells, long_pieces=pieces.for_rows(rows) if pieces and rows else None)


@dataclass(frozen=True)
class Result:
    """One computed number beside the printed one; reason: why they differ, if they do."""

    table: str
    row: str
    column: str
    ours: float
    paper: float | None
    reason: str = ""

    def agrees(self, digits: int) -> bool | None:
        """Whether ours is the printed number to its last digit; None without one."""
        return None if self.paper is None else abs(self.ours - self.paper) <= 0.5 * 10.0**-digits + 1e-9

    def verdict(self, digits: int) -> str:
        """`agrees`, or `differs` and the reason; empty without a printed number."""
        agrees = self.agrees(digits)
        if agrees is None:
            return ""
        return "agrees" if agrees else f"differs: {self.reason or 'for no known reason'}"
