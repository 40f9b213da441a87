"""The inputs of re-solving a board for one player, and the unit of each gadget."""

from __future__ import annotations

import numpy as np

from counterplay.blueprints.whole_game.board_subtree import BoardSubtree
from counterplay.lookahead.resolver import Knowledge
from counterplay.lookahead.search import Search
from counterplay.poker.public_tree.hand_treeplex import DEAL
from counterplay.poker.whole_game.holdem import Floats
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.subgames.plan_store import ArrayPlans
from counterplay.treeplex.strategy import Strategy


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
    """The inputs of re-solving a board, from strategies of the whole game; only this branch of them is read.

    Args:
        piece: the board; its resolver searches.
        blueprint: strategy of both players before the board.
        model: model of the opponent, for p and alpha.
        search: gadget, p, tremble.
        profile: alternative values are those of the opponent's part of the blueprint, not of a best response.
        error, draw: see `Knowledge`.
    """
    me, subgame = piece.resolver, piece.whole.subgame
    own, other = (piece.whole.runs[i].tree for i in (me, 1 - me))
    mine, theirs = piece.behaviour(blueprint, me), piece.behaviour(blueprint, 1 - me)
    deals = [slice(s := int(piece.whole.runs[i].start[DEAL]), s + piece.size) for i in (me, 1 - me)]
    if not mine[deals[0]].any():  # the line is one that our own play never takes: any hand may be here
        mine[deals[0]] = 1.0
    came, known = theirs[deals[1]], None
    if model is not None:
        follows = piece.behaviour(model, 1 - me)
        if search.p == 1.0:
            if not follows[deals[1]].any():  # a model that never comes says nothing of who did
                follows[deals[1]] = came if came.any() else 1.0
            theirs[deals[1]] = follows[deals[1]]
        elif search.p > 0.0:
            met = piece.weight(Strategy(own, mine).plan)
            follows[deals[1]] /= _mass(search, came, follows[deals[1]], met)
        known = ArrayPlans.of(subgame, Strategy(other, follows))
    plans = ArrayPlans.of(subgame, Strategy(own, mine), Strategy(other, theirs))
    return Knowledge(plans, known, profile, error, draw)


def _mass(search: Search, came: Floats, follows: Floats, met: Floats) -> float:
    """The divisor of the model's range that gives it the weight of the opponent who is not the model: if each hand
    decides whether to enter, each may with probability 1; if one is chosen, all of them together; a given range has the
    weight of the blueprint's.

    Args:
        came, follows: (hands,) ranges of the opponent's part of the blueprint and of the model.
        met: (hands,) the weight of the resolver's range that each of them meets.
    """
    if not search.gadget.fixes_range and not search.gadget.chooses_one:
        return 1.0
    weights = follows * met if search.tremble.normalised else follows
    total = float((came if search.gadget.fixes_range else weights).sum())
    return total if total > 0.0 else 1.0
