"""Responses by look-aheads of limited depth as whole strategies: CDBR, CDRNR, continual re-solving (Milec et al. 2024).

Every decision is searched as `counterplay.resolving` has it; solving all of them gives the strategy that such a player has,
so that gain and exploitability can be measured exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from counterplay.errors import InputError, quoted
from counterplay.gametree.compile.compile import GameTree
from counterplay.gametree.compile.levels import Depth
from counterplay.leaf_values.leaf_value import ValueFunction
from counterplay.lookahead.decisions import decision_groups
from counterplay.lookahead.off_path import decide
from counterplay.lookahead.search import Search, Value, value_function
from counterplay.lookahead.state import SearchState
from counterplay.lookahead.step import decide_group
from counterplay.lookahead.tremble import Tremble
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.responses.matchup import Matchup, Outcome
from counterplay.responses.street_lookahead import StreetResponder
from counterplay.solvers.equilibrium import pick
from counterplay.subgames.gadgets import FullGadget, Gadget, Resolving, gadget_of
from counterplay.treeplex.restriction import check_p

JOINT, PER_STATE = WAYS = ("joint", "per-state")
BY_LEVEL, BY_DECISION = "by level", "by own decision"
"""How a look-ahead steps: all public states of a level at once, as no player in a game could, or each own decision alone."""
ITERATIONS = 1000
"""Iterations of a look-ahead with a value function that is not linear, as in the paper; its gap need not go to 0."""
Step = Callable[[int, int], None]
"""Called before each step with its number, from 1, and how many there are."""


@dataclass(frozen=True, eq=False)
class LookSettings:
    """How a method looks ahead.

    Attributes:
        depth: how far.
        gadget: how the opponent who is not the model enters; None where the method has no such opponent.
        value: what stands behind the limit; None is exact.
        ways: `joint` solves all public states of a level together, `per-state` each alone, as in play.
        tremble: toward a prior, and whether infosets count alike; its alpha is the method's dial.
    """

    depth: Depth
    gadget: Gadget | None = FullGadget()  # noqa: RUF009 - frozen
    value: Value | None = None
    ways: str = JOINT
    tremble: Tremble = field(default_factory=Tremble)

    @property
    def steps(self) -> str:
        """What is solved at once."""
        return BY_LEVEL if self.ways == JOINT else BY_DECISION

    @property
    def value_name(self) -> str:
        """The value function as on the command line."""
        return "exact" if self.value is None else self.value.name


def look_of(
    depth: Any, gadget: Any, value: Any, ways: str | None, usual: str | None, tremble: Tremble | None = None
) -> LookSettings:
    """The look-ahead that is meant.

    Args:
        depth: a number of levels, `round`, or a `Depth`.
        gadget: by name, or one of your own.
        value: see `value_function`.
        ways: `joint` (the default) or `per-state`.
        usual: the method's gadget if none is named; None where it has no opponent but the model.
        tremble: at the gadget's decisions.

    Raises:
        InputError: naming what is wrong.
    """
    wanted = gadget if gadget is not None else usual
    entered = None if wanted is None else gadget_of(wanted)
    if gadget is not None and usual is None:
        raise InputError("cdbr faces the model alone and takes no gadget")
    if ways is not None and ways not in WAYS:
        raise InputError(f"a look-ahead is solved {' or '.join(WAYS)}, not {quoted(ways)}")
    look = LookSettings(Depth.of(depth), entered, value_function(value), ways or JOINT, tremble or Tremble())
    look.tremble.check(look.gadget or FullGadget())
    return look


def search_all_decisions(match: Matchup, look: LookSettings, p: float, alpha: float = 0.0) -> Search:
    """The search of every decision of a responder."""
    check_p(p)
    solver, stop = match.solver, match.stop
    if solver == "auto":
        solver = pick(match.game.subgame).name
    if isinstance(look.value, ValueFunction):
        stop = replace(stop, iterations=min(stop.iterations, ITERATIONS))
    gadget = look.gadget or Resolving()
    tremble = replace(look.tremble, alpha=alpha, normalised=look.tremble.normalised or alpha > 0.0)
    return Search(look.depth, p, gadget, look.value, solver, stop, joint=look.ways == JOINT, tremble=tremble)


def depth_limited(
    match: Matchup, look: LookSettings, p: float, alpha: float = 0.0, step: Step | None = None
) -> Outcome:
    """The complete strategy of a player who searches every decision: CDBR (p = 1), CDRNR, continual re-solving (p = 0), SES
    (p = 0, and alpha at the entries).

    Ctrl-C keeps what is decided and planned so far.
    """
    search = search_all_decisions(match, look, p, alpha)
    if isinstance(match.game, SpotGame):
        return _by_street(match, match.game, search, step)
    if not isinstance(match.game, GameTree):
        raise InputError(f"look-aheads need a compiled game, and {match.game.name} is none")
    chain = SearchState(match.game, match.seat, search, match.model)
    todo = decision_groups(match.game, match.seat, look.depth, search.joint)
    try:
        for number, unit in enumerate(todo):
            if step:
                step(number + 1, len(todo))
            if search.joint:
                decide_group(chain, unit)
            else:
                decide(chain, unit)
            if chain.interrupted:
                break
    except KeyboardInterrupt:
        chain.interrupted = True
    return Outcome(chain.plan, chain.gap, chain.interrupted, search.method, chain.behaviour)


def _by_street(match: Matchup, game: SpotGame, search: Search, step: Step | None) -> Outcome:
    """The same on ranges, where a look-ahead decides a street."""
    chain = StreetResponder(game, match.seat, search, match.model)
    try:
        for street in range(chain.streets):
            if step:
                step(street + 1, chain.streets)
            chain.solve(street)
            if chain.interrupted:
                break
    except KeyboardInterrupt:
        chain.interrupted = True
    return Outcome(chain.plan, chain.gap, chain.interrupted, search.method, chain.behaviour)
