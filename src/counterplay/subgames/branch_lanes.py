"""A player's decisions inside subtrees of a game, and on the path to them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import numpy as np

from counterplay.arrays import AnyArray, Flags
from counterplay.treeplex.treeplex import Treeplex


class Branch(Protocol):
    """The decisions of a `Subtree`."""

    def tops(self, player: int) -> AnyArray:
        """(n,) the sequences by which a player reaches the roots."""

    def lanes(self, player: int) -> Flags:
        """(lanes,) of the whole game, whether each is a player's decision inside."""


def lanes_inside(tree: Treeplex, branches: Iterable[Branch]) -> Flags:
    """(lanes,) the player's infosets in the subtrees."""
    out = np.zeros(tree.lanes, np.bool_)
    for branch in branches:
        out |= branch.lanes(tree.player)
    return out


def lanes_before(tree: Treeplex, branches: Iterable[Branch]) -> Flags:
    """(lanes,) the player's infosets on the path to a subtree."""
    out = np.zeros(tree.lanes, np.bool_)
    for branch in branches:
        lanes = np.unique(tree.owner[branch.tops(tree.player)])
        while len(lanes := lanes[lanes >= 0]):
            out[lanes] = True
            lanes = np.unique(tree.owner[tree.arrays.parent[lanes]])
    return out
