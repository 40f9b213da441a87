"""Running work: results in the record are reused, the rest are computed and kept; progress and settings of runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterplay.progress_line import Left, RecentPace, Update, progress_line
from counterplay.work.work import Executor, InProcess, Work
from counterplay.work.work_record import WorkRecord


@dataclass(frozen=True)
class WorkProgress:
    """The piece that begins, its number from 1 in the order in which pieces begin, how many pieces and results there are,
    and the seconds left by the recent pace of this run, None while unknown."""

    key: str
    number: int
    pieces: int
    done: int
    seconds_left: float | None


@dataclass(frozen=True)
class WorkResults:
    """Results by key, in the order of the work's keys. interrupted: whether Ctrl-C stopped it."""

    results: dict[str, Any]
    interrupted: bool


Watch = Callable[[WorkProgress], None]


def run_work(
    work: Work,
    *,
    record: WorkRecord | None = None,
    executor: Executor | None = None,
    watch: Watch | None = None,
    done: Callable[[str, Any], None] | None = None,
) -> WorkResults:
    """Run work. Ctrl-C keeps the results so far.

    Args:
        work: the pieces.
        record: earlier results, and the store of new ones; by default in memory.
        executor: by default this process.
        watch: called when a piece begins.
        done: called with every computed result, as soon as it is kept.

    Raises:
        InputError: of a piece, or the record cannot be written; results so far are kept.
    """
    record, executor = record or WorkRecord(), executor or InProcess()
    keys = list(work.keys())
    missing = [key for key in keys if key not in record.results]
    begun = finished = len(keys) - len(missing)
    pace, interrupted = RecentPace(), False
    pace.saw(finished)

    def begin(key: str) -> None:
        nonlocal begun
        begun += 1
        if watch:
            watch(WorkProgress(key, begun, len(keys), finished, pace.seconds(len(keys) - finished)))

    try:
        with closing(executor.compute(work, missing, begin)) as found:
            for key, result in found:
                record.keep(key, result)
                finished += 1
                pace.saw(finished)
                if done:
                    done(key, record.results[key])
    except KeyboardInterrupt:
        interrupted = True
    return WorkResults({key: record.results[key] for key in keys if key in record.results}, interrupted)


def complete_work(
    work: Work, *, record: WorkRecord | None = None, executor: Executor | None = None, watch: Watch | None = None,
    done: Callable[[str, Any], None] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """The results of all pieces, by key; as `run_work`, but Ctrl-C raises, and the record has the results so far."""
    found = run_work(work, record=record, executor=executor, watch=watch, done=done)
    if found.interrupted:
        raise KeyboardInterrupt
    return found.results


@dataclass(frozen=True)
class WorkSettings:
    """Settings of work in pieces.

    Attributes:
        record: a file that keeps every piece (.work), from which a later call continues; None to keep none.
        workers: number of processes, or address of a cluster; it does not change the result.
        watch: called when a piece begins.
    """

    record: Path | None = None
    workers: int | str = 1
    watch: Watch | None = None

    def run(self, work: Work, identity: Mapping[str, Any]) -> WorkResults:
        """Run work whose record has an identity. An InputError of a piece, for a number of workers that cannot be, or a
        record of other work or that cannot be written."""
        from counterplay.work.processes import executor_of

        record = WorkRecord(self.record, None if self.record is None else identity)
        return run_work(work, record=record, executor=executor_of(self.workers), watch=self.watch)


@contextmanager
def work_line(what: str, quiet: bool, named: bool = False) -> Iterator[Watch | None]:
    """A watch of work that updates a line of progress; None where nothing is to be shown. what: is done to a piece, such as
    "measured"; named: the keys of pieces are names for people, and shown."""
    with progress_line(what, quiet) as line:
        yield None if line is None else watch_pieces(line, what, named)


def watch_pieces(line: Update, what: str, named: bool = False) -> Watch:
    """A watch of work that updates a line: `measured 3 of 20 parts, about 2 min left`; arguments as of `work_line`."""

    def watch(piece: WorkProgress) -> None:
        text = f"{what} {piece.done:,} of {piece.pieces:,} parts{f', now {piece.key}' if named else ''}"
        line(text, piece.done, piece.pieces, None if piece.seconds_left is None else Left(piece.seconds_left))

    return watch
