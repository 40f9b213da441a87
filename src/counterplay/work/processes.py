"""Pieces of work in other processes of this machine.

A worker is a process that reads the work and then keys. It ends with its input, so that it never outlives its parent.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Annotated, Any, NamedTuple

from counterplay.errors import InputError
from counterplay.jit.threads import OURS, VARIABLE
from counterplay.option import Option
from counterplay.work.cluster import Cluster, check_address
from counterplay.work.run_work import (
    Begin,
    Executor,
    InProcess,
    Results,
    Watch,
    Work,
    WorkResults,
    largest_first,
    run_work,
    workers_that_fit,
)
from counterplay.work.work_record import WorkRecord
from counterplay.work.worker import Failure, checked_pickling, pickled, read_message, start_worker, write_message

_MOST = 256
_DIGITS = 9
_DEATHS = 3
"""Workers that one piece may end."""
_PIPE = 2**20
"""Bytes that a pipe from a worker holds."""


WorkerCount = int | str
"""A number of processes on this machine, or the address of a cluster."""


def check_workers(workers: WorkerCount) -> None:
    """Reject an invalid number of processes, or what is no address."""
    if isinstance(workers, str):
        check_address(workers)
    elif not 1 <= workers <= _MOST:
        raise InputError(f"the number of workers must be from 1 to {_MOST}, not {workers}")


def read_workers(given: WorkerCount) -> WorkerCount:
    """The workers of a text: a number, or an address; an `InputError` if it is neither."""
    text = str(given)
    workers: WorkerCount = int(text) if text.removeprefix("-").isdecimal() and len(text) < _DIGITS else text
    check_workers(workers)
    return workers


Workers = Annotated[
    WorkerCount,
    Option(
        "Number of processes, or a dask cluster (tcp://...); neither changes the result.", "--workers", "--cluster",
        metavar="N|ADDRESS", parser=read_workers,
    ),
]  # fmt: skip
Record = Annotated[Path | None, "Keep every finished part here (.work), and resume from it."]
"""The options of all commands with long work: who computes its pieces, and what keeps them."""


def processes_here(workers: WorkerCount) -> int:
    """The number of processes on this machine that compute: one where a cluster does."""
    return 1 if isinstance(workers, str) else workers


def executor_of(workers: WorkerCount) -> Executor:
    """The executor for a number of workers: this process for one, else others; for an address its cluster. Refused: an
    invalid number or address, or a cluster without dask.distributed."""
    check_workers(workers)
    if isinstance(workers, str):
        return Cluster(workers)
    return InProcess() if workers == 1 else Processes(workers)


@dataclass(frozen=True)
class WorkSettings:
    """Settings of work in pieces. record: a file that keeps every piece (.work), from which a later call continues;
    None to keep none. workers: number of processes, or address of a cluster; it does not change the result. watch:
    called when a piece begins."""

    record: Path | None = None
    workers: int | str = 1
    watch: Watch | None = None

    def run(self, work: Work, identity: Mapping[str, Any]) -> WorkResults:
        """Run work whose record has an identity. An InputError of a piece, for a number of workers that cannot be, or a
        record of other work or that cannot be written."""
        record = WorkRecord(self.record, None if self.record is None else identity)
        return run_work(work, record=record, executor=executor_of(self.workers), watch=self.watch)


class _Answer(NamedTuple):
    """A key and its result; None from a worker that has ended."""

    worker: _Worker
    message: Any


class Processes:
    """Worker processes, each with its share of the cores as threads. One that is killed is replaced."""

    def __init__(self, workers: int) -> None:
        check_workers(workers)
        self.workers, self._held = workers, False
        self._asked, self._room = 0, 0  # workers that were wanted at once, and how many of those fit
        self._crew, self._answers = list[_Worker](), SimpleQueue[_Answer]()

    def size(self) -> int:
        return self.workers

    @contextmanager
    def held(self) -> Iterator[None]:
        """Workers stay from one call to the next."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
            self._end()

    def compute(self, work: Work, keys: Sequence[str], begin: Begin) -> Results:
        """Compute pieces of picklable work. An InputError of a piece, or where workers ended by themselves, one after
        the other."""
        with checked_pickling():
            content = pickled(work)
        waiting, deaths, whole = largest_first(work, keys)[::-1], Counter[str](), False
        try:
            self._muster(work, len(keys))
            for worker in self._crew[: len(keys)]:
                worker.take(content)
                _assign(worker, waiting, begin)
            for _ in keys:
                worker, (key, result) = self._next(content, deaths)
                if isinstance(result, Failure):
                    raise result.error()
                _assign(worker, waiting, begin)
                yield key, result
            whole = True
        finally:
            if not (whole and self._held):
                self._end()

    def _muster(self, work: Work, keys: int) -> None:
        """At least so many workers, all alive, as are needed for so many keys and fit into memory."""
        self._crew, wanted = [worker for worker in self._crew if worker.is_alive], min(self.workers, keys)
        if wanted > self._asked:  # said once, and not for each of many calls
            self._asked, self._room = wanted, max(len(self._crew), workers_that_fit(work, wanted))
        while len(self._crew) < min(wanted, self._room):
            self._crew.append(_Worker(self._answers, self.workers))

    def _next(self, content: list[Any], deaths: Counter[str]) -> tuple[_Worker, Any]:
        """The next answer; a piece whose worker has ended goes to a new one with the pickled work, a few times. deaths:
        workers that each key has ended; counted on."""
        while True:
            worker, message = self._answers.get()
            if worker not in self._crew:
                continue  # one that was replaced, or belonged to another call
            if message is not None:
                worker.key = ""
                return worker, message
            self._crew.remove(worker)
            worker.end()
            if not worker.key:
                continue
            deaths[worker.key] += 1
            if deaths[worker.key] >= _DEATHS:
                raise InputError(f"a worker ended unexpectedly while it computed {worker.key}, {_DEATHS} times")
            self._crew.append(_Worker(self._answers, self.workers))
            self._crew[-1].take(content)
            self._crew[-1].give(worker.key)

    def _end(self) -> None:
        for worker in self._crew:
            worker.end()
        self._crew.clear()
        self._asked = 0


