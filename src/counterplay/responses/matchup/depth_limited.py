"""Responses by depth-limited look-aheads as complete strategies: CDBR, CDRNR, continual re-solving (Milec et al. 2024).

Every decision is searched as in `counterplay.lookahead`; solving all of them gives the player's complete strategy, so
that gain and exploitability can be measured exactly.
"""

from __future__ import annotations

from dataclasses import replace

from counterplay.lookahead.decisions import decision_groups
from counterplay.lookahead.off_path import decide
from counterplay.lookahead.search import LookAhead, Search
from counterplay.lookahead.state import SearchState
from counterplay.lookahead.step import decide_group
from counterplay.responses.matchup.outcome import Outcome
from counterplay.responses.matchup.pairing import Pairing
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
"""The same where 0 < p < 1 and the value function of a game in memory is quickly asked, as a network is. Many responses are
about as good there, so that gain and exploitability settle long after what is maximised.
"""


def search_all_decisions(
    match: Pairing, look: LookAhead, p: float, alpha: float = 0.0, usual: int = ITERATIONS
) -> Search:
    """The search of every decision of a responder; `usual`: iterations over a value function if none are given."""
    check_p(p)
    solver, stop = match.solver, match.stop
    if solver == "auto":
        solver = pick(match.game.subgame).name
    if isinstance(look.leaf, ValueFunction) and stop.iterations == Stop.iterations:
        stop = replace(stop, iterations=usual)
    return Search(look, p, alpha, solver, stop)


def depth_limited(match: Pairing, look: LookAhead, p: float, alpha: float = 0.0) -> Outcome:
    """The complete strategy of a player who searches every decision: CDBR (p = 1), CDRNR, continual re-solving (p = 0),
    SES (p = 0, and alpha at the entries).

    Ctrl-C keeps the decisions and plans so far.
    """
    settles_late = 0.0 < p < 1.0 and getattr(look.leaf, "quick", False)
    search = search_all_decisions(match, look, p, alpha, MIXED_ITERATIONS if settles_late else ITERATIONS)
    chain = SearchState(match.game, match.seat, search, match.model)
    todo = decision_groups(match.game, match.seat, search.depth, search.joint)
    try:
        for number, unit in enumerate(todo):
            begin_part(match.progress, f"look-ahead {number + 1:,} of {len(todo):,}")
            if search.joint:
                decide_group(chain, unit)
            else:
                decide(chain, unit)
            if chain.interrupted:
                break
    except KeyboardInterrupt:
        chain.interrupted = True
    return Outcome(chain.plan, chain.gap, chain.interrupted, str(search.method), chain.behaviour)


def depth_limited_by_street(match: Pairing, look: LookAhead, p: float, alpha: float = 0.0) -> Outcome:
    """The same in a spot, where a look-ahead decides a street."""
    search = search_all_decisions(match, look, p, alpha)
    chain = street_responder(match.game, match.seat, search, match.model)
    try:
        for street in range(chain.streets):
            begin_part(match.progress, f"look-ahead {street + 1} of {chain.streets}")
            chain.solve(street)
            if chain.interrupted:
                break
    except KeyboardInterrupt:
        chain.interrupted = True
    return Outcome(chain.plan, chain.gap, chain.interrupted, str(search.method), chain.behaviour)
