"""Solving a spot: from a spot to an (approximate) equilibrium."""

from __future__ import annotations

from math import inf

from counterplay.about import version
from counterplay.errors import InputError
from counterplay.poker.public_tree.size_estimate import size_of
from counterplay.poker.public_tree.solve import solve_tree
from counterplay.poker.spots.solution import SolvedSpot
from counterplay.poker.spots.spot import Spot
from counterplay.poker.spots.spot_plans import ArraySpotPlans
from counterplay.poker.spots.worth import worth_of
from counterplay.solvers.cfr import Progress, Stop
from counterplay.solvers.minimiser import Minimiser, Solver, minimiser

METHOD = "dcfr:1.5,0,4"
"""The fastest measured method to 0.3 % of the pot (benchmarks/river.py)."""
EXPLOITABILITY = 0.5
"""Per cent of the pot at which a solve stops by default."""
_FLOP = 3


def solve_spot(
    spot: Spot,
    *,
    method: Solver = METHOD,
    exploitability: float = EXPLOITABILITY,
    iterations: int | None = None,
    seconds: float | None = None,
    memory: float | None = None,
    single: bool | None = None,
    progress: Progress | None = None,
) -> SolvedSpot:
    """Solve a spot.

    Args:
        spot: the question.
        method: a regret minimiser, as in `solvers.minimiser`.
        exploitability: stop at this exploitability (half of NashConv), in per cent of the pot.
        iterations, seconds: further limits.
        memory: limit in bytes; by default half of the machine's memory.
        single: iterate in float32, which takes half of the memory and is faster; by default on flops.
        progress: called now and then with iterations and exploitability in chips.

    Raises:
        InputError: the spot does not fit, the method is unknown, or a limit is negative.
    """
    stop = stop_of(spot, exploitability, iterations, seconds)
    chosen = method_of(method)
    single = in_single(spot) if single is None else single
    betting, cards, stakes = spot.betting, spot.cards, spot.stakes
    size = size_of(betting, cards, alike=True, single=single)
    size.check(memory)
    tree, solution = solve_tree(betting, cards, chosen, stop, progress, single=single)
    facts = {
        "method": solution.method,
        "iterations": solution.iterations,
        "exploitability": solution.exploitability,
        "exploitability_percent": 100.0 * solution.exploitability / spot.pot,
        "seconds": solution.seconds,
        "interrupted": solution.interrupted,
        "precision": "float32" if single else "float64",
        "nodes": size.nodes,
        "memory": size.memory,
        "version": version(),
        **worth_of(tree, stakes, spot.pot, solution),
    }
    return SolvedSpot(spot, tree, ArraySpotPlans.of_tree(tree, solution.plans), facts)


def method_of(name: Solver) -> Minimiser:
    """The regret minimiser of a name; a spot has no linear program here.

    Raises:
        InputError: unknown method.
    """
    if name == "lp":
        raise InputError("a spot is solved by cfr, cfr+, dcfr, pcfr+ or pdcfr+, not by lp")
    return minimiser(name)


def in_single(spot: Spot) -> bool:
    """Whether a spot is solved in float32 by default: on flops, which are large."""
    return len(spot.cards.board) == _FLOP


def stop_of(spot: Spot, exploitability: float, iterations: int | None = None, seconds: float | None = None) -> Stop:
    """The stopping rule, with exploitability in per cent of the pot."""
    most = 1 << 62 if iterations is None else iterations
    return Stop(0.01 * exploitability * spot.pot, most, inf if seconds is None else seconds)
