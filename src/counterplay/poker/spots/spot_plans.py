"""Plans of a spot: a plan store with the values of hands at a node of the public tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from counterplay.poker.public_tree.payoff import ShowdownPayoff
from counterplay.poker.public_tree.public_terminals import PublicNode
from counterplay.poker.public_tree.public_tree import PublicTree
from counterplay.subgames.plan_store import ArrayPlans, GamePlans, PlayerPlan
from counterplay.treeplex.sweeps import values

Floats = NDArray[np.float64]


class SpotPlans(GamePlans, Protocol):
    """Both players' strategies in a spot."""

    def values_at(self, player: int, part: PublicNode) -> Floats:
        """(hands,) CFVs of a player's strategy in a part of the tree, for the hands of its board in the order of
        `boards.Layer`; chips of the player times chance's and the other's reach."""


@dataclass(frozen=True, eq=False)
class ArraySpotPlans(ArrayPlans):
    """Plans as arrays of the whole tree.

    Attributes:
        tree: the public tree.
    """

    tree: PublicTree

    @staticmethod
    def of_tree(tree: PublicTree, plans: tuple[Floats, Floats]) -> ArraySpotPlans:
        """The store of the realization plans of oop and ip, (size of tree 0,) and (size of tree 1,)."""
        first, second = (PlayerPlan(runs.tree, plan) for runs, plan in zip(tree.runs, plans, strict=True))
        return ArraySpotPlans(tree.subgame, (first, second), tree)

    def values_at(self, player: int, part: PublicNode) -> Floats:
        """(hands,) CFVs in a part of the tree (see `SpotPlans`)."""
        tree, layer = self.tree, self.tree.boards.layers[part.layer]
        payoff = ShowdownPayoff(tree.betting, tree.tables, tree.runs, tree.leaves.unit, part)
        cfv = values(tree.runs[player].tree, self.behaviour(player), payoff.product(player, self.reach(1 - player)))
        hands = slice(int(layer.first[part.board]), int(layer.first[part.board + 1]))
        return np.asarray(cfv[tree.sequences_to(player, part.node, part.layer)[hands]], np.float64)
