"""Runs of experiments: cell by cell, with a table, a picture and a record, from which an interrupted run continues."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from math import isfinite
from pathlib import Path
from typing import Any

from counterplay import Executor, InputError, WorkProgress, WorkRecord
from counterplay.about import version
from counterplay.display import csv_of, duration
from counterplay.figures import plotter
from counterplay.files import RECORD, read_json_file, write_whole
from counterplay.work.run_work import Watch, WorkResults, run_work
from counterplay_papers.experiment import (
    AnyCell,
    Cell,
    Experiment,
    KindCount,
    LongPieces,
    Result,
    Summary,
    count_by_kind,
    results_of,
)  # fmt: skip
from counterplay_papers.files import files_to_carry, take_carried
from counterplay_papers.picture import draw
from counterplay_papers.registry import REPRODUCTIONS, reproduction

Say = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class ExperimentWork:
    """The cells of an experiment, as work. quick: without the slow ones."""

    experiment: Experiment
    quick: bool

    @cached_property
    def cells(self) -> dict[str, Cell]:
        """By key."""
        chosen = (cell for cell in self.experiment.cells if isinstance(cell, Cell) and not (self.quick and cell.slow))
        return {f"{cell.row} | {cell.column}": cell for cell in chosen}

    def identity(self) -> dict[str, str]:
        return {"experiment": self.experiment.record or self.experiment.name}

    def keys(self) -> list[str]:
        return list(self.cells)

    def piece_size(self, key: str) -> float:
        """1 for slow cells, which come first where several workers compute."""
        return float(self.cells[key].slow)

    def compute(self, key: str) -> float:
        return float(self.cells[key].compute())

    def __reduce__(self) -> tuple[Any, ...]:
        files = files_to_carry(self.experiment.files)
        return _registered, (self.experiment.name, self.quick, files)  # its cells are functions, which no pipe takes


def _registered(name: str, quick: bool, files: Mapping[str, Path]) -> ExperimentWork:
    take_carried(files)
    return ExperimentWork(reproduction(name), quick)


class ExperimentRun(list[Result]):
    """The numbers of a run, in the order of the cells. interrupted: whether Ctrl-C ended it."""

    interrupted = False


def run(
    experiment: Experiment, folder: Path, quick: bool, *, executor: Executor | None = None, watch: Watch | None = None,
    say: Say | None = None,
) -> ExperimentRun:  # fmt: skip
    """All numbers of an experiment. Ctrl-C keeps what is done and returns it. Slow cells come after long work.

    `folder` gets `NAME.csv` and the record `NAME.work` (or that of the experiment whose record it shares), from which a
    later run takes the numbers that this version of the library has already computed. The pieces of long work have a record
    of their own, `NAME-pieces.work`.

    Args:
        experiment: the table or figure.
        folder: made if it is not there.
        quick: leaves out the slow cells.
        executor: where cells are computed; in other processes only those of registered experiments.
        watch: called with every cell that begins.
        say: called with one line about the cost of long work, where it is known, before its first piece, and with one about
            the finished parts where it is interrupted.
    """
    folder.mkdir(parents=True, exist_ok=True)
    long = None if quick else experiment.long_pieces
    work = ExperimentWork(experiment, quick)
    record = _record(folder, work)
    known = run_work(replace(work, quick=quick or long is not None), record=record, executor=executor, watch=watch)
    pieces: Mapping[str, Any] = {}
    found = ExperimentRun()
    found.interrupted = known.interrupted
    if long and not found.interrupted:
        done = _piece_results(experiment, long, folder, executor, watch, say)
        pieces, found.interrupted = done.results, done.interrupted
        if not found.interrupted:
            known = run_work(work, record=record, executor=executor, watch=watch)
            found.interrupted = known.interrupted
    wanted = {(cell.row, cell.column): known.results.get(key) for key, cell in work.cells.items()}
    numbers = {(cell.row, cell.column): _number(cell, wanted, pieces) for cell in experiment.cells}
    found += results_of(experiment, {place: ours for place, ours in numbers.items() if ours is not None})
    head = [field.name for field in fields(Result)]
    write_whole(folder / f"{experiment.name}.csv", csv_of(head, [tuple(asdict(one).values()) for one in found]))
    return found


def _number(cell: AnyCell, wanted: Mapping[tuple[str, str], float | None], pieces: Mapping[str, Any]) -> float | None:
    """Our number of a cell; None if this run does not have it, or Ctrl-C came before one that it is derived from."""
    if isinstance(cell, Cell):
        return wanted.get((cell.row, cell.column))
    if isinstance(cell, Summary):
        return cell.compute(pieces)
    rows = [row for row in cell.of if all((row, column) in wanted for column in cell.needs)]
    if cell.so_far:
        rows = [row for row in rows if all(wanted[row, column] is not None for column in cell.needs)]
    found: dict[str, list[float]] = {}
    for column in cell.needs:
        numbers = [wanted[row, column] for row in rows]
        found[column] = [ours for ours in numbers if ours is not None]
        if not rows or len(found[column]) < len(rows):
            return None
    return cell.compute(found)


def _piece_results(
    experiment: Experiment, long_pieces: LongPieces, folder: Path, executor: Executor | None, watch: Watch | None,
    say: Say | None,
) -> WorkResults:  # fmt: skip
    """The results of the long work so far. Their record is refused, and not begun anew, where it is of other work."""
    work = long_pieces.work()
    record = WorkRecord(folder / f"{experiment.name}-pieces.work", work.identity())
    left = [key for key in list(work.keys()) if key not in record.results]
    if say and left and long_pieces.seconds:
        cost = duration(sum(map(long_pieces.seconds, left)))
        parts = "1 part" if len(left) == 1 else f"{len(left):,} parts"
        say(f"{experiment.name}: {parts} of long work left, about {cost} of CPU; Ctrl-C keeps those that are done")
    found = run_work(work, record=record, executor=executor, watch=watch)
    long_pieces.keep(folder, found.results)
    if say and found.interrupted:
        done, all_parts = len(found.results), len(list(work.keys()))
        say(
            f"{experiment.name}: interrupted after {done:,} of {all_parts:,} parts; they are kept, and the next run goes on"
        )
    return found


def _record(folder: Path, work: ExperimentWork) -> WorkRecord:
    """The numbers of an earlier run of this version; a damaged record, or that of another version, is moved aside."""
    name = work.identity()["experiment"]
    path = folder / f"{name}.work"
    try:
        record = WorkRecord(path, work.identity())
    except InputError:
        if not path.is_file():
            raise
        path.replace(path.with_suffix(f".old{RECORD}"))
        record = WorkRecord(path, work.identity())
    for key, number in _read(folder / f"{name}.json").items():
        record.results.setdefault(key, number)
    return record


def _read(record: Path) -> dict[str, float]:
    """The numbers of a record of the form that there was before; none if it is damaged, or of another version."""
    try:
        document = read_json_file(record)
        if document["version"] == version():
            known = {str(key): float(number) for key, number in document["numbers"].items()}
            return known if all(map(isfinite, known.values())) else {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError):
        pass
    return {}


def reproduce(
    experiment: Experiment, folder: Path, quick: bool, *, executor: Executor | None = None, watch: Watch | None = None,
    say: Say | None = None,
) -> ExperimentRun:  # fmt: skip
    """`run`, and the picture `NAME.png`.

    Raises:
        InputError: matplotlib is not installed.
    """
    plotter()
    found = run(experiment, folder, quick, executor=executor, watch=watch, say=say)
    if found:
        draw(experiment, found, folder / f"{experiment.name}.png")
    return found


@dataclass(frozen=True)
class Agreement:
    """The numbers of one reproduction beside their references: how many there are, how many of each kind (`KINDS`) agree,
    and those that differ. note: as of the experiment. missing: why it was not computed; empty if it was."""

    name: str
    source: str
    numbers: int
    references: Mapping[str, KindCount]
    differ: Sequence[Result]
    note: str = ""
    missing: str = ""


def reproduce_all(
    folder: Path, quick: bool, *, executor: Executor | None = None, watch: Watch | None = None, say: Say | None = None,
    names: Sequence[str] | None = None,
) -> Iterator[Agreement]:  # fmt: skip
    """Run every reproduction, as `reproduce` does; each is yielded when it is done, and Ctrl-C ends them with the one that
    it interrupts. One that lacks an input is yielded with the reason.

    Raises:
        InputError: matplotlib is not installed.
    """
    plotter()

    def naming(piece: WorkProgress) -> None:
        assert watch
        watch(replace(piece, key=f"{name}: {piece.key}"))

    for name in REPRODUCTIONS if names is None else names:
        experiment = reproduction(name)
        try:
            found = reproduce(experiment, folder, quick, executor=executor, watch=watch and naming, say=say)
        except InputError as error:
            yield Agreement(name, experiment.source, 0, {}, [], missing=str(error))
            continue
        differ = [result for result in found if result.agrees(experiment.digits) is False]
        counts = count_by_kind(found, experiment.digits)
        yield Agreement(name, experiment.source, len(found), counts, differ, experiment.note)
        if found.interrupted:
            return


def stored_results(experiment: Experiment, folder: Path) -> list[Result] | None:
    """The results in `NAME.csv` of a folder; None if there is none. Our numbers are read, also from tables of earlier
    versions; references are those of the experiment.

    Raises:
        InputError: the table is damaged.
    """
    path = folder / f"{experiment.name}.csv"
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError):
        raise InputError(f"{path.name} cannot be read") from None
    try:
        ours = {(row["row"], row["column"]): float(row["ours"]) for row in csv.DictReader(io.StringIO(text))}
    except (KeyError, ValueError, TypeError, csv.Error):
        raise InputError(f"{path.name} is damaged") from None
    if not all(map(isfinite, ours.values())):
        raise InputError(f"{path.name} is damaged")
    return results_of(experiment, ours)
