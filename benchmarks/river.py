"""Spots of hold'em: microseconds an iteration of both players, and seconds to a part of the pot; one thread, float64 and
float32.

Full ranges, pot 200. River: two bet sizes and all-in, 69 betting nodes. Turn: one bet size and all-in, all 48 rivers.
Times are the least of many rounds, after everything is compiled; those of a solve include the looks at exploitability, but
not laying out the tree, which has a row of its own. CPU milliseconds say more on a machine that is shared. postflop-solver,
the fastest open engine, needs 410 µs an iteration of such a river and 120 iterations to 0.3 %, and 19.3 ms an iteration of
such a turn, by the project's own measurements.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np

from common import interleaved, table
from counterplay.poker.problem import public_tree
from counterplay.poker.solved import METHOD, stop_of
from counterplay.poker.spot import Spot
from counterplay.solvers.best_response import gap
from counterplay.solvers.cfr import Solution, Stop, solve_cfr
from counterplay.solvers.iterates import Iterates
from counterplay.solvers.minimiser import minimiser
from counterplay.subgames.subgame import Subgame

SPOTS = {
    "river": Spot("Qs Jh 2h 8d 3c", "random", "random", 200, 550, "50%, 100%, a"),  # type: ignore[arg-type]
    "turn": Spot("Qs Jh 2h 8d", "random", "random", 200, 900, "75%, a"),  # type: ignore[arg-type]
}
CALLS, ROUNDS = {"river": 50, "turn": 1}, {"river": 40, "turn": 8}
METHODS = ("dcfr", "dcfr:1.5,0,3", METHOD, "dcfr:2,0,4", "cfr+", "pcfr+", "pdcfr+")
GOALS = {"river": (0.3,), "turn": (1.0, 0.3)}
"""Per cent of the pot."""


def main() -> None:
    for name, spot in SPOTS.items():
        public_tree(spot.betting, spot.cards).leaves.leaves  # noqa: B018 - compiles
        begin = time.perf_counter()
        tree = public_tree(spot.betting, spot.cards)
        subgame = tree.subgame
        subgame.leaves.leaves  # noqa: B018 - laid out before anything else is timed
        laid = time.perf_counter() - begin
        tree.leaves.single  # noqa: B018
        rows = _iterations(subgame, CALLS[name], ROUNDS[name])
        title = f"{name}, {spot.betting.nodes} betting nodes: microseconds an iteration"
        table(title, ("what", "µs"), [*rows, ("laying out the tree, once", 1e6 * laid)])
        _to_goals(name, spot, subgame)


def _iterations(subgame: Subgame, count: int, rounds: int) -> list[tuple[str, float]]:
    """Rows: what, microseconds."""
    running = {method: Iterates(subgame, minimiser(method)) for method in ("dcfr", "cfr+", "pcfr+")}
    running["dcfr in float32"] = Iterates(subgame, minimiser("dcfr"), np.float32)
    for iterates in running.values():
        iterates.advance(8)
    plans, single = running["dcfr"].average(), running["dcfr in float32"].average()
    calls: dict[str, Callable[[], object]] = {
        method: partial(iterates.advance, count) for method, iterates in running.items()
    }
    looks = {"a look": lambda: gap(subgame, plans), "a look in float32": lambda: gap(subgame, single)}
    seconds = interleaved({**calls, **looks}, rounds)
    rows = [(method, 1e6 * seconds[method] / count) for method in calls]
    return [*rows, *((look, 1e6 * seconds[look]) for look in looks)]


def _to_goals(name: str, spot: Spot, subgame: Subgame) -> None:
    rows = []
    for percent in GOALS[name]:
        methods = METHODS if name == "river" else METHODS[:5]
        for method, single in [*((method, False) for method in methods), (METHOD, True)]:
            runs = [_timed(subgame, method, stop_of(spot, percent), single) for _ in range(5)]
            best, used = runs[0][0], min(used for _, used in runs)
            reached, least = 100 * best.exploitability / spot.pot, min(run.seconds for run, _ in runs)
            what = method + (" in float32" if single else "")
            rows.append((f"{percent} %", what, best.iterations, 1e3 * least, 1e3 * used, reached))
    head = ("to", "method", "iterations", "ms", "CPU ms", "% reached")
    table(f"{name}: milliseconds to a part of the pot", head, rows)


def _timed(subgame: Subgame, method: str, stop: Stop, single: bool) -> tuple[Solution, float]:
    """A solution, and the CPU seconds that it took."""
    begin = time.process_time()
    found = solve_cfr(subgame, minimiser(method), stop, single=single)
    return found, time.process_time() - begin


if __name__ == "__main__":
    main()
