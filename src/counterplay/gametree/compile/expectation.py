"""Expectations over the tree of histories: probabilities of the step to each history, and sums from below."""

from __future__ import annotations

from typing import Any

import numpy as np

from counterplay.arrays import F64
from counterplay.gametree.compile.compile import GameTree
from counterplay.jit import kernel


def chance_odds(game: GameTree) -> F64:
    """(H,) chance's probability of the step that leads to each history; 1 where a player acts."""
    table = game.histories
    before = np.where(table.parent >= 0, table.reach[table.parent], 1.0)
    return np.divide(table.reach, before, out=np.zeros(len(table)), where=before > 0.0)


def player_odds(game: GameTree, player: int, behaviour: F64) -> F64:
    """(H,) the probability of the action that leads to each history, where it is the player's; 1 elsewhere.

    Args:
        game: compiled.
        player: 0 or 1.
        behaviour: (size,) of the player.
    """
    table = game.histories
    up = table.parent
    own = (up >= 0) & (table.player[up] == player)
    own[own] = game.lanes[player][table.info[player][up[own]]] >= 0
    odds = np.ones(len(table))
    odds[own] = behaviour[game.sequences[player][own]]
    return odds


@kernel
def sum_up(parent: Any, inside: Any, odds: Any, worth: Any) -> None:
    """worth[h] += Σ odds · worth of its children, for children that are `inside`; children stand after their parents."""
    for h in range(len(parent) - 1, 0, -1):
        if inside[h]:
            worth[parent[h]] += odds[h] * worth[h]
