"""Experiments as tables of cells: each has a function that computes it and, if there is one, a number to compare with."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from functools import partial
from math import hypot
from pathlib import Path
from statistics import fmean
from typing import Any, TypeVar

from counterplay import InputError
from counterplay.errors import quoted
from counterplay.work.run_work import FunctionWork, Work
from counterplay_papers.files import NeededFile
from counterplay_papers.panels import Panel

MILEC_2024, MILEC_2025, LIU_2022, KUBICEK_2026 = (
    "Milec et al. 2024", "Milec et al. 2025", "Liu et al. 2022", "Kubíček et al. 2026",
)  # fmt: skip
"""Papers that are reproduced; `docs/references.md` has them in full."""

PRINTED, FIGURE, TEXT, AIM = "printed", "figure", "text", "aim"
KINDS = {
    PRINTED: "printed in the paper",
    FIGURE: "read off a figure",
    TEXT: "following from the text",
    AIM: "aims of ours, in no paper",
}
"""Kinds of reference numbers, which are counted apart."""
Numbers = Mapping[str, Sequence[float]]
"""Of some columns the numbers of some rows, in one order."""


@dataclass(frozen=True)
class Reference:
    """A number to compare with.

    Attributes:
        number: the number.
        kind: its source, of `KINDS`. A number is printed only if the paper has this number for this quantity; a number that
            has to be computed from printed rules, payoffs or claims in words follows from the text.
        margin: half of its 95 % interval, if the paper gives one.
        own_margin: the column, in the same row, of half of the 95 % interval of our number; empty if ours is exact.
    """

    number: float
    kind: str
    margin: float = 0.0
    own_margin: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"no kind of reference {self.kind!r}")


def printed(number: float) -> Reference:
    """A number that the paper prints."""
    return Reference(number, PRINTED)


def follows(number: float) -> Reference:
    """A number that follows from the paper's text."""
    return Reference(number, TEXT)


@dataclass(frozen=True)
class Cell:
    """One number.

    Attributes:
        row, column: its place in the table.
        reference: the number to compare with.
        slow: whether `--quick` leaves it out.
        compute: computes our number.
        reason: why ours differs from the reference; empty if it agrees.
    """

    row: str
    column: str
    reference: Reference | None
    slow: bool
    compute: Callable[[], float]
    reason: str = ""


@dataclass(frozen=True)
class Derived:
    """A number derived from others of the same run: the rows `of`, as far as the run has them, in the columns `needs`.

    It is not in the record, since `--quick` has fewer rows.

    Attributes:
        row, column, reference, reason: as of `Cell`. Of a claim in words the reference is what the words mean, such as 100
            percent of the rows for "always".
        compute: takes for each column the numbers of the rows; None where they make none.
        so_far: leave out rows that an interrupted run has not computed; else there is no number until all are there.
    """

    row: str
    column: str
    of: Sequence[str]
    needs: Sequence[str]
    compute: Callable[[Numbers], float | None]
    reference: Reference | None = None
    reason: str = ""
    so_far: bool = False


@dataclass(frozen=True)
class Summary:
    """A number made from the results of an experiment's long work by key; None where they do not suffice yet."""

    row: str
    column: str
    reference: Reference | None
    compute: Callable[[Mapping[str, Any]], float | None]
    reason: str = ""


AnyCell = Cell | Derived | Summary
A = TypeVar("A")
B = TypeVar("B")


def grid(
    rows: Mapping[str, A],
    columns: Mapping[str, B],
    number: Callable[[A, B], float],
    slow: bool | Callable[[A, B], bool] = False,
    reference: Callable[[A, B], Reference | None] = lambda *_: None,
    reason: Callable[[A, B], str] = lambda *_: "",
) -> list[Cell]:
    """The cells of some rows and columns, row by row; each function takes what stands behind the row and the column."""
    return [
        Cell(
            row,
            column,
            reference(a, b),
            slow if isinstance(slow, bool) else slow(a, b),
            partial(number, a, b),
            reason(a, b),
        )
        for row, a in rows.items()
        for column, b in columns.items()
    ]


def field(name: str, find: Callable[..., Any], *arguments: Any) -> float:
    """A number of a result record, for cells that share the record."""
    return float(getattr(find(*arguments), name))


def average(row: str, column: str, of: Sequence[str]) -> Derived:
    """The mean of a column over rows: `a` in the figures."""
    return Derived(row, column, of, (column,), lambda found: fmean(found[column]))


def largest(row: str, of: Sequence[str], column: str) -> Derived:
    """The largest number of a column."""
    return Derived(row, f"largest {column}", of, (column,), lambda found: max(found[column]))


_SLACK = 1e-6
"""Chips by which a number may be below another and count as no less."""


