"""The inputs of re-solving a board for one player, and the unit of each gadget."""

from __future__ import annotations

import numpy as np

from counterplay.arrays import F64
from counterplay.blueprints.whole_game.board_strategy import BoardStrategy
from counterplay.blueprints.whole_game.board_subtree import BoardSubtree
from counterplay.lookahead.resolver import Knowledge
from counterplay.lookahead.search import Search
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.subgames.plan_store import ArrayPlans, Part


def known_at_board(
    piece: BoardSubtree,
    blueprint: BlueprintStrategy,
    model: BlueprintStrategy | None,
    search: Search,
    *,
    profile: bool = False,
    error: float = 0.0,
    draw: np.random.Generator | None = None,
) -> Knowledge:
    """The inputs of re-solving a board, from strategies of the whole game; only this branch of them is read."""
    me, subgame = piece.resolver, piece.whole.subgame
    own, other = (piece.came(blueprint, player) for player in (me, 1 - me))
    if not own.any():  # the line is one that our own play never takes: any hand may be here
        own = np.ones(piece.size)
    mine, known = BoardStrategy(piece, blueprint, me, own), None
    if model is not None:
        follows = piece.came(model, 1 - me)
        if search.p == 1.0:
            if not follows.any():  # a model that never comes says nothing of who did
                follows = other if other.any() else np.ones(piece.size)
            other = follows
        elif search.p > 0.0:
            follows = follows / _mass(search, other, follows, piece.weight(mine.plan))
        known = ArrayPlans(subgame, _pair(me, None, BoardStrategy(piece, model, 1 - me, follows)))
    plans = ArrayPlans(subgame, _pair(me, mine, BoardStrategy(piece, blueprint, 1 - me, other)))
    return Knowledge(plans, known, profile, error, draw)


def _pair(me: int, mine: Part, theirs: Part) -> tuple[Part, Part]:
    """Those of players 0 and 1."""
    return (mine, theirs) if me == 0 else (theirs, mine)


def _mass(search: Search, came: F64, follows: F64, met: F64) -> float:
    """The divisor of the model's range that gives it the weight of the opponent who is not the model: if each hand
    decides whether to enter, each may with probability 1; if one is chosen, all of them together; a given range has the
    weight of the blueprint's."""
    if not search.gadget.fixes_range and not search.gadget.chooses_one:
        return 1.0
    weights = follows * met if search.tremble.normalised else follows
    total = float((came if search.gadget.fixes_range else weights).sum())
    return total if total > 0.0 else 1.0
