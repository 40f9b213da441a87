"""Wall-clock time of work in pieces and of sweeps: one process, two processes of this machine, and a cluster of two workers.

    python benchmarks/workers.py                 # all; on a quiet machine, about half an hour
    python benchmarks/workers.py sweeps          # or flops, or boards

The pieces are flops of a best response to the SlumBot-class bot of the package, and drawn boards between it and one who
calls; from the start of the command to its result, kernels compiled before. The sweeps are those of one blueprint at the
quick size: seconds of the solve alone, whose boards are split into two shares wherever there are two workers.
"""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
import time
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

from counterplay.experiments.slumbot_files import GAME

BOT = str(files("counterplay.experiments").joinpath("data", "slumbot-class.cpb"))
JOBS = {
    "flops": ["respond", GAME, "--to", BOT, "--method", "br", "--flops", "40"],
    "boards": ["evaluate", GAME, BOT, "--against", "passive", "--boards", "20000"],
    "sweeps": ["blueprint", "holdem:stack=200bb,bets=fcpa,buckets=quick", "--iterations", "20000"],
}
FIRST = {"flops": "2", "boards": "100", "sweeps": "10"}
"""The number of pieces that compiles."""


def main() -> None:
    """Print the table."""
    names = sys.argv[1:] or [*JOBS]
    with TemporaryDirectory() as name:
        folder = Path(name)
        for job in names:
            _run(folder, [*JOBS[job][:-1], FIRST[job]])
        alone = {job: _line(folder, job, "one process", 0.0) for job in names}
        for job in names:
            _line(folder, job, "two processes", alone[job], "--workers", "2")
        with _Cluster(folder) as address:
            for job in names:
                _line(folder, job, "cluster of two", alone[job], "--cluster", address)


def _line(folder: Path, job: str, name: str, alone: float, *words: str) -> float:
    """Print one line; the seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = _run(folder, [*JOBS[job], *words])
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
    share = f"  efficiency {alone / seconds / 2:.0%}" if alone else ""
    print(f"{job:<8}{name:<16}{seconds:7.1f} s  {cpu:7.1f} CPU s of our processes{share}", flush=True)
    return seconds


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

        self._all = [self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")]
        stream = self._all[0].stderr
        assert stream
        address = next(found[1] for line in stream if (found := re.search(r"Scheduler at:\s+(tcp://\S+)", line)))
        self._all += [
            self._start("worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard") for _ in range(2)
        ]
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
            [sys.executable, "-m", f"distributed.cli.dask_{kind}", *words], cwd=self._folder, env=environment, text=True,
            stderr=subprocess.PIPE if kind == "scheduler" else subprocess.DEVNULL,
        )  # fmt: skip


if __name__ == "__main__":
    main()
