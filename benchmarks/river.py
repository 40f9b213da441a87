"""Spots of hold'em: microseconds an iteration of both players, and seconds to a part of the pot; one thread, float64.

Full ranges, pot 200. River: two bet sizes and all-in, 69 betting nodes. Turn: one bet size and all-in, all 48 rivers.
Times are the least of many rounds, after everything is compiled; those of a solve include the looks at exploitability, but
not laying out the tree, which has a row of its own. postflop-solver, the fastest open engine, needs 410 µs an iteration of
such a river and 120 iterations to 0.3 %, and 19.3 ms an iteration of such a turn, by the project's own measurements.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from common import interleaved, table
from counterplay.poker.problem import public_tree
from counterplay.poker.solved import METHOD, stop_of
from counterplay.poker.spot import Spot
from counterplay.solvers.best_response import gap
from counterplay.solvers.cfr import solve_cfr
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
        rows = _iterations(subgame, CALLS[name], ROUNDS[name])
        title = f"{name}, {spot.betting.nodes} betting nodes: microseconds an iteration"
        table(title, ("what", "µs"), [*rows, ("laying out the tree, once", 1e6 * laid)])
        _to_goals(name, spot, subgame)


def _iterations(subgame: Subgame, count: int, rounds: int) -> list[tuple[str, float]]:
    """Rows: what, microseconds."""
    running = {method: Iterates(subgame, minimiser(method)) for method in ("dcfr", "cfr+", "pcfr+")}
    for iterates in running.values():
        iterates.advance(8)
    plans = running["dcfr"].average()
    calls: dict[str, Callable[[], object]] = {
        method: partial(iterates.advance, count) for method, iterates in running.items()
    }
    seconds = interleaved({**calls, "look": lambda: gap(subgame, plans)}, rounds)
    rows = [(method, 1e6 * seconds[method] / count) for method in calls]
    return [*rows, ("a look at exploitability", 1e6 * seconds["look"])]


def _to_goals(name: str, spot: Spot, subgame: Subgame) -> None:
    rows = []
    for percent in GOALS[name]:
        for method in METHODS if name == "river" else METHODS[:5]:
            runs = [solve_cfr(subgame, minimiser(method), stop_of(spot, percent)) for _ in range(5)]
            best = min(runs, key=lambda run: run.seconds)
            rows.append(
                (f"{percent} %", method, best.iterations, 1e3 * best.seconds, 100 * best.exploitability / spot.pot)
            )
    head = ("to", "method", "iterations", "ms", "% reached")
    table(f"{name}: milliseconds to a part of the pot", head, rows)


if __name__ == "__main__":
    main()
