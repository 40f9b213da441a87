"""Wall-clock time of work in pieces: one process, two processes of this machine, and a cluster of two workers on it.

    python benchmarks/workers.py

The pieces are boards of an evaluation in a whole game of a short deck. Kernels are compiled before anything is timed, and
the processes start within the time, as they do for users.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

GAME = "holdem:deck=28,stack=20bb,bets=fcpa,buckets=40"
BOARDS = 600


def main() -> None:
    """Print the table."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        _run(folder, "blueprint", GAME, "--iterations", "300", "-o", "a.cpb")
        _evaluate(folder, 20, "--workers", "1")  # compiles
        alone = _evaluate(folder, BOARDS, "--workers", "1")
        print(f"one process        {alone:7.1f} s")
        here = _evaluate(folder, BOARDS, "--workers", "2")
        print(f"two processes      {here:7.1f} s  efficiency {alone / here / 2:.0%}")
        with _Cluster(folder) as address:
            _evaluate(folder, 20, "--cluster", address)
            there = _evaluate(folder, BOARDS, "--cluster", address)
        print(f"cluster of two     {there:7.1f} s  efficiency {alone / there / 2:.0%}")


def _evaluate(folder: Path, boards: int, *words: str) -> float:
    """Seconds of an evaluation on so many drawn boards."""
    begin = time.perf_counter()
    _run(folder, "evaluate", GAME, "a.cpb", "--against", "uniform", "--boards", str(boards), *words)
    return time.perf_counter() - begin


def _run(folder: Path, *words: str) -> None:
    environment = {**os.environ, "COUNTERPLAY_THREADS": "1"}
    subprocess.run(
        [sys.executable, "-m", "counterplay", *words], cwd=folder, env=environment, check=True, capture_output=True
    )


class _Cluster:
    """A scheduler and two workers as processes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> str:
        self._all = [self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")]
        stream = self._all[0].stderr
        assert stream
        address = next(found[1] for line in stream if (found := re.search(r"Scheduler at:\s+(tcp://\S+)", line)))
        self._all += [
            self._start("worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard") for _ in range(2)
        ]
        time.sleep(8.0)  # until they have registered
        return address

    def __exit__(self, *_: object) -> None:
        for process in self._all:
            process.kill()
            process.wait()

    def _start(self, kind: str, *words: str) -> subprocess.Popen[str]:
        environment = {**os.environ, "COUNTERPLAY_THREADS": "1"}
        return subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{kind}", *words], cwd=self._folder, env=environment, text=True,
            stderr=subprocess.PIPE if kind == "scheduler" else subprocess.DEVNULL,
        )  # fmt: skip


if __name__ == "__main__":
    main()
