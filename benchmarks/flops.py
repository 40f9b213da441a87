"""A flop and a turn on the compact engine: memory, milliseconds an iteration and seconds to a part of the pot, by precision
and threads; each in a process of its own, for the peak of memory.

Ranges A: Td 9d 6h, pot 200, stacks 900, one size, all-in and raises: 130 million sequences. On two quiet cores of another
machine postflop-solver needed 102 s and 0.90 GiB (float32), 92 s and 0.47 GiB (16 bits) to 0.5 % of the pot on one thread,
53.6 s on two. The turn is that of `river.py`.

Of the two large flops the table of all spots says what they would take, and what is answered without `--memory`.
`flops.py "ranges B"` and `flops.py "spot C"` solve one in 16 bits, on all cores; looks at exploitability are part of their
time an iteration. `flops.py "ranges B" half 5` runs five iterations after two first ones, on as many threads as
COUNTERPLAY_THREADS says, and looks once: for machines that are not free for long. B needs 16 GiB. C is GTOpen's
`bench_spot.json`: it has no donks, and its 500,748 decisions are those of our tree (`tests/poker/test_betting.py`); by its
logs an iteration takes 594 ms in float32 on 16 threads, 720 in 16 bits with 1.27 GB of tables.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time

from common import table
from counterplay.errors import InputError
from counterplay.jit.threads import VARIABLE, cores, threads
from counterplay.poker.compact.compact_run import CompactRun
from counterplay.poker.compact.compact_solve import solve_compact
from counterplay.poker.compact.layout.compact_layout import CompactLayout
from counterplay.poker.public_tree.boards import tables_of
from counterplay.poker.public_tree.public_tree import boards_of
from counterplay.poker.public_tree.size_estimate import HALF, SINGLE, size_of
from counterplay.poker.spots.solve_spot import METHOD, stop_of
from counterplay.poker.spots.spot import Spot
from counterplay.solvers.minimiser import minimiser

OOP = "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s"
IP = "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+"
SPOTS = {
    "ranges A": (Spot("Td 9d 6h", OOP, IP, 200, 900, "60%, a; raise: 2.5x"), 0.5),  # type: ignore[arg-type]
    "turn": (Spot("Qs Jh 2h 8d", "random", "random", 200, 900, "75%, a"), 1.0),  # type: ignore[arg-type]
}
"""Spots, and the per cent of the pot to reach."""
LARGE = {
    "ranges B": (
        Spot(
            "Qs Jh 2h",  # type: ignore[arg-type]
            "22+,A2s+,K2s+,Q4s+,J6s+,T6s+,95s+,85s+,74s+,64s+,53s+,43s,A2o+,K8o+,Q9o+,J8o+,T8o+,98o",  # type: ignore[arg-type]
            "22+,A2s+,K2s+,Q2s+,J4s+,T6s+,96s+,85s+,75s+,64s+,54s,A2o+,K7o+,Q8o+,J8o+,T8o+,97o+",  # type: ignore[arg-type]
            60,
            970,
            "33%, 75%, a; raise: 2.5x",
        ),
        1.0,
    ),
    "spot C": (
        Spot(
            "Ks 7h 2d",  # type: ignore[arg-type]
            "55-22,A8s-A2s,K9s-K6s,Q9s-Q6s,J9s-J7s,T8s-T7s,97s,98s,86s,87s,75s,76s,64s,65s,53s,54s,43s,"  # type: ignore[arg-type]
            "AJo-A8o,KTo-K9o,QTo,QJo,JTo,T9o,98o",
            "22+,A2s+,K6s+,Q8s+,J8s+,T8s+,97s+,87s,76s,65s,A8o+,KTo+,QTo+,JTo",  # type: ignore[arg-type]
            60,
            970,
            "flop oop: 33%; flop ip: 33%, 75%; turn: 75%; river: 75%; raise: 60%; all-in: 85%; "
            "donk: none; initiative: kept",
        ),
        0.3,
    ),
}
"""Spots of minutes, which are solved only if they are named."""
HEAD = (
    "spot",
    "stored",
    "threads",
    "GiB said",
    "GiB more at the peak",
    "iterations",
    "s",
    "CPU s",
    "ms an iteration",
    "%",
)


def main() -> None:
    rows = []
    for name in SPOTS:
        for precision in (SINGLE, HALF):
            for count in sorted({1, cores()}):
                environment = {**os.environ, VARIABLE: str(count)}
                command = [sys.executable, __file__, name, precision]
                found = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
                rows.append((name, precision, count, *json.loads(found.stdout)))
    table("the compact engine: to a part of the pot", HEAD, rows)
    table("large flops, not solved here", ("spot", "stored", "GiB said", "without --memory"), _asked())


def _asked() -> list[tuple[str, str, float, str]]:
    """What the large spots would take, and whether they are solved by default."""
    rows = []
    for name, (spot, _) in LARGE.items():
        for precision in (SINGLE, HALF):
            size, answer = size_of(spot.betting, spot.cards, alike=True, precision=precision), "solved"
            try:
                size.check()
            except InputError:
                answer = "refused"
            rows.append((name, precision, size.memory / 2**30, answer))
    return rows


def measured(name: str, precision: str, count: int) -> list[float]:
    """Seconds and CPU seconds of laying out, seconds and CPU seconds of an iteration, and seconds of a look."""
    spot, _ = {**SPOTS, **LARGE}[name]
    marks = [(time.perf_counter(), time.process_time())]
    layout = CompactLayout(spot.betting, tables_of(boards_of(spot.betting, spot.cards, alike=True)))
    run = CompactRun(layout, minimiser(METHOD), precision)
    layout.streets  # noqa: B018 - laid out
    marks.append((time.perf_counter(), time.process_time()))
    run.advance(2)
    for call in (lambda: run.advance(count), run.gap, run.gap):  # the first look lays terminals out in float64
        begin = time.perf_counter(), time.process_time()
        call()
        marks.append((time.perf_counter() - begin[0], time.process_time() - begin[1]))
    laid = [after - before for before, after in zip(marks[0], marks[1], strict=True)]
    return [*laid, marks[2][0] / count, marks[2][1] / count, marks[4][0]]


def solved(name: str, precision: str) -> list[float]:
    """A row of the table, from GiB on."""
    spot, percent = {**SPOTS, **LARGE}[name]
    said = size_of(spot.betting, spot.cards, alike=True, precision=precision).memory
    small = Spot(spot.board, "AA,KK", "QQ", 200, 300, "a")  # type: ignore[arg-type]
    solve_compact(small.betting, small.cards, minimiser(METHOD), stop_of(small, 50.0), precision=precision)  # compiles
    before, used = _peak(), time.process_time()
    _, found = solve_compact(spot.betting, spot.cards, minimiser(METHOD), stop_of(spot, percent), precision=precision)
    used = time.process_time() - used
    more, reached = _peak() - before, 100.0 * found.exploitability / spot.pot
    each = 1e3 * found.seconds / found.iterations if name in LARGE else _iteration(spot, precision)
    return [said / 2**30, more / 2**30, found.iterations, found.seconds, used, each, reached]


def _iteration(spot: Spot, precision: str) -> float:
    """Milliseconds of an iteration, without looks at exploitability."""
    layout = CompactLayout(spot.betting, tables_of(boards_of(spot.betting, spot.cards, alike=True)))
    run = CompactRun(layout, minimiser(METHOD), precision)
    run.advance(2)
    begin = time.perf_counter()
    run.advance(5)
    return 1e3 * (time.perf_counter() - begin) / 5


def _peak() -> float:
    return 1024.0 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    if len(sys.argv) == 2:
        table("the compact engine: a large flop", HEAD, [(sys.argv[1], HALF, threads(), *solved(sys.argv[1], HALF))])
    elif len(sys.argv) == 4:
        head = ("spot", "stored", "threads", "s to lay out", "CPU s", "s an iteration", "CPU s", "s a look")
        found = measured(*sys.argv[1:3], int(sys.argv[3]))
        table("the compact engine: some iterations", head, [(*sys.argv[1:3], threads(), *found)])
    elif sys.argv[1:]:
        print(json.dumps(solved(*sys.argv[1:])))
    else:
        main()
