"""Choice of a solver for a problem, and the equilibrium of a subgame."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

import numpy as np

from counterplay.arrays import F64
from counterplay.errors import InputError
from counterplay.jit.clock import run_time
from counterplay.problem.subgame import Subgame
from counterplay.solvers.best_response import gap, played_plan
from counterplay.solvers.cfr import Progress, Solution, Stop, solve_cfr
from counterplay.solvers.lp import FixedInfosets
from counterplay.solvers.minimiser import DCFR, PDCFR_PLUS, Minimiser, Solver, minimiser

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
    from counterplay.solvers.lp import SequenceFormLP

    begin = run_time()
    if subgame.beyond:
        raise InputError(
            "the linear program takes no value function, which is not linear; use a minimiser such as cfr+"
        )
    if responder is None:
        responder = _responder(subgame)
    own, other = subgame.restrictions[responder], subgame.restrictions[1 - responder]
    fixed = FixedInfosets(own.keep == 0.0, own.mix) if own.is_local else None
    if other.copy:  # the model plays at the same time as everybody else: two copies, one plan against both
        rest = replace(other, p=0.0, copy=None)
        result = SequenceFormLP(subgame, responder, [other.copy, rest], fixed).maximise(None, [other.p, 1.0 - other.p])
        tree = subgame.trees[1 - responder]
        parts = [part.played(tree, free) for part, free in zip([other.copy, rest], result.opponents, strict=True)]
        answer = other.p * parts[0] + (1.0 - other.p) * parts[1]
    else:
        gain = other.p * subgame.leaves.product(responder, other.plan) if other.p > 0.0 else None
        result = SequenceFormLP(subgame, responder, fixed=fixed).maximise(gain, 1.0 - other.p)
        answer = played_plan(subgame, 1 - responder, result.opponents[0])
    plans = (result.plan, answer) if responder == 0 else (answer, result.plan)
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
    """Check the accuracy of an answer of the linear program.

    Args:
        error: by how much it is off, in chips.
        unit: the size of payoffs that counts, in chips: the largest, or `usual_payoff`.

    Raises:
        LPError: the error is more than rounding.
    """
    from counterplay.solvers.lp import LPError

    if not error <= _ROUNDING * unit:
        raise LPError(
            f"the linear program is off by {error:.2g} chips, as happens where payoffs or chances differ greatly in size"
        )


def usual_payoff(subgame: Subgame, plans: tuple[F64, F64]) -> float:
    """The mean amount that changes hands under two plans, (size,) each, or the median payoff if that is more; in chips. A
    payoff that both avoid, as a fine for an illegal move, may be as large as one likes.
    """
    rows = subgame.leaves.rows
    met = np.repeat(plans[0], np.diff(rows.start)) * plans[1][rows.column]
    return max(float((np.abs(rows.value) * met).sum()), _median_payoff(subgame))


def _median_payoff(subgame: Subgame) -> float:
    """The median size of all payoffs but 0, each with its probability by chance; 0 if there is none."""
    sizes = np.abs(subgame.leaves.rows.value)
    return float(np.median(sizes[sizes > 0.0])) if sizes.any() else 0.0


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

    Raises:
        LPError: the linear program is not exact.
        KeyboardInterrupt: Ctrl-C cut it short.
    """
    own = getattr(game, "equilibrium", None)
    if own is not None:
        known: Solution = own(progress)
        return known
    found = equilibrium(game.subgame, progress)
    if found.method == "lp" and game.subgame not in _CHECKED:
        check_exact(found.nash_conv, usual_payoff(game.subgame, found.plans))
        _CHECKED.add(game.subgame)
    return found


def equilibrium(subgame: Subgame, progress: Progress | None = None) -> Solution:
    """An equilibrium, computed once per subgame: exact by LP up to `LP_UP_TO` payoff entries, else iterated to a
    millionth of the largest payoff.

    Raises:
        KeyboardInterrupt: Ctrl-C cut it short, and results derived from its value would be wrong.
    """
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
