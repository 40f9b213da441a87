"""How often chance and one player bring the other to each of their infosets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from counterplay.gametree.compile.compile import GameTree

Floats = NDArray[np.float64]


def brought_to(game: GameTree, player: int, plan: Floats) -> Floats:
    """(lanes,) the probability with which chance and the other player's plan bring a player to each infoset, if the player
    wants to get there.

    Args:
        game: compiled.
        player: whose infosets.
        plan: (size,) of the other player.
    """
    table = game.histories
    here = np.flatnonzero(table.player == player)
    lane = game.lanes[player][table.info[player][here]]
    reach = table.reach[here] * plan[game.sequences[1 - player][here]]
    inner = lane >= 0
    found: Floats = np.bincount(lane[inner], reach[inner], game.trees[player].lanes).astype(np.float64)
    return found
