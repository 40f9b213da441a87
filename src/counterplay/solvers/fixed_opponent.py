"""Problems whose opponent has no choice: one sweep solves them."""

from __future__ import annotations

from counterplay.problem.subgame import Subgame
from counterplay.solvers.best_response import best_response
from counterplay.solvers.cfr import Solution


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
    found = best_response(subgame, responder, theirs)
    mine = subgame.restrictions[responder].played(own, found.behaviour)
    plans = (mine, theirs) if responder == 0 else (theirs, mine)
    return Solution(plans, found.value if responder == 0 else -found.value, 0.0, "sweep", 0, 0.0)
