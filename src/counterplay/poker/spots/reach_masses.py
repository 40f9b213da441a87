"""How often a betting node of a solved spot is reached: by a player's hands, on all boards."""

from __future__ import annotations

import numpy as np

from counterplay.arrays import F64
from counterplay.poker.cards.compatible_hands import compatible_weight
from counterplay.poker.public_tree.hand_treeplex import layer_of
from counterplay.poker.spots.solution import SolvedSpot


def reach_at(solved: SolvedSpot, player: int, node: int) -> F64:
    """(places,) a player's reach of a node, all boards one after the other."""
    reach: F64 = np.maximum(solved.plans.reach(player)[solved.tree.sequences_to(player, node)], 0.0)
    return reach


def met_at(solved: SolvedSpot, player: int, node: int, *, always: bool = False) -> F64:
    """(places,) the reach of the other player's hands that can be dealt beside each hand of the player, times chance:
    times the own reach it is the probability per deal. always: as if the other player always came there."""
    tree = solved.tree
    layer = tree.boards.layers[layer_of(tree.betting, node)]
    dealt = tree.boards.cards.weights[1 - player]
    against, mass = dealt[layer.hand] if always else reach_at(solved, 1 - player, node), np.zeros(layer.places)
    for begin, end in zip(layer.first, layer.first[1:], strict=False):
        mass[begin:end] = compatible_weight(tree.boards.cards.hands[layer.hand[begin:end]], against[begin:end])
    mass *= tree.leaves.unit * layer.chance
    return mass


def odds_of(solved: SolvedSpot, node: int) -> float:
    """The probability per deal of reaching a decision."""
    player = int(solved.tree.betting.kind[node])
    return float(reach_at(solved, player, node) @ met_at(solved, player, node))
