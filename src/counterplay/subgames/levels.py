"""Levels: how far down a history is, counted in what the players do and what chance shows to both.

A level is one action of a player, or one public event of chance (the board card of Leduc); private deals do not count. A
serialised simultaneous move is a level of its own (readings of the CDRNR paper).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.games.game import CHANCE
from counterplay.jit import kernel
from counterplay.subgames.compile import GameTree

Ints = NDArray[np.int32]


def history_levels(game: GameTree) -> Ints:
    """(H,) the level of each history; 0 at the root."""
    table = game.histories
    return np.asarray(_levels(table.parent, table.player, table.info[0], table.info[1], CHANCE), np.int32)


def lane_levels(game: GameTree, player: int) -> Ints:
    """(lanes,) the level at which each infoset of a player stands; -1 in padding lanes. Where an infoset holds histories
    of several levels, the least."""
    table, tree = game.histories, game.trees[player]
    here = np.flatnonzero(table.player == player)
    lane = game.lanes[player][table.info[player][here]]
    here, lane = here[lane >= 0], lane[lane >= 0]
    levels = np.full(tree.lanes, np.iinfo(np.int32).max, np.int32)
    np.minimum.at(levels, lane, history_levels(game)[here])
    levels[levels == np.iinfo(np.int32).max] = -1
    return levels


@kernel
def _levels(parent: Any, player: Any, info0: Any, info1: Any, chance: int) -> Any:
    level = np.zeros(len(parent), np.int32)
    for h in range(1, len(parent)):
        up = parent[h]
        step = 1
        if player[up] == chance:
            step = 1 if info0[h] != info0[up] and info1[h] != info1[up] else 0
        level[h] = level[up] + step
    return level