def _assign(worker: _Worker, waiting: list[str], begin: Begin) -> None:
    if waiting:
        begin(waiting[-1])
        worker.give(waiting.pop())


class _Worker:
    """A process, and a thread that reads its answers; `key` is of the piece that it computes, empty while it waits."""

    def __init__(self, answers: SimpleQueue[_Answer], workers: int) -> None:
        self.key = ""
        threads = max(1, (os.cpu_count() or 1) // workers)
        self._process = start_worker({VARIABLE: os.environ.get(VARIABLE, str(threads))})
        assert self._process.stdout
        with suppress(ImportError, AttributeError, OSError):  # where the system can, large results take fewer turns
            import fcntl

            fcntl.fcntl(self._process.stdout, fcntl.F_SETPIPE_SZ, _PIPE)
        threading.Thread(target=self._listen, args=(answers,), name=OURS, daemon=True).start()

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def take(self, content: list[Any]) -> None:
        """Pickled work whose keys come next."""
        self._say((list(sys.path), content))

    def give(self, key: str) -> None:
        self.key = key
        self._say(key)

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        assert self._process.stdin
        with suppress(OSError):  # what was never read
            self._process.stdin.close()

    def _say(self, message: Any) -> None:
        assert self._process.stdin
        with suppress(OSError):  # the worker is gone; whoever listens says so
            write_message(self._process.stdin, message)

    def _listen(self, answers: SimpleQueue[_Answer]) -> None:
        assert self._process.stdout
        with self._process.stdout as stream:
            while (message := read_message(stream)) is not None:
                answers.put(_Answer(self, message))
        answers.put(_Answer(self, None))
