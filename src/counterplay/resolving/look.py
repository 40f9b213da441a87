"""The solution of one look-ahead, by the method that its search names."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from counterplay.resolving.search import Search
from counterplay.solvers.best_response import gap
from counterplay.solvers.certain import against_fixed, is_fixed
from counterplay.solvers.cfr import Solution, solve_cfr
from counterplay.solvers.equilibrium import solve_lp
from counterplay.solvers.minimiser import minimiser
from counterplay.subgames.subgame import Subgame

Floats = NDArray[np.float64]


def solved(problem: Subgame, me: int, search: Search) -> Solution:
    """The saddle point by the search's method; a sweep where the opponent has nothing to choose."""
    if is_fixed(problem, 1 - me):
        return against_fixed(problem, me)
    if search.method == "lp":
        return solve_lp(problem, me)
    solution = solve_cfr(problem, minimiser(search.method), search.stop)
    nash_conv, value = gap(problem, solution.plans)
    return replace(solution, nash_conv=nash_conv, value=value)


def played(problem: Subgame, player: int, solution: Solution) -> Floats:
    """(size,) what a player does in a solution."""
    tree, bound = problem.trees[player], problem.restrictions[player]
    return bound.behaviour(tree, bound.chosen(tree, solution.plans[player]))
