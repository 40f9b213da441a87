"""Values of a solved spot for both players, net and as EV (see `poker.betting.stakes`), with or without rake."""

from __future__ import annotations

from typing import Any

import numpy as np

from counterplay.arrays import F64
from counterplay.poker.betting.stakes import SOLUTION, Stakes
from counterplay.poker.cards.deck import compatible_weight
from counterplay.poker.public_tree.hand_treeplex import layer_of
from counterplay.poker.public_tree.public_tree import PublicTree
from counterplay.poker.spots.solution import SolvedSpot
from counterplay.solvers.cfr import Solution


def value_of(tree: PublicTree, player: int, solution: Solution) -> float:
    """What a player wins by the strategies of a solution, in net chips."""
    return float(solution.plans[player] @ tree.leaves.product(player, solution.plans[1 - player]))


def worth_of(tree: PublicTree, stakes: Stakes, pot: float, solution: Solution) -> dict[str, Any]:
    """As facts: what oop wins by the strategies, the EV of both, as at the root, both and exploitability in other units, and
    the effect of a rake."""
    first, second = (value_of(tree, player, solution) for player in (0, 1))
    return worth_facts((first, second), solution.exploitability, stakes, pot, raked=tree.betting.rules.rake > 0.0)


def worth_facts(
    values: tuple[float, float], exploitability: float, stakes: Stakes, pot: float, *, raked: bool
) -> dict[str, Any]:
    """The facts of `worth_of` from both players' values in net chips."""
    told: dict[str, Any] = {"value": values[0], "ev": [0.5 * pot + value for value in values]}
    told |= {"pot": stakes.pot, "big_blind": stakes.big_blind}
    told |= stakes.facts({"value": values[0], "exploitability": exploitability})
    if raked:
        told |= {"rake": -sum(values), "note": SOLUTION}
    return told


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
