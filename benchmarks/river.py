"""Spots of hold'em: microseconds an iteration of both players, and seconds to a part of the pot; by threads, in float64 and
in float32.

Full ranges, pot 200. River: two bet sizes and all-in, 69 betting nodes, which one thread solves. Turn: one bet size and
all-in, all 48 rivers, in one thread and in as many as there are cores.
Times are the least of many rounds, after everything is compiled; those of a solve include the looks at exploitability, but
not laying out the tree, which has a row of its own. On the turn stands also the compact engine in float32, laying out
included. CPU milliseconds say more on a machine that is shared. postflop-solver, the fastest open engine, needs 410 µs an
iteration of such a river and 120 iterations to 0.3 %, and 19.3 ms an iteration of such a turn, by the project's own
measurements.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import partial
from typing import TypeVar

import numpy as np

from common import interleaved, table
from counterplay.jit.threads import VARIABLE, cores
from counterplay.poker.compact.compact_solve import solve_compact
from counterplay.poker.public_tree.public_tree import public_tree
from counterplay.poker.spots.solve_spot import METHOD, stop_of
from counterplay.poker.spots.spot import Spot
from counterplay.problem.subgame import Subgame
from counterplay.solvers.best_response import gap
from counterplay.solvers.cfr import Stop, solve_cfr
from counterplay.solvers.iterates import Iterates
from counterplay.solvers.minimiser import minimiser

SPOTS = {
    "river": Spot("Qs Jh 2h 8d 3c", "random", "random", 200, 550, "50%, 100%, a"),  # type: ignore[arg-type]
    "turn": Spot("Qs Jh 2h 8d", "random", "random", 200, 900, "75%, a"),  # type: ignore[arg-type]
}
_Result = TypeVar("_Result")
CALLS, ROUNDS = {"river": 50, "turn": 8}, {"river": 40, "turn": 12}
METHODS = ("dcfr", "dcfr:1.5,0,3", METHOD, "dcfr:2,0,4", "cfr+", "pcfr+", "pdcfr+")
GOALS = {"river": (0.3,), "turn": (1.0, 0.3)}
"""Per cent of the pot."""
THREADS = {"river": (1,), "turn": tuple(sorted({1, cores()}))}


def main() -> None:
    for name, spot in SPOTS.items():
        public_tree(spot.betting, spot.cards).leaves.leaves  # noqa: B018 - compiles
        begin = time.perf_counter()
        tree = public_tree(spot.betting, spot.cards)
        subgame = tree.subgame
        subgame.leaves.leaves  # noqa: B018 - laid out before anything else is timed
        laid = time.perf_counter() - begin
        tree.leaves.single  # noqa: B018
        rows = _iterations(name, subgame)
        title = f"{name}, {spot.betting.nodes} betting nodes: microseconds an iteration"
        table(title, ("what", "threads", "µs"), [*rows, ("laying out the tree, once", 1, 1e6 * laid)])
        _to_goals(name, spot, subgame)


def _iterations(name: str, subgame: Subgame) -> list[tuple[str, int, float]]:
    """Rows: what, threads, microseconds."""
    count = CALLS[name]
    running = {method: Iterates(subgame, minimiser(method)) for method in ("dcfr", "cfr+", "pcfr+")}
    running["dcfr in float32"] = Iterates(subgame, minimiser("dcfr"), np.float32)
    for iterates in running.values():
        iterates.advance(8)
    plans, single = running["dcfr"].average(), running["dcfr in float32"].average()
    calls = {
        f"{method}|{threads}": partial(_in_threads, threads, partial(iterates.advance, count))
        for method, iterates in running.items()
        for threads in THREADS[name]
    }
    looks = {"a look|1": lambda: gap(subgame, plans), "a look in float32|1": lambda: gap(subgame, single)}
    sizes = dict.fromkeys(calls, count)
    seconds = interleaved({**calls, **looks}, ROUNDS[name], of=name, peer="dcfr|1", sizes=sizes)
    rows = []
    for what, taken in seconds.items():
        method, _, threads = what.partition("|")
        rows.append((method, int(threads), 1e6 * taken))
    return rows


def _in_threads(threads: int, call: Callable[[], _Result]) -> _Result:
    os.environ[VARIABLE] = str(threads)
    return call()


def _to_goals(name: str, spot: Spot, subgame: Subgame) -> None:
    rows = []
    methods = METHODS if name == "river" else METHODS[:5]
    one, most = THREADS[name][0], THREADS[name][-1]
    ways = [(method, False, one) for method in methods]
    ways += [(METHOD, single, threads) for single in (False, True) for threads in (one, most)]
    for percent in GOALS[name]:
        for method, single, threads in dict.fromkeys(ways):
            timed = partial(_timed, subgame, method, stop_of(spot, percent), single)
            what = method + (" in float32" if single else "")
            rows.append((f"{percent} %", what, threads, *_least(spot, partial(_in_threads, threads, timed))))
        for threads in THREADS[name] if name == "turn" else ():
            compact = partial(_in_threads, threads, partial(_compact, spot, percent))
            rows.append((f"{percent} %", f"{METHOD}, compact", threads, *_least(spot, compact)))
    head = ("to", "method", "threads", "iterations", "ms", "CPU ms", "% reached")
    table(f"{name}: milliseconds to a part of the pot", head, rows)


def _least(spot: Spot, call: Callable[[], tuple[float, float, int, float]]) -> tuple[int, float, float, float]:
    """Iterations, the least wall-clock and CPU milliseconds of five solves, and the part of the pot that is reached."""
    runs = [call() for _ in range(5)]
    seconds, used = (min(run[k] for run in runs) for k in (0, 1))
    return runs[0][2], 1e3 * seconds, 1e3 * used, 100 * runs[0][3] / spot.pot


def _timed(subgame: Subgame, method: str, stop: Stop, single: bool) -> tuple[float, float, int, float]:
    """Wall-clock and CPU seconds of a solve, its iterations and its exploitability."""
    begin = time.process_time()
    found = solve_cfr(subgame, minimiser(method), stop, single=single)
    return found.seconds, time.process_time() - begin, found.iterations, found.exploitability


def _compact(spot: Spot, percent: float) -> tuple[float, float, int, float]:
    """The same of a solve on the compact engine in float32."""
    begin = time.process_time()
    _, found = solve_compact(spot.betting, spot.cards, minimiser(METHOD), stop_of(spot, percent))
    return found.seconds, time.process_time() - begin, found.iterations, found.exploitability


if __name__ == "__main__":
    main()