def never_less(row: str, of: Sequence[str], first: str, second: str, reason: str) -> Derived:
    """The share of rows in which a first column is no less than a second, in percent; the text claims all."""

    def share(found: Numbers) -> float:
        pairs = list(zip(found[first], found[second], strict=True))
        return 100.0 * sum(mine >= other - _SLACK for mine, other in pairs) / len(pairs)

    return Derived(row, "% of the rows", of, (first, second), share, follows(100.0), reason)


@dataclass(frozen=True)
class LongPieces:
    """Work of hours or days beside the cells, left out by `--quick`.

    Attributes:
        work: makes the pieces; it raises an `InputError` where something is missing that a person has to make first.
        keep: writes what others shall have of the results into a folder.
        rows_of: the beginning of the rows that need a piece, by its key; None if all need all.
        seconds: that a piece takes on one core, as measured, by its key; None where nothing is known before the first.
    """

    work: Callable[[], Work]
    keep: Callable[[Path, Mapping[str, Any]], None] = lambda *_: None
    rows_of: Callable[[str], str] | None = None
    seconds: Callable[[str], float] | None = None

    def for_rows(self, rows: Collection[str]) -> LongPieces:
        """Those that some rows need."""
        rows_of = self.rows_of
        if rows_of is None:
            return self

        def chosen() -> Work:
            every = self.work()
            keys = [key for key in list(every.keys()) if any(row.startswith(rows_of(key)) for row in rows)]
            return FunctionWork(every.compute, keys, every.identity)

        return replace(self, work=chosen)


@dataclass(frozen=True)
class Experiment:
    """A table or figure.

    Attributes:
        name: on the command line.
        title: its content, with units.
        source: paper and table or figure.
        digits: decimals that the paper prints; for figures those to show.
        cells: all numbers, row by row, derived ones after their parts.
        panels: panels of a figure, in rows from the top; none for a table, which is drawn as bars.
        record: the experiment with which it shares a record; empty if it has its own.
        measure: measure of the numbers of a table, with units, for its bars.
        note: what the comparison rests on, shown beside the table; empty if there is nothing to say.
        long_pieces: pieces of long work that summaries are made from.
        files: that cells read, as far as they are there.
    """

    name: str
    title: str
    source: str
    digits: int
    cells: Sequence[AnyCell]
    panels: Sequence[Sequence[Panel]] = ()
    record: str = ""
    measure: str = ""
    note: str = ""
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
    """One computed number of an experiment's table beside its reference, whose kind is empty without one.

    margin: half of the 95 % interval of the difference, where either number has an interval. reason: why they differ, if
    they do.
    """

    table: str
    row: str
    column: str
    ours: float
    reference: float | None = None
    kind: str = ""
    margin: float = 0.0
    reason: str = ""

    def agrees(self, digits: int) -> bool | None:
        """Return whether ours is the reference to its last digit, or within the interval of the difference, or reaches an
        aim; None without a reference."""
        if self.reference is None:
            return None
        if self.kind == AIM:
            return self.ours >= self.reference
        return abs(self.ours - self.reference) <= self.margin + 0.5 * 10.0**-digits + 1e-9

    def verdict(self, digits: int) -> str:
        """`agrees` (within the interval of the difference), or `differs` and the reason; of an aim `reached` or `missed`;
        empty without a reference."""
        agrees = self.agrees(digits)
        if agrees is None:
            return ""
        if self.kind == AIM:
            return "reached" if agrees else "missed"
        within = f" within ± {self.margin:.{digits}f}" if self.margin else ""
        return f"agrees{within}" if agrees else f"differs: {self.reason or 'for no known reason'}"


def results_of(experiment: Experiment, ours: Mapping[tuple[str, str], float]) -> list[Result]:
    """The results of an experiment from our numbers by row and column, in the order of its cells."""
    results = []
    for cell in experiment.cells:
        if (cell.row, cell.column) not in ours:
            continue
        result = Result(experiment.name, cell.row, cell.column, ours[cell.row, cell.column])
        if cell.reference is not None:
            number, kind, theirs, own = astuple(cell.reference)
            margin = hypot(theirs, ours.get((cell.row, own), 0.0))
            result = replace(result, reference=number, kind=kind, margin=margin, reason=cell.reason)
        results.append(result)
    return results


@dataclass(frozen=True)
class KindCount:
    """Of the references of one kind: how many there are, and how many our numbers agree with."""

    agree: int
    of: int


def count_by_kind(results: Sequence[Result], digits: int) -> dict[str, KindCount]:
    """The counts of the kinds that occur, in the order of `KINDS`."""
    verdicts = {kind: [one.agrees(digits) for one in results if one.kind == kind] for kind in KINDS}
    return {kind: KindCount(sum(map(bool, found)), len(found)) for kind, found in verdicts.items() if found}
