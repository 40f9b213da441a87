"""Counterfactual reach of a player's infosets."""

from __future__ import annotations

import numpy as np

from counterplay.arrays import F64
from counterplay.gametree.compile.compile import GameTree


def counterfactual_reach(game: GameTree, player: int, plan: F64) -> F64:
    """(lanes,) the counterfactual reach of a player's infosets: the probability with which chance and the other
    player's `plan`, (size,), let the player get there."""
    table = game.histories
    here = np.flatnonzero(table.player == player)
    lane = game.lanes[player][table.info[player][here]]
    reach = table.reach[here] * plan[game.sequences[1 - player][here]]
    inner = lane >= 0
    counterfactual: F64 = np.bincount(lane[inner], reach[inner], game.trees[player].lanes).astype(np.float64)
    return counterfactual
