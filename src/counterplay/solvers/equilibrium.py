"""Choice of a solver for a problem, and the equilibrium of a subgame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

import numpy as np

from counterplay.arrays import F64
from counterplay.errors import InputError
from counterplay.jit.clock import run_time
from counterplay.problem.subgame import Subgame
from counterplay.solvers.best_response import best_response, gap, played_plan
from counterplay.solvers.cfr import Progress, Solution, Stop, solve_cfr
from counterplay.solvers.lp import FixedInfosets, LPError, SequenceFormLP
from counterplay.solvers.minimiser import DCFR, PDCFR_PLUS, Minimiser, Solver, minimiser
from counterplay.treeplex.restriction import Restriction

_KNOWN: WeakKeyDictionary[Subgame, Solution] = WeakKeyDictionary()
_CHECKED: WeakSet[Subgame] = WeakSet()
"""Whole games whose equilibrium by linear program is exact."""
_ROUNDING = 1e-6  # of the payoffs that count
_FINE = 1e-6  # of the largest payoff: how exactly a game too large for the LP is solved

LP_UP_TO = 600_000
"""The most payoff entries for which an exact answer comes from the linear program: half a minute at most."""


def solve_lp(subgame: Subgame, responder: int | None = None) -> Solution:
    """The exact saddle point: both plans by one linear program, from the side of a player who is unrestricted, or whose
    restriction only fixes decisions; `responder` selects the player if both qualify.

    Raises:
        InputError: both players are restricted otherwise, or the problem has a limit with a value function.
    """
    begin = run_time()
    if subgame.beyond:
        raise InputError(
            "the linear program takes no value function, which is not linear; use a minimiser such as cfr+"
        )
    if responder is None:
        responder = _responder(subgame)
    copies, weights, gain = opponents_of(subgame, responder)
    fixed = FixedInfosets.of(subgame.restrictions[responder])
    result = SequenceFormLP(subgame, responder, copies, fixed).maximise(gain, weights)
    return exact_solution(subgame, responder, result.plan, result.opponents, begin)


def opponents_of(subgame: Subgame, responder: int) -> tuple[list[Restriction], list[float], F64 | None]:
    """The simultaneous opponents in a problem's value, their weights, and the (size,) further gain of each own sequence.

    A model with a horizon plays at the same time as everybody else: two copies, one plan against both.
    """
    other = subgame.restrictions[1 - responder]
    rest = replace(other, p=0.0, plan=np.zeros(0), copy=None)
    if other.copy:
        return [other.copy, rest], [other.p, 1.0 - other.p], None
    gain = other.p * subgame.leaves.product(responder, other.plan) if other.p > 0.0 else None
    return [rest], [1.0 - other.p], gain


def exact_solution(subgame: Subgame, responder: int, plan: F64, free: Sequence[F64], begin: float) -> Solution:
    """The solution by a (size,) plan of the responder and the free (size,) behaviour of each opponent of `opponents_of`.

    Raises:
        LPError: the plans are not exact enough.
    """
    opponent = 1 - responder
    if len(free) == 1:
        answer = played_plan(subgame, opponent, free[0])
    else:
        copies, weights, _ = opponents_of(subgame, responder)
        parts = [copy.played(subgame.trees[opponent], one) for copy, one in zip(copies, free, strict=True)]
        answer = np.asarray(weights[0] * parts[0] + weights[1] * parts[1])
    plans = (plan, answer) if responder == 0 else (answer, plan)
    nash_conv, value = gap(subgame, plans)
    check_exact(nash_conv, subgame.leaves.largest)
    return Solution(plans, value, nash_conv, "lp", 0, run_time() - begin)


def _responder(subgame: Subgame) -> int:
    """The player whose plan the linear program chooses: the other may be restricted in any way, this one only fixed."""
    plain = [r.p == 0.0 and (not r.is_local or r.is_fixed) for r in subgame.restrictions]
    if not any(plain):
        raise InputError("the linear program takes one restricted player, not two")
    if not all(plain):
        return plain.index(True)
    return 1 if subgame.restrictions[0].is_local and not subgame.restrictions[1].is_local else 0


def check_exact(error: float, unit: float) -> None:
    """Raise an LPError if the error of an answer, in chips, is more than rounding of payoffs of size `unit`: the
    largest, or `usual_payoff`."""
    if not error <= _ROUNDING * unit:
        raise LPError(
            f"the linear program is off by {error:.2g} chips, as happens where payoffs or chances differ greatly in size"
        )


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
    """Whether restrictions leave a player no choice anywhere, in a problem whose leaves are linear."""
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
