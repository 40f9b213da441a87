"""A dask cluster on the loopback address, for tests: every part of it is a process that can be killed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
LOOPBACK = ("--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0")
"""Options of a scheduler or worker that listens to this machine alone. Without the second one it has a page for all."""


class LocalScheduler:
    """A scheduler and its workers.

    Args:
        folder: where they run.
        workers: their number.
        environment: variables of the workers, beside ours.
    """

    def __init__(self, folder: Path, workers: int = 2, environment: Mapping[str, str] | None = None) -> None:
        paths = {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]), "COUNTERPLAY_THREADS": "1"}
        self._environment = {**os.environ, **paths, **(environment or {})}
        words = ["scheduler", "--port", "0", *LOOPBACK]
        self.scheduler = self._start(folder, *words)
        assert self.scheduler.stderr
        found = None
        while found is None:
            line = self.scheduler.stderr.readline()
            assert line, "the scheduler ended"
            found = re.search(r"Scheduler at:\s+(tcp://127\.0\.0\.1:\d+)", line)
        self.address, self._folder = found[1], folder
        self.workers = [self.add() for _ in range(workers)]

    def add(self, environment: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
        """One more worker, with variables of its own."""
        words = ["worker", self.address, "--nthreads", "1", "--no-nanny", *LOOPBACK]
        return self._start(self._folder, *words, environment=environment)

    def wait(self) -> None:
        """Until all workers have come."""
        from distributed import Client

        with Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(len(self.workers), timeout=120)

    def _start(self, folder: Path, *words: str, environment: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_" + words[0], *words[1:]],
            stderr=subprocess.PIPE if words[0] == "scheduler" else subprocess.DEVNULL,
            text=True, cwd=folder, env={**self._environment, **(environment or {})},
        )  # fmt: skip

    def end(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()
