"""The solution of one look-ahead, by the method of its search; an interrupted solve can be continued."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import isnan
from typing import Any, NamedTuple, Protocol

import numpy as np

from counterplay.arrays import F64, Flags
from counterplay.jit.clock import run_time
from counterplay.lookahead.search import Search
from counterplay.problem.subgame import Subgame
from counterplay.solvers.best_response import gap
from counterplay.solvers.cfr import Run, Solution, Stop, solve_cfr
from counterplay.solvers.equilibrium import has_no_choice, respond_to_fixed, solve_lp
from counterplay.solvers.iterates import STEEPEST_SINGLE
from counterplay.solvers.lp import avoidable
from counterplay.solvers.minimiser import Minimiser, minimiser
from counterplay.treeplex.restriction import Restriction


class Solve:
    """The solve of one problem: call `advance` until it is finished.

    A solve is finished at its target gap, or after its iterations if there is no target gap. Together with a gap,
    iterations are a limit of each call, like seconds. exact: direct solve, if a particular solution is needed. blind: no
    exploitability is computed on the way; the solve cannot be continued.
    """

    def __init__(
        self,
        problem: Subgame,
        me: int,
        search: Search,
        exact: Callable[[], Solution] | None = None,
        *,
        blind: bool = False,
    ) -> None:
        self._problem, self._me, self._search, self._exact, self._blind = problem, me, search, exact, blind
        self._run: Run | None = None
        self.finished, self.calls = False, 0

    @property
    def iterations(self) -> int:
        return 0 if self._run is None else self._run.done

    @property
    def bytes(self) -> int:
        """Approximate memory of an unfinished solve."""
        return 8 * _ARRAYS * sum(tree.size for tree in self._problem.trees)

    def advance(self) -> Solution:
        """The saddle point, or the best so far; one sweep if the opponent has no choice."""
        problem, me, search = self._problem, self._me, self._search
        self.calls += 1
        found = None
        if self._exact is not None:
            with avoidable():
                found = self._exact()
        elif has_no_choice(problem, 1 - me):
            found = respond_to_fixed(problem, me)
        elif search.method == "lp":
            with avoidable():
                found = solve_lp(problem, me)
        elif self._blind:
            found = solve_cfr(problem, minimiser(search.method), search.stop, look=False)
            nash_conv, value = gap(problem, found.plans)
            found = replace(found, nash_conv=nash_conv, value=value)
        if found is not None:
            self.finished = True
            return found
        return self._iterated(search.stop)

    def _iterated(self, stop: Stop) -> Solution:
        begin = run_time()
        if self._run is None:
            method = minimiser(self._search.method)
            self._run = Run(self._problem, method, stop, single=_in_single(self._problem, method))
        run, limit = self._run, stop.exploitability > 0.0 and self._problem.beyond is None
        most = run.done + stop.iterations if limit else stop.iterations
        interrupted = run.advance(replace(stop, iterations=most), begin=begin)
        reached = run.nash_conv <= 2.0 * stop.exploitability or isnan(run.nash_conv)
        self.finished = reached or (not interrupted and not limit and run.done >= stop.iterations)
        seconds = run_time() - begin
        return Solution(run.best, run.value, run.nash_conv, run.method.name, run.done, seconds, interrupted)


SINGLE = 4_000_000
"""Sequences of both players from which on a public tree of cards is iterated in float32, which takes half of the time."""


def _in_single(problem: Subgame, method: Minimiser) -> bool:
    """Whether a problem is iterated in float32."""
    large = problem.beyond is None and sum(tree.size for tree in problem.trees) >= SINGLE
    return large and method.gamma <= STEEPEST_SINGLE and getattr(problem.leaves, "single", None) is not None


_ARRAYS = 12
"""Numbers per sequence that an unfinished solve keeps: regrets, sums, plans, CFVs, the best average, the leaves."""


class LookAheadSolve(Protocol):
    """A `Solve`, or one on another engine; members as there."""

    @property
    def finished(self) -> bool: ...
    @property
    def calls(self) -> int: ...
    @property
    def iterations(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    def advance(self) -> Solution: ...


@dataclass(frozen=True, eq=False)
class Posed:
    """The problem of a look-ahead.

    Attributes:
        solve: its solve, begun or not.
        read: writes a solution into a player's state.
    """

    solve: LookAheadSolve
    read: Callable[..., Any]


class FollowedModel(NamedTuple):
    """A model in a problem: its behaviour (size,), its weight p, and where it is followed, (lanes,)."""

    behaviour: F64
    p: float
    followed: Flags


def whole_problem(problem: Subgame, me: int, behaviour: F64, standing: Flags, model: FollowedModel | None) -> Subgame:
    """A whole game as the problem of a look-ahead, by restrictions only: the exact value function and the full gadget.

    Args:
        problem: the game.
        me: the searching player.
        behaviour: (size,) what they decided.
        standing: (lanes,) where that stands.
        model: who the opponent is with probability p.
    """
    if standing.any():
        own = Restriction.local(problem.trees[me], behaviour, standing.astype(np.float64))
        problem = problem.bound(me, own)
    if model is not None and model.p > 0.0:
        problem = problem.bound(1 - me, Restriction.until(problem.trees[1 - me], *model))
    return problem


def solve_lookahead(problem: Subgame, me: int, search: Search) -> Solution:
    """The saddle point by the search's method, within its limits."""
    return Solve(problem, me, search).advance()


def played_behaviour(problem: Subgame, player: int, solution: Solution) -> F64:
    """(size,) the behaviour of a player in a solution."""
    tree, bound = problem.trees[player], problem.restrictions[player]
    return bound.behaviour(tree, bound.chosen(tree, solution.plans[player]))
