"""Work: independent pieces under keys, each of which gives plain data; executors, which compute the pieces; and runs, which
reuse the results in a record and keep the rest, with their progress and settings.

Work is a plain function of a key wherever that is enough (`FunctionWork`); a class with the members of `Work` is for pieces
that share state which neither arguments nor a cache can hold.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from counterplay.errors import InputError
from counterplay.progress_line import Left, RecentPace, Update, progress_line
from counterplay.work.work_record import WorkRecord

Result = Any
"""What a piece gives: numbers, texts, None, NumPy arrays, and lists and dicts of them (see `encoding`)."""


class Work(Protocol):
    """Pieces that do not depend on each other, so that they may be computed in any order and in any process.

    Equal `identity` and key mean an equal result. Optional members: see `largest_first` and `worker_memory`.
    """

    def identity(self) -> Mapping[str, Any]:
        """Everything that results depend on but the key: plain JSON values. A record of another identity is not
        used."""

    def keys(self) -> Sequence[str]:
        """The pieces, in the order in which one process computes them; no key twice."""

    def compute(self, key: str) -> Result:
        """The result of one piece; an InputError where it cannot be computed, which ends the work."""


def largest_first(work: Work, keys: Sequence[str]) -> list[str]:
    """The keys in the order in which several workers get them: large pieces first where the work has `piece_size(key)`,
    in any unit, so that small ones fill the gaps at the end; else as they are."""
    size: Callable[[str], float] | None = getattr(work, "piece_size", None)
    return list(keys) if size is None else sorted(keys, key=size, reverse=True)


def worker_memory(work: Work) -> float:
    """About the most bytes that a worker takes for itself, beside what it has from the process that gives the work; 0
    where the work has no `worker_memory()`."""
    needed: Callable[[], float] | None = getattr(work, "worker_memory", None)
    return 0.0 if needed is None else needed()


PieceFunction = Callable[[str], Result]
"""From a key to the result of that piece."""


@dataclass(frozen=True, eq=False)
class FunctionWork:
    """Work whose pieces are the values of a function of the key.

        def square(power: int, key: str) -> float: return float(key) ** power
        work = FunctionWork(partial(square, 2), [str(n) for n in range(9)], lambda: {"power": 2})
        run_work(work, record=WorkRecord(path, work.identity()), executor=executor_of(4)).results

    Attributes:
        function: from a key to a result. A `partial` of a function of a module goes to other processes with its arguments;
            what it loads there, it caches (`functools.cache`).
        pieces: the keys, in order.
        facts: everything that results depend on but the key, as `Work.identity` has it; called when a record is used.
        size: how long a piece takes, in any unit, where pieces differ; large ones come first where several workers compute.
        memory: about the most bytes that a worker takes for itself.
        remake: where `function` itself cannot go to other processes: called when it should, gives a function and its
            arguments, which return `function` there. A `PicklingError` of it says why there is none.
    """

    function: PieceFunction
    pieces: Sequence[str]
    facts: Callable[[], Mapping[str, Any]] = dict
    size: Callable[[str], float] = lambda _: 1.0
    memory: float = 0.0
    remake: Callable[[], tuple[Callable[..., PieceFunction], tuple[Any, ...]]] | None = None

    def identity(self) -> Mapping[str, Any]:
        return self.facts()

    def keys(self) -> Sequence[str]:
        return self.pieces

    def compute(self, key: str) -> Result:
        return self.function(key)

    def piece_size(self, key: str) -> float:
        return self.size(key)

    def worker_memory(self) -> float:
        return self.memory

    def __reduce__(self) -> tuple[Any, ...]:
        """For another process, which computes pieces and asks nothing else."""
        return _there, ((_same, (self.function,)) if self.remake is None else self.remake())


def _there(make: Callable[..., PieceFunction], arguments: tuple[Any, ...]) -> FunctionWork:
    return FunctionWork(make(*arguments), ())


def _same(function: PieceFunction) -> PieceFunction:
    return function


class WorkRecipe:
    """Base of frozen dataclasses that go to other processes: their fields go, what they have cached does not."""

    def __reduce__(self) -> tuple[Any, ...]:
        plain = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        return partial(type(self), **plain), ()


Begin = Callable[[str], None]
"""Called with the key of a piece when its computation begins."""
Results = Generator[tuple[str, Any], None, None]
"""Keys and results as they are finished; closing it ends the computation."""


class Executor(Protocol):
    """Computes pieces. Results do not depend on the executor."""

    def compute(self, work: Work, keys: Sequence[str], begin: Begin) -> Results:
        """Compute these pieces; an `InputError` of one ends the computation."""

    def held(self) -> AbstractContextManager[None]:
        """A context in which the workers stay from one call of `compute` to the next: for work after work."""

    def size(self) -> int:
        """The number of workers; an `InputError` where they are elsewhere and cannot be asked."""


class InProcess:
    """Computes the pieces one by one in this process."""

    def compute(self, work: Work, keys: Sequence[str], begin: Begin) -> Results:
        for key in keys:
            begin(key)
            yield key, work.compute(key)

    def held(self) -> AbstractContextManager[None]:
        return nullcontext()

    def size(self) -> int:
        return 1


_MEMINFO, _GIB = Path("/proc/meminfo"), 2**30


def free_memory() -> float | None:
    """Bytes that this machine could give to new processes; None where the system does not tell."""
    with suppress(OSError, ValueError, IndexError):
        lines = dict(line.split(":", 1) for line in _MEMINFO.read_text().splitlines())
        return 1024.0 * float(lines["MemAvailable"].split()[0]) if "MemAvailable" in lines else None
    return None


def workers_that_fit(work: Work, workers: int) -> int:
    """How many of so many workers fit into the free memory of this machine. If not all do, one line on stderr says so;
    not even one is an InputError."""
    free = free_memory()
    needed = worker_memory(work)
    if workers < 2 or free is None or needed <= 0.0 or (most := int(free / needed)) >= workers:
        return workers
    told = f"a worker takes about {needed / _GIB:.3g} GiB for this, and {free / _GIB:.3g} GiB are free"
    if most == 0:
        raise InputError(f"{told}: leave out --workers, or ask for something smaller")
    print(f"{told}: {most} of {workers} workers are started", file=sys.stderr, flush=True)
    return most


def check_worker_memory(work: Work, name: str, limit: float | None) -> None:
    """Refuse a worker elsewhere that has too little memory. limit: its bytes; None or 0 where it has no limit."""
    needed = worker_memory(work)
    if limit and needed > limit:
        raise InputError(
            f"{name} has {limit / _GIB:.3g} GiB of memory, and a worker takes about {needed / _GIB:.3g} GiB"
        )


@dataclass(frozen=True)
class WorkProgress:
    """The piece that begins, its number from 1 in the order in which pieces begin, how many pieces and results there
    are, and the seconds left by the recent pace of this run, None while unknown."""

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


@contextmanager
def work_line(what: str, quiet: bool, named: bool = False) -> Iterator[Watch | None]:
    """A watch of work that updates a line of progress; None where nothing is to be shown. what: is done to a piece,
    such as "measured"; named: the keys of pieces are names for people, and shown."""
    with progress_line(what, quiet) as line:
        yield None if line is None else watch_pieces(line, what, named)


def watch_pieces(line: Update, what: str, named: bool = False) -> Watch:
    """A watch of work that updates a line: `measured 3 of 20 parts, about 2 min left`; arguments as of `work_line`."""

    def watch(piece: WorkProgress) -> None:
        text = f"{what} {piece.done:,} of {piece.pieces:,} parts{f', now {piece.key}' if named else ''}"
        line(text, piece.done, piece.pieces, None if piece.seconds_left is None else Left(piece.seconds_left))

    return watch
