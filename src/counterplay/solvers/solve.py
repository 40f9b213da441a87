"""The public function for equilibria: `solve`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from counterplay.about import version
from counterplay.display import brief, labelled
from counterplay.errors import InputError
from counterplay.problem.solvable_game import as_compiled
from counterplay.solvers.cfr import STOP, Progress, Solution, Stop
from counterplay.solvers.equilibrium import solve_by
from counterplay.solvers.lp import avoidable
from counterplay.solvers.minimiser import Solver
from counterplay.texts.arguments import FUNCTION, or_none, takes
from counterplay.treeplex.strategy import Strategy

_DEFAULT = 1e-4  # of the span of payoffs
_RAKED = 20_000
"""The default limit of iterations in a game with a rake."""
_QUICK_LP = 200_000
"""The most payoff entries for which `auto` takes the linear program: about a second."""


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """An (approximate) equilibrium of a game: the strategies of players 0 and 1, and the solution with plans, value and
    the course of the solve."""

    strategies: tuple[Strategy, Strategy]
    solution: Solution

    def __repr__(self) -> str:
        return brief(
            self, str(self.facts().get("game", "")), self.solution.method, labelled("value", self.value),
            labelled("exploitability", self.exploitability),
        )  # fmt: skip

    @property
    def value(self) -> float:
        """Chips of player 0: the value of the game, midway between its bounds, or in a spot what the strategies win."""
        return float(self.facts().get("value", self.solution.value))

    @property
    def nash_conv(self) -> float:
        """The sum of what both players could still gain."""
        return self.solution.nash_conv

    @property
    def exploitability(self) -> float:
        """Half of NashConv."""
        return self.solution.exploitability

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
    method: Solver | None = None,
) -> Equilibrium:
    """Solve a game.

    Args:
        game: from `load`; or a spot of hold'em.
        solver: `lp` (exact), `cfr`, `cfr+`, `dcfr`, `pcfr+`, `pdcfr+` (with parameters), a `Minimiser` of your own, or
            `auto`: the LP if no stop is given and the game is small enough, else the minimiser that suits the game.
        stop: when to stop an iterative method, whichever comes first; by default at an exploitability of 1e-4 of the
            span of payoffs.
        progress: called now and then with iterations and exploitability.
        method: the older name of `solver`.

    Raises:
        InputError: unknown solver, or both names of it are given.
        LPError: the linear program has no exact solution; its cause is that of the program.
    """
    game = as_compiled(game)
    if method is not None and solver != "auto":
        raise InputError("solve takes 'solver', or 'method', which is its older name, and not both")
    raked = bool(getattr(game, "rake", 0.0))
    solver = solver if method is None else method
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
