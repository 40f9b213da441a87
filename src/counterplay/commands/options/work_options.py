"""Work as commands run it: by the workers and into the record that the options name, with a line of progress."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from counterplay.commands.options.shared_options import RECORDS
from counterplay.files import check_writable
from counterplay.work.processes import WorkerCount, check_workers

if TYPE_CHECKING:
    from counterplay.work.executor import Executor
    from counterplay.work.run_work import Watch
    from counterplay.work.work_record import WorkRecord


class Identified(Protocol):
    """Work, or several of one record."""

    def identity(self) -> Mapping[str, Any]: ...


class WorkOptions(Protocol):
    """Who computes the pieces, and what keeps them."""

    @property
    def workers(self) -> WorkerCount: ...

    @property
    def record(self) -> Path | None: ...


def check_work(asked: WorkOptions) -> None:
    """Refuse workers and records that cannot be, before anything is computed.

    Raises:
        InputError: the message names the number, or the obstacle.
    """
    check_writable(asked.record, *RECORDS)
    check_workers(asked.workers)


@dataclass(frozen=True)
class WorkTools:
    """What runs work: arguments of `run_work`."""

    record: WorkRecord
    executor: Executor
    watch: Watch | None


def work_tools(
    work: Identified, asked: WorkOptions, quiet: bool, what: str = "computed", named: bool = False
) -> AbstractContextManager[WorkTools]:
    """The tools that run some work, as a context in which its line of progress is shown. The record is opened before.

    Args:
        work: whose record it is.
        asked: the options.
        quiet: show no progress.
        what: done to a piece, such as "measured".
        named: the keys of pieces are names for people, and shown.

    Raises:
        InputError: the record is of other work.
    """
    from counterplay.work.processes import executor_of
    from counterplay.work.work_record import WorkRecord

    record = WorkRecord(asked.record, None if asked.record is None else work.identity())
    return _with_line(record, executor_of(asked.workers), what, quiet, named)


@contextmanager
def _with_line(record: WorkRecord, executor: Executor, what: str, quiet: bool, named: bool) -> Iterator[WorkTools]:
    from counterplay.work.run_work import work_line

    with work_line(what, quiet, named) as watch:
        yield WorkTools(record, executor, watch)
