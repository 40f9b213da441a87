"""Wall-clock time of work in pieces: one process, two processes of this machine, and a cluster of two workers on it.

    python benchmarks/workers.py

The pieces are flops of a best response to the SlumBot-class bot of the package. Kernels are compiled before anything is
timed, and the processes start within the time, as they do for users.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

from counterplay.experiments.slumbot_files import GAME

FLOPS = 40


def main() -> None:
    """Print the table."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        _respond(folder, 2, "--workers", "1")  # compiles
        alone = _respond(folder, FLOPS, "--workers", "1")
        print(f"one process        {alone:7.1f} s", flush=True)
        here = _respond(folder, FLOPS, "--workers", "2")
        print(f"two processes      {here:7.1f} s  efficiency {alone / here / 2:.0%}", flush=True)
        with _Cluster(folder) as address:
            _respond(folder, 2, "--cluster", address)
            there = _respond(folder, FLOPS, "--cluster", address)
        print(f"cluster of two     {there:7.1f} s  efficiency {alone / there / 2:.0%}")


def _respond(folder: Path, flops: int, *words: str) -> float:
    """Seconds of a best response on so many drawn flops."""
    bot = files("counterplay.experiments").joinpath("data", "slumbot-class.cpb")
    begin = time.perf_counter()
    environment = {**os.environ, "COUNTERPLAY_THREADS": "1"}
    command = [
        sys.executable,
        "-m",
        "counterplay",
        "respond",
        GAME,
        "--to",
        str(bot),
        "--method",
        "br",
        "--flops",
        str(flops),
    ]
    subprocess.run([*command, *words], cwd=folder, env=environment, check=True, capture_output=True)
    return time.perf_counter() - begin


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
