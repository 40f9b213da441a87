"""Choice of a solver for a problem, and the equilibrium of a subgame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

import numpy as np

from counterplay.about import version
from counterplay.arrays import F64
from counterplay.display import brief, labelled
from counterplay.problem.solvable_game import as_compiled
from counterplay.problem.subgame import Subgame
from counterplay.result import ResultRecord
from counterplay.solvers.best_response import best_response
from counterplay.solvers.cfr import STOP, Progress, Solution, Stop, solve_cfr
from counterplay.solvers.lp import avoidable, check_exact, solve_lp
from counterplay.solvers.minimiser import DCFR, PDCFR_PLUS, Minimiser, Solver, minimiser
from counterplay.texts.arguments import FUNCTION, or_none, takes
from counterplay.treeplex.strategy import Strategy

_KNOWN: WeakKeyDictionary[Subgame, Solution] = WeakKeyDictionary()
_CHECKED: WeakSet[Subgame] = WeakSet()
"""Whole games whose equilibrium by linear program is exact."""
_FINE = 1e-6  # of the largest payoff: how exactly a game too large for the LP is solved

LP_UP_TO = 600_000
"""The most payoff entries for which an exact answer comes from the linear program: half a minute at most."""


def usual_payoff(subgame: Subgame, plans: tuple[F64, F64]) -> float:
    """The mean amount that changes hands under two plans, (size,) each, or the median payoff other than 0 if that is more;
    in chips. A payoff that both avoid, as a fine for an illegal move, may be as large as one likes."""
    rows = subgame.leaves.rows
    sizes, reached = np.abs(rows.value), np.repeat(plans[0], np.diff(rows.start)) * plans[1][rows.column]
    median = float(np.median(sizes[sizes > 0.0])) if sizes.any() else 0.0
    return max(float((sizes * reached).sum()), median)


def solve_by(subgame: Subgame, method: Solver, stop: Stop, progress: Progress | None = None) -> Solution:
    """The saddle point by the named method: `lp`, a regret minimiser, or `auto` for a suitable iterative one."""
    if method == "lp":
        return equilibrium(subgame) if subgame.leaves.entries <= LP_UP_TO else solve_lp(subgame)
    chosen = pick(subgame) if method == "auto" else minimiser(method)
    return solve_cfr(subgame, chosen, stop, progress)


def pick(subgame: Subgame) -> Minimiser:
    """The regret minimiser that is fastest to 1e-4 on games of this kind (measured; see benchmarks)."""
    return DCFR if subgame.chance else PDCFR_PLUS


def equilibrium_of(game: Any, progress: Progress | None = None) -> Solution:
    """The equilibrium of a game: its own where the game has one, such as a spot, which knows how exact it must be.
    Errors as of `equilibrium`, and an LPError if the linear program is not exact."""
    own = getattr(game, "equilibrium", None)
    solution: Solution = equilibrium(game.subgame, progress) if own is None else own(progress)
    if own is None and solution.method == "lp" and game.subgame not in _CHECKED:
        check_exact(solution.nash_conv, usual_payoff(game.subgame, solution.plans))
        _CHECKED.add(game.subgame)
    return solution


def equilibrium(subgame: Subgame, progress: Progress | None = None) -> Solution:
    """An equilibrium, computed once per subgame: exact by LP up to `LP_UP_TO` payoff entries, else iterated to a
    millionth of the largest payoff. Ctrl-C is a KeyboardInterrupt: results derived from an unfinished value would be
    wrong."""
    if subgame in _KNOWN:
        return _KNOWN[subgame]
    if subgame.leaves.entries <= LP_UP_TO:
        solution = solve_lp(subgame)
    else:
        solution = solve_by(subgame, "auto", Stop(exploitability=_FINE * subgame.leaves.largest), progress)
    if solution.interrupted:
        raise KeyboardInterrupt
    _KNOWN[subgame] = solution
    return solution


def has_no_choice(subgame: Subgame, player: int) -> bool:
    """Return whether restrictions leave a player no choice anywhere, in a problem whose leaves are linear."""
    bound, tree = subgame.restrictions[player], subgame.trees[player]
    decides = tree.lane_sequences[2] > 0
    return bool(
        subgame.beyond is None
        and bound.p == 0.0
        and not bound.copy
        and bound.is_local
        and not bound.keep[decides].any()
    )


def respond_to_fixed(subgame: Subgame, responder: int) -> Solution:
    """A best response to an opponent who is fixed everywhere, or is the model with probability 1."""
    own, other = subgame.trees[responder], subgame.trees[1 - responder]
    theirs = subgame.restrictions[1 - responder].played(other, other.uniform())
    response = best_response(subgame, responder, theirs)
    mine = subgame.restrictions[responder].played(own, response.behaviour)
    plans = (mine, theirs) if responder == 0 else (theirs, mine)
    return Solution(plans, response.value if responder == 0 else -response.value, 0.0, "sweep", 0, 0.0)


_DEFAULT = 1e-4  # of the span of payoffs
_RAKED = 20_000
"""The default limit of iterations in a game with a rake."""
_QUICK_LP = 200_000
"""The most payoff entries for which `auto` takes the linear program: about a second."""


@dataclass(frozen=True, eq=False, repr=False)
class Equilibrium(ResultRecord):
    """An (approximate) equilibrium of a game: the strategies of players 0 and 1, and the solution with plans, value and
    the course of the solve."""

    KIND = "solve"

    strategies: tuple[Strategy, Strategy]
    solution: Solution

    def __repr__(self) -> str:
        return brief(
            self, str(self.facts.get("game", "")), self.solution.method, labelled("value", self.value),
            labelled("exploitability", self.exploitability),
        )  # fmt: skip

    @property
    def value(self) -> float:
        """Chips of player 0: the value of the game, midway between its bounds, or in a spot what the strategies win."""
        return float(self.facts.get("value", self.solution.value))

    @property
    def nash_conv(self) -> float:
        """The sum of what both players could still gain."""
        return self.solution.nash_conv

    @property
    def exploitability(self) -> float:
        """Half of NashConv."""
        return self.solution.exploitability

    @property
    def facts(self) -> dict[str, Any]:
        """Everything but the strategies, as plain numbers and texts."""
        return dict(self.strategies[0].facts)


@takes(stop=STOP, progress=or_none(FUNCTION))
def solve(
    game: Any,
    *,
    solver: Solver = "auto",
    stop: Stop | None = None,
    progress: Progress | None = None,
) -> Equilibrium:
    """Solve a game.

    Args:
        game: from `load`; or a spot of hold'em.
        solver: `lp` (exact), `cfr`, `cfr+`, `dcfr`, `pcfr+`, `pdcfr+` (with parameters), a `Minimiser` of your own, or
            `auto`: the LP if no stop is given and the game is small enough, else the minimiser that suits the game.
        stop: when to stop an iterative method, whichever comes first; by default at an exploitability of 1e-4 of the
            span of payoffs.
        progress: called now and then with iterations and exploitability.

    Raises:
        InputError: unknown solver.
        LPError: the linear program has no exact solution; its cause is that of the program.
    """
    game = as_compiled(game)
    raked = bool(getattr(game, "rake", 0.0))
    if solver == "auto" and stop is None and game.payoff.entries <= _QUICK_LP and not raked:
        solver = "lp"
    if raked and stop is None:  # there NashConv need not go to 0
        stop = Stop(_DEFAULT * game.span, _RAKED)
    stop, alone = stop or Stop(exploitability=_DEFAULT * game.span), getattr(game, "solved_alone", None)
    solution: Solution | None = alone(solver, stop, progress) if alone else None  # by an engine of the game's own
    if solution is None:
        with avoidable():
            solution = solve_by(game.subgame, solver, stop, progress)
    worth_of = getattr(game, "worth_of", None)
    facts = {
        "game": game.name,
        "method": solution.method,
        "iterations": solution.iterations,
        "value": solution.value,
        "nash_conv": solution.nash_conv,
        "exploitability": solution.exploitability,
        "seconds": solution.seconds,
        "interrupted": solution.interrupted,
        "version": version(),
        **(worth_of(solution) if worth_of else {}),  # of a spot of hold'em
    }
    first, second = (Strategy.from_plan(game.trees[i], solution.plans[i], facts) for i in (0, 1))
    return Equilibrium((first, second), solution)
