"""What several workers cost: one process, two processes of this machine, and a cluster of two workers.

    python benchmarks/workers.py                 # all; about half an hour
    python benchmarks/workers.py sweeps          # or flops, or boards
    python benchmarks/workers.py flops 20        # fewer pieces

The pieces are flops of a best response to the SlumBot-class bot of the package, and drawn boards between it and one who
calls; the sweeps are those of one blueprint at the quick size, whose boards are split into two shares wherever there are two
workers. Everything is measured from the start of a command to its end, kernels compiled before.

Efficiencies are told by the clock and by processor time, of all processes, those of the cluster included; the second says
what a busy machine hides. Beside them stand two copies of the command of one process, side by side, which share nothing but
memory and clock: what two cores can do at best. *Without the start* is what the pieces beyond the first ones take.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

from counterplay_papers.files import DATA, GAME
from loopback_cluster import LoopbackCluster

BOT = str(DATA / "slumbot-class.cpb")
JOBS = {
    "flops": ["respond", GAME, "--to", BOT, "--method", "br", "--flops", "40"],
    "boards": ["evaluate", GAME, BOT, "--against", "passive", "--boards", "20000"],
    "sweeps": ["blueprint", "holdem:stack=200bb,bets=fcpa,buckets=quick", "--iterations", "20000"],
}
FIRST = {"flops": "2", "boards": "100", "sweeps": "10"}
"""The number of pieces that compiles."""


@dataclass(frozen=True)
class _Cost:
    """What a command takes.

    Attributes:
        seconds: by the clock.
        processor: seconds of all its processes.
        done: boards swept; 1 where the number of pieces is given.
    """

    seconds: float
    processor: float
    done: float

    def less(self, first: _Cost) -> _Cost:
        """What the rest takes."""
        boards = self.done - first.done if self.done > 1 else 1
        return _Cost(self.seconds - first.seconds, self.processor - first.processor, boards)

    def efficiencies(self, best: _Cost) -> str:
        """By the clock, where two cores work for this one and one for the best; by processor time."""
        share = self.done / best.done
        return f"{share * best.seconds / self.seconds / 2:4.0%} {share * best.processor / self.processor:4.0%}"


def main() -> None:
    """Print the table."""
    names = [name for name in sys.argv[1:] if name in JOBS] or [*JOBS]
    size = next((word for word in sys.argv[1:] if word.isdecimal()), None)
    print(f"{'':<27}{'seconds':>9}{'CPU s':>8}   efficiency, of two copies, without the start: by the clock, by CPU s")
    with TemporaryDirectory() as name, LoopbackCluster(Path(name)) as cluster:
        for job in names:
            _table(Path(name), job, size or JOBS[job][-1], cluster)


def _table(folder: Path, job: str, size: str, cluster: LoopbackCluster) -> None:
    """Measure a job, and print its lines."""

    def cost(pieces: str, *workers: str, copies: int = 1) -> _Cost:
        return _measured(
            folder, [*JOBS[job][:-1], pieces, *workers], copies, cluster if "--cluster" in workers else None
        )

    kept = ["-o", "swept.cpb"] if job == "sweeps" else []
    cost(FIRST[job], *kept)  # compiles
    first, alone, beside = cost(FIRST[job], *kept), cost(size, *kept), cost(size, *kept, copies=2)
    _line(job, "one process", alone)
    _line(
        job,
        "two copies, each",
        beside,
        f"{alone.seconds / beside.seconds:4.0%} {alone.processor / beside.processor:4.0%}",
    )
    for what, *workers in (("two processes", "--workers", "2"), ("cluster of two", "--cluster", cluster.address)):
        begin, whole = cost(FIRST[job], *kept, *workers), cost(size, *kept, *workers)
        begin = cost(FIRST[job], *kept, *workers) if workers[0] == "--cluster" else begin  # kernels are loaded there
        rest = whole.less(begin).efficiencies(alone.less(first))
        _line(job, what, whole, f"{whole.efficiencies(alone)}, {whole.efficiencies(beside)}, {rest}")


def _line(job: str, what: str, cost: _Cost, more: str = "") -> None:
    boards = f" {cost.done:,.0f} boards" if cost.done > 1 else ""
    print(f"{job:<8}{what:<19}{cost.seconds:9.1f}{cost.processor:8.1f}   {more}{boards}", flush=True)


def _measured(folder: Path, words: list[str], copies: int, cluster: LoopbackCluster | None) -> _Cost:
    """The cost of a command, or the mean of copies of it side by side."""
    used = _processor_seconds(cluster)
    with ThreadPoolExecutor(copies) as pool:
        costs = [*pool.map(partial(_run, folder), [words] * copies)]
    return _Cost(fmean(one[0] for one in costs), (_processor_seconds(cluster) - used) / copies, costs[0][1])


def _processor_seconds(cluster: LoopbackCluster | None) -> float:
    """Of all commands so far, and of a cluster."""
    ours = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ours.ru_utime + ours.ru_stime + (cluster.processor_seconds() if cluster else 0.0)


def _run(folder: Path, words: list[str]) -> tuple[float, float]:
    """Seconds of a command, and the boards that it swept."""
    begin = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "counterplay", *words, "--json"],
        cwd=folder, env={**os.environ, "COUNTERPLAY_THREADS": "1"}, check=True, capture_output=True, text=True,
    )  # fmt: skip
    seconds = time.perf_counter() - begin
    return seconds, float(json.loads(done.stdout)["iterations"]) if words[0] == "blueprint" else 1.0


if __name__ == "__main__":
    main()
