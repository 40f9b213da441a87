"""How work in pieces is computed: by how many processes, where its results are kept, and who hears of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterplay.work.processes import WorkerCount, executor_of
from counterplay.work.run_work import Watch, WorkResults, run_work
from counterplay.work.work import Work
from counterplay.work.work_record import WorkRecord


@dataclass(frozen=True)
class WorkSettings:
    """Settings of work in pieces.

    Attributes:
        record: a file that keeps every piece (.work), from which a later call continues; None to keep none.
        workers: number of processes, or address of a cluster; it does not change the result.
        watch: called when a piece begins.
    """

    record: Path | None = None
    workers: WorkerCount = 1
    watch: Watch | None = None

    @property
    def is_usual(self) -> bool:
        """Whether nothing is kept, and one process computes."""
        return self.record is None and self.workers == 1

    def run(self, work: Work, identity: Mapping[str, Any]) -> WorkResults:
        """Run work whose record has an identity.

        Raises:
            InputError: of a piece; a number of workers that cannot be; or the record is of other work, or cannot be written.
        """
        record = WorkRecord(self.record, None if self.record is None else identity)
        return run_work(work, record=record, executor=executor_of(self.workers), watch=self.watch)
