"""The terminals of a public tree as a record: the input of the payoff, its layout and its branches."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from counterplay.poker.betting.state import Kind
from counterplay.poker.betting.tree import BettingTree
from counterplay.poker.public_tree.board_tables import Tables
from counterplay.poker.public_tree.hand_treeplex import HandTreeplex, layer_of


class PublicNode(NamedTuple):
    """A node of a public tree: a betting node on a board, given by its layer and its number there."""

    node: int = 0
    layer: int = 0
    board: int = 0


@dataclass(frozen=True, eq=False)
class PublicTerminals:
    """All folds and showdowns of a betting tree on all boards, and the positions of both players' hands.

    Attributes:
        betting: the betting tree.
        tables: the hands of each board.
        runs: the positions of both players' hands in their plans.
        unit: the weight of a chip: 1 over the weight of all pairs of hands.
        part: only the terminals below this node; the root for all.
    """

    betting: BettingTree
    tables: Tables
    runs: tuple[HandTreeplex, HandTreeplex]
    unit: float
    part: PublicNode = field(default_factory=PublicNode)

    def terminals(self) -> dict[int, list[int]]:
        """The terminals of the part by layer."""
        found: dict[int, list[int]] = {}
        first, end = self.part.node, int(self.betting.end[self.part.node])
        for node in (first + np.flatnonzero(self.betting.kind[first:end] > int(Kind.DEAL))).tolist():
            found.setdefault(layer_of(self.betting, node), []).append(node)
        return found

    def span(self, layer: int) -> tuple[int, int]:
        """The boards of the part on a layer: first, and one past the last."""
        layers = self.tables.boards.layers
        begin, end = self.part.board, self.part.board + 1
        for k in range(self.part.layer + 1, layer + 1):
            begin, end = np.searchsorted(layers[k].parent, [begin, end]).tolist()
        return begin, end
