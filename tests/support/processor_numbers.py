"""Numbers of every kind of kernel, computed by one process: `python -m tests.support.processor_numbers FILE` writes them.

What they are computed with is said by the environment: NUMBA_CPU_NAME and NUMBA_CPU_FEATURES, COUNTERPLAY_THREADS, and what
NumPy and OpenBLAS heed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

import counterplay as cp
from counterplay import Spot
from counterplay.jit import threads as thread_pool
from counterplay.opponents.counting.estimate import convex_program
from counterplay.opponents.counting.terminal_infosets import HIDDEN, TerminalInfosets
from counterplay.poker.public_tree import payoff as branches
from counterplay.poker.public_tree.public_tree import public_tree
from counterplay.poker.showdown.showdown import evaluate
from counterplay.poker.showdown.terminals import Fold, Showdown, scratch_of, terminals_of
from counterplay.solvers.best_response import best_response, gap
from counterplay.solvers.iterates import Iterates
from counterplay.solvers.minimiser import minimiser
from counterplay.treeplex import sweeps
from tests.support.ranked_boards import board_of

Numbers = Iterator[tuple[str, NDArray[Any]]]
_GAMES = ("leduc", "goofspiel:4", "liars_dice:1,3")
_METHODS = ("cfr+", "dcfr", "pcfr+")


def _sweeps() -> Numbers:
    """Reach, CFVs and best responses of random play."""
    rng = np.random.default_rng(1)
    for spec in _GAMES:
        game = cp.load(spec, say=lambda _: None)
        plans = []
        for player, tree in enumerate(game.trees):
            behaviour = sweeps.behaviour_of(tree, sweeps.reach(tree, np.where(tree.real, rng.random(tree.size), 0.0)))
            plans.append(sweeps.reach(tree, behaviour))
            yield f"sweep, {spec}, reach {player}", plans[-1]
            yield f"sweep, {spec}, values {player}", sweeps.values(tree, behaviour, rng.normal(size=tree.size))
        for player in (0, 1):
            found = best_response(game.subgame, player, plans[1 - player])
            yield f"sweep, {spec}, best response {player}", np.array([found.value])


def _showdowns() -> Numbers:
    """Full ranges at a few showdowns and folds of one board."""
    rng = np.random.default_rng(2)
    cards = rng.permutation(list(combinations(range(47), 2)))
    rank, n = np.sort(rng.integers(0, 90, len(cards))), len(cards)
    board, run = board_of(cards, rank), 1088
    terminals: list[Showdown | Fold] = [Showdown(run * k, run * k, 1.0 + k, 0.7, 0.1) for k in range(9)]
    terminals += [Fold(run * k, run * k, 0.3 * k) for k in range(9, 20)]
    reach = rng.random(20 * run)
    for dtype in (np.float64, np.float32):
        plan, out = reach.astype(dtype), np.zeros(20 * run, dtype)
        laid = terminals_of(board, terminals, (len(plan), len(out)), plan.dtype)
        evaluate(board, laid, plan, out, scratch_of(board, plan.dtype))
        yield f"showdown, {np.dtype(dtype).name}, {n} hands", out


def _solves() -> Numbers:
    """Averages after a hundred iterations of small games, and after twenty of a turn worked on in branches."""
    for spec in _GAMES:
        for method in _METHODS:
            game = cp.load(spec, say=lambda _: None)
            yield from _solved(f"cfr, {spec}, {method}", Iterates(game.subgame, minimiser(method)), 100)
    spot = Spot("Qs Jh 2h 8d", "QQ+,AK,KT,76s", "TT+,AQ,KQ,9h8h", 200, 900, "75%, a")  # type: ignore[arg-type]
    subgame = public_tree(spot.betting, spot.cards).subgame
    for dtype in (np.float64, np.float32):
        name = f"turn, {np.dtype(dtype).name}"
        iterates = Iterates(subgame, minimiser("dcfr"), dtype)
        yield from _solved(name, iterates, 20)
        yield f"{name}, exploitability", np.array(gap(subgame, iterates.average()))


def _solved(name: str, iterates: Iterates, iterations: int) -> Numbers:
    iterates.advance(iterations)
    for player, plan in enumerate(iterates.average()):
        yield f"{name}, average {player}", plan


def _estimates() -> Numbers:
    """The convex program's model of hidden hands, by its extrapolated steps."""
    game = cp.load("leduc", say=lambda _: None)
    sight, plans = (
        TerminalInfosets(game, 0, HIDDEN),
        [cp.opponent(game, f"random:{seat}", seat).plan for seat in (0, 1)],
    )
    odds = game.histories.reach[sight.ends]
    for seat, plan in enumerate(plans):
        odds = odds * plan[game.sequences[seat][sight.ends]]
    counts = cp.Counts(game, 1)
    counts.see_sampled(sight, np.random.default_rng(3).multinomial(3000, odds / odds.sum()))
    yield "convex program, leduc", convex_program(counts.observations, game.trees[1].uniform()).behaviour


def main() -> None:
    branches.LARGE = 1  # however small a tree is, it is worked on in branches
    thread_pool.cores = lambda: 4  # however few there are
    np.savez(sys.argv[1], **dict([*_sweeps(), *_showdowns(), *_solves(), *_estimates()]))


if __name__ == "__main__":
    main()
