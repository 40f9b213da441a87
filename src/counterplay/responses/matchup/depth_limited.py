"""Complete strategies of players who search every decision: CDBR, CDRNR, continual re-solving, SES (Milec et al. 2024).

Solving all decisions gives the player's complete strategy, so that gain and exploitability can be measured exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from counterplay.lookahead.decisions import DecisionGroup, decision_groups
from counterplay.lookahead.off_path import decide
from counterplay.lookahead.search import LookAhead, Search
from counterplay.lookahead.state import SearchState
from counterplay.lookahead.step import decide_group
from counterplay.responses.matchup.any_matchup import AnyMatchup, Outcome
from counterplay.responses.matchup.stored_lookahead import street_responder
from counterplay.solvers.cfr import Stop, begin_part
from counterplay.solvers.equilibrium import pick
from counterplay.treeplex.restriction import check_p
from counterplay.value_functions.leaf_value import ValueFunction

ITERATIONS = 1000
"""Iterations of a look-ahead with a value function that is not linear, as in the paper, if no number is given; its gap need
not go to 0.
"""
MIXED_ITERATIONS = 5000
"""Iterations where 0 < p < 1 and a call of the value function is quick, as of a network. Many responses are about as good
there, so that gain and exploitability settle long after what is maximised.
"""


def search_all_decisions(
    match: AnyMatchup, look: LookAhead, p: float, alpha: float = 0.0, usual: int = ITERATIONS
) -> Search:
    """The search of every decision of a responder; `usual`: iterations over a value function if none are given."""
    check_p(p)
    solver, stop = match.solver, match.stop
    if solver == "auto":
        solver = pick(match.game.subgame).name
    if isinstance(look.leaf, ValueFunction) and stop.iterations == Stop.iterations:
        stop = replace(stop, iterations=usual)
    return Search(look, p, alpha, solver, stop)


def depth_limited(match: AnyMatchup, look: LookAhead, p: float, alpha: float = 0.0) -> Outcome:
    """The complete strategy by look-aheads in a game in memory: CDBR (p = 1), CDRNR, continual re-solving (p = 0), SES
    (p = 0, and alpha at the entries). Ctrl-C keeps the decisions and plans so far."""
    settles_late = 0.0 < p < 1.0 and getattr(look.leaf, "quick", False)
    search = search_all_decisions(match, look, p, alpha, MIXED_ITERATIONS if settles_late else ITERATIONS)
    chain = SearchState(match.game, match.seat, search, match.model)

    def solve(unit: DecisionGroup) -> None:
        if search.joint:
            decide_group(chain, unit)
        else:
            decide(chain, unit)

    return _searched(match, chain, decision_groups(match.game, match.seat, search.depth, search.joint), solve)


def depth_limited_by_street(match: AnyMatchup, look: LookAhead, p: float, alpha: float = 0.0) -> Outcome:
    """`depth_limited` in a spot, where a look-ahead decides a street."""
    search = search_all_decisions(match, look, p, alpha)
    chain = street_responder(match.game, match.seat, search, match.model)
    return _searched(match, chain, range(chain.streets), chain.solve)


def _searched(match: AnyMatchup, chain: Any, units: Sequence[Any], solve: Callable[[Any], None]) -> Outcome:
    """The strategy of a chain of look-aheads after its units are solved in turn, or those up to Ctrl-C."""
    try:
        for number, unit in enumerate(units):
            begin_part(match.progress, f"look-ahead {number + 1:,} of {len(units):,}")
            solve(unit)
            if chain.interrupted:
                break
    except KeyboardInterrupt:
        chain.interrupted = True
    return Outcome(chain.plan, chain.gap, chain.interrupted, str(chain.search.method), chain.behaviour)
