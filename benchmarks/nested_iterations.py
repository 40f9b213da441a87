"""What look-aheads of `ggse-nested` and `ggse-matches` leave unsolved: `python benchmarks/nested_iterations.py [STATES]`.

Kubíček et al. 2026 solve each with 3,000 iterations of CFR+. Some public states of both seats are drawn evenly in each game,
and solved by every technique over the first value function. The gap of a solution is what both players could still gain in
the gadget game.
"""

from __future__ import annotations

import sys
from time import process_time

import numpy as np

from counterplay.lookahead.decisions import DecisionGroup, SearchState, decision_groups
from counterplay.lookahead.search import Search
from counterplay.lookahead.step import decide_group, make_reachable, solve
from counterplay.solvers.cfr import Stop
from counterplay_papers.reproductions.kubicek_2026_blueprints import TECHNIQUES
from counterplay_papers.reproductions.kubicek_2026_matches import SEATS, nested_look, portfolio
from counterplay_papers.responses import game

GAMES = ("goofspiel:5,win", "liars_dice:1,5")
RUNS = (("cfr+", 3000), ("cfr", 3000), ("cfr+", 300), ("dcfr", 300), ("pcfr+", 300), ("pdcfr+", 300))


def main() -> None:
    """One table a game: mean and largest gap of each minimiser, and its CPU milliseconds a look-ahead."""
    many = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    for spec in GAMES:
        found = np.array([row for name in TECHNIQUES for seat in SEATS for row in _gaps(spec, name, seat, many)])
        print(f"\n{spec}, {len(found)} look-aheads: gap (chips)")
        for number, (method, iterations) in enumerate(RUNS):
            gap, spent = found[:, number].T
            worse = float((gap > found[:, 0, 0]).mean())
            print(
                f"  {method:6} {iterations:5}: mean {gap.mean():.6f}, largest {gap.max():.6f}, larger than with the first "
                f"in {100 * worse:.0f} %, {1000 * spent.mean():.0f} CPU ms",
                flush=True,
            )


def _gaps(spec: str, technique: str, seat: int, many: int) -> np.ndarray:
    """(look-aheads, runs, 2) gap and CPU seconds at drawn public states; decisions before them take 100 iterations."""
    tree, look = game(spec), nested_look(technique, portfolio(0))
    searches = [Search(look, solver=method, stop=Stop(iterations=count)) for method, count in RUNS]
    chain = SearchState(tree, seat, Search(look, solver="cfr+", stop=Stop(iterations=100)))
    units = decision_groups(tree, seat, chain.search.depth, chain.search.joint)
    rng, found = np.random.default_rng(seat), []
    chosen = set(rng.permutation(len(units))[:many].tolist())
    for number in range(max(chosen) + 1):
        unit = units[number]
        with make_reachable(chain, unit):
            if number in chosen:
                found.append([_one(chain, unit, search) for search in searches])
            decide_group(chain, unit)
    return np.array(found)


def _one(chain: SearchState, unit: DecisionGroup, search: Search) -> tuple[float, float]:
    begin = process_time()
    return solve(chain.copy(), unit, search).gap, process_time() - begin


if __name__ == "__main__":
    main()
