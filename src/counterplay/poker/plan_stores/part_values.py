"""Values of hands in a part of a large public tree, from one sweep of what follows the part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.poker.compact.averages import Averages
from counterplay.poker.compact.compact_sweeps import TrunkEntry
from counterplay.poker.compact.layout.compact_layout import CompactLayout
from counterplay.poker.compact.sequence_reader import SequenceReader
from counterplay.poker.compact.way_memory import WeightedMemory
from counterplay.poker.public_tree.hand_treeplex import layer_of_last_choice
from counterplay.poker.public_tree.public_terminals import PublicNode
from counterplay.poker.public_tree.public_tree import PublicTree


@dataclass(frozen=True, eq=False)
class PartValues:
    """CFVs below nodes.

    Attributes:
        tree: the tree of all boards.
        reader: reads what is played.
    """

    tree: PublicTree
    reader: SequenceReader

    @property
    def averages(self) -> Averages:
        """What is played."""
        return self.reader.averages

    def cfvs(self, player: int, part: PublicNode, asked: Sequence[int | None]) -> F64:
        """(hands, rows) CFVs of a player below a node, by hand of its board: of actions, or for None of coming there; NaN
        for hands that are not in the player's range at the start."""
        layout = CompactLayout(self.tree.betting, self.averages.layout.tables, part.node)
        dealt, first = layout.boards, self.tree.boards.layers[part.layer].first
        lanes = self.reader.lanes[part.layer][first[part.board] : first[part.board + 1]]
        begins = dealt.first(part.layer)
        board = int(np.searchsorted(begins, lanes[0], "right")) - 1
        inside, count = lanes - begins[board], int(begins[board + 1] - begins[board])
        rows = layout.segments[-1].entered[part.node]
        mine, other = (layout.own[side].of_board(part.layer, board) for side in (player, 1 - player))
        theirs = []
        for way in self.averages.sides[1 - player]:
            reach = np.zeros(count)
            reach[inside] = self._comes(1 - player, way, part)
            theirs.append(reach[other])
        entry = TrunkEntry((rows[0], rows[1]), np.zeros(len(mine)), tuple(theirs))
        cfvs = self.averages.below(player, layout, int(layout.tables.first[part.layer]) + board, entry)
        stride = layout.stride(part.layer, player)
        sharing = np.bincount(_places_of(layout, part.layer, board), minlength=count)
        found = []
        for action in asked:
            row = rows[player] if action is None else self.averages.decisions[part.node][1].row + action
            each = list[F64]()
            for one in cfvs:
                every = np.full(count, np.nan)
                every[mine] = one[row * stride : row * stride + len(mine)]
                each.append((every / sharing)[inside])
            found.append(self._joined(player, part, action, each))
        return np.stack(found, axis=1)

    def _joined(self, player: int, part: PublicNode, action: int | None, numbers: list[F64]) -> F64:
        """(hands,) numbers of each way at a node or at one of its actions, weighted by how often the player comes there."""
        runs, ways, first = (
            self.tree.runs[player],
            self.averages.sides[player],
            self.tree.boards.layers[part.layer].first,
        )
        if action is None:
            after, places = int(runs.before[part.node]), self._places(player, part)
        else:
            after = int(self.tree.betting.children(part.node)[action])
            places = np.arange(first[part.board], first[part.board + 1])
        return self.reader.joined(player, ways, after, places, numbers)

    def _comes(self, player: int, way: WeightedMemory, part: PublicNode) -> F64:
        """(hands,) a player's reach of a node in one way, for the hands of its board."""
        return self.reader.reach_in(
            player, way, int(self.tree.runs[player].before[part.node]), self._places(player, part)
        )

    def _places(self, player: int, part: PublicNode) -> I64:
        """(hands of the board,) the places where their player's last choice before a node was made."""
        tree, first = self.tree, self.tree.boards.layers[part.layer].first
        up = tree.boards.above(part.layer, layer_of_last_choice(tree.betting, tree.runs[player], part.node))
        return up[first[part.board] : first[part.board + 1]]


def _places_of(layout: CompactLayout, layer: int, board: int) -> I64:
    """(hands of a board,) the lane of each."""
    here, boards = layout.boards.layers[layer], layout.boards
    lanes = boards.above(layer, layer)[here.first[board] : here.first[board + 1]]
    return np.asarray(lanes - boards.first(layer)[board], np.int64)
