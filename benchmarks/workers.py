"""Wall-clock time of work in pieces and of sweeps: one process, two processes of this machine, and a cluster of two workers.

    python benchmarks/workers.py                 # all; on a quiet machine, about half an hour
    python benchmarks/workers.py sweeps          # or flops, or boards
    python benchmarks/workers.py flops 20        # fewer pieces

The pieces are flops of a best response to the SlumBot-class bot of the package, and drawn boards between it and one who
calls; from the start of the command to its result, kernels compiled before. The sweeps are those of one blueprint at the
quick size: seconds of the solve alone, whose boards are split into two shares wherever there are two workers.

What two cores of a machine can do at best is measured too: two copies of the command of one process, side by side, which
share nothing but memory and clock. An efficiency is told as it is, relative to that ceiling, and without the start: of the
pieces beyond the first two, less the seconds that a command with these alone takes.
"""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

from counterplay.experiments.slumbot_files import GAME

BOT = str(files("counterplay.experiments").joinpath("data", "slumbot-class.cpb"))
JOBS = {
    "flops": ["respond", GAME, "--to", BOT, "--method", "br", "--flops", "40"],
    "boards": ["evaluate", GAME, BOT, "--against", "passive", "--boards", "20000"],
    "sweeps": ["blueprint", "holdem:stack=200bb,bets=fcpa,buckets=quick", "--iterations", "20000"],
}
LOOPBACK = ("--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0")
FIRST = {"flops": "2", "boards": "100", "sweeps": "10"}
"""The number of pieces that compiles."""


@dataclass(frozen=True)
class _Alone:
    """What one process takes.

    Attributes:
        seconds: of the whole command.
        first: of the command with the first pieces only.
        beside: of the whole command beside a copy of itself.
    """

    seconds: float
    first: float
    beside: float


def main() -> None:
    """Print the table."""
    names = [name for name in sys.argv[1:] if name in JOBS] or [*JOBS]
    size = next((word for word in sys.argv[1:] if word.isdecimal()), None)
    jobs = {name: [*JOBS[name][:-1], size or JOBS[name][-1]] for name in names}
    with TemporaryDirectory() as name:
        folder = Path(name)
        for job in names:
            _run(folder, _first(job))  # compiles
        alone = {job: _alone(folder, job, words) for job, words in jobs.items()}
        for job, words in jobs.items():
            _line(folder, job, "two processes", words, alone[job], "--workers", "2")
        with _Cluster(folder) as address:
            for job, words in jobs.items():
                _run(folder, [*_first(job), "--cluster", address])
                _line(folder, job, "cluster of two", words, alone[job], "--cluster", address)


def _first(job: str) -> list[str]:
    """The command with few pieces."""
    return [*JOBS[job][:-1], FIRST[job]]


def _alone(folder: Path, job: str, words: list[str]) -> _Alone:
    """Measure one process, alone and beside another, and print both."""
    first = _run(folder, _first(job))
    (seconds, cpu), (beside, both) = _measured(folder, words), _measured(folder, words, copies=2)
    print(
        f"{job:<8}{'one process':<16}{seconds:7.1f} s  {cpu:7.1f} CPU s  {first:.1f} s with the first pieces only",
        flush=True,
    )
    print(
        f"{job:<8}{'two of them':<16}{beside:7.1f} s  {both:7.1f} CPU s  efficiency {seconds / beside:.0%}", flush=True
    )
    return _Alone(seconds, first, beside)


def _line(folder: Path, job: str, name: str, words: list[str], alone: _Alone, *workers: str) -> None:
    """Measure two workers, and print one line."""
    first = _run(folder, [*_first(job), *workers])
    seconds, cpu = _measured(folder, [*words, *workers])
    raw, rest = alone.seconds / seconds / 2, (alone.seconds - alone.first) / (seconds - first) / 2
    print(
        f"{job:<8}{name:<16}{seconds:7.1f} s  {cpu:7.1f} CPU s of our processes  efficiency {raw:.0%}, "
        f"{alone.beside / seconds / 2:.0%} of the ceiling, {rest:.0%} without the start",
        flush=True,
    )


def _measured(folder: Path, words: list[str], copies: int = 1) -> tuple[float, float]:
    """Seconds and CPU seconds of a command, or of copies of it side by side."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    with ThreadPoolExecutor(copies) as pool:
        seconds = fmean(pool.map(partial(_run, folder), [words] * copies))
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime


def _run(folder: Path, words: list[str]) -> float:
    """Seconds of a command, or of its solve where it tells."""
    begin = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "counterplay", *words, "--json"],
        cwd=folder, env={**os.environ, "COUNTERPLAY_THREADS": "1"}, check=True, capture_output=True, text=True,
    )  # fmt: skip
    return float(json.loads(done.stdout)["seconds"]) if words[0] == "blueprint" else time.perf_counter() - begin


class _Cluster:
    """A scheduler and two workers as processes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> str:
        from distributed import Client

        self._all = [self._start("scheduler", "--port", "0")]
        stream = self._all[0].stderr
        assert stream
        address = next(found[1] for line in stream if (found := re.search(r"Scheduler at:\s+(tcp://\S+)", line)))
        self._all += [self._start("worker", address, "--nthreads", "1", "--no-nanny") for _ in range(2)]
        with Client(address, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=120)
        return address

    def __exit__(self, *_: object) -> None:
        for process in self._all:
            process.kill()
            process.wait()

    def _start(self, kind: str, *words: str) -> subprocess.Popen[str]:
        environment = {**os.environ, "COUNTERPLAY_THREADS": "1"}
        return subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{kind}", *words, *LOOPBACK], cwd=self._folder, env=environment,
            text=True, stderr=subprocess.PIPE if kind == "scheduler" else subprocess.DEVNULL,
        )  # fmt: skip


if __name__ == "__main__":
    main()
