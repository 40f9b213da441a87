"""The boards and segments of a public tree as arrays, and the positions of what is stored and of what is worked on."""

from __future__ import annotations

from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.poker.betting.tree import BettingTree
from counterplay.poker.compact.layout.board_rows import BoardRows
from counterplay.poker.compact.layout.own_lanes import OwnLanes
from counterplay.poker.compact.layout.segments import (
    Followed,
    Segment,
    SegmentDecision,
    SegmentLeaf,
    cut_segments,
    part_of,
    rows_before,
)  # fmt: skip
from counterplay.poker.compact.layout.streets import (
    COLUMNS,
    DEAL,
    FOLDED,
    LAYER,
    NO_LEAF,
    NODE,
    NODE_END,
    OF_PLAYER,
    OWN,
    PLAYERS,
    ROWS,
    SCALES,
    SHOWN,
    START,
    Streets,
)  # fmt: skip
from counterplay.poker.public_tree.boards import Tables, tables_of
from counterplay.poker.public_tree.bundled_boards import may_bundle
from counterplay.poker.public_tree.public_tree import PublicTree, boards_of
from counterplay.poker.public_tree.suit_isomorphism import IsomorphicBoards
from counterplay.treeplex.treeplex import LANES


class CompactLayout:
    """Positions of all that a sweep works on, which begins with a part of the tree, by default at the root.

    Attributes:
        own: both players' lanes.
        bundled: whether last boards are bundled (see `public_tree.bundled_boards`).
        whole: the betting street by street.
        segments: the same, and last the part that sweeps begin with, if it is not the whole.
        room: distance of the hands of terminals that are moved to the order of a board.
    """

    def __init__(self, betting: BettingTree, tables: Tables, part: int | None = None) -> None:
        self.betting, self.tables, self.boards = betting, tables, tables.boards
        self.whole = cut_segments(betting)
        self.segments, self._within = self.whole, 0
        if part is not None:
            self._within = next(k for k, one in enumerate(self.whole) if part in one.entered)
            self.segments = [*self.whole, part_of(self.whole[self._within], part, int(betting.end[part]))]
        self.bundled = may_bundle(betting, self.boards) and not any(one.shown for one in self.whole)
        self.own = OwnLanes(self.boards, 0, bundled=self.bundled), OwnLanes(self.boards, 1, bundled=self.bundled)
        self.room = _odd(max(board.hands for board in tables.widest))
        self.number = {one.root: k for k, one in enumerate(self.whole)}

    @property
    def depth(self) -> int:
        return len(self.boards.layers)

    @cached_property
    def stored(self) -> tuple[int, int]:
        """Numbers stored of each player, of one kind."""
        first, second = self._starts[-1, :, 0].tolist()
        return first, second

    @cached_property
    def scales(self) -> tuple[int, int]:
        """Decisions of each player on all boards: blocks of 16-bit numbers."""
        first, second = self._starts[-1, :, 1].tolist()
        return first, second

    @cached_property
    def _starts(self) -> I64:
        """(segments + 1, players, 2) where the numbers and the scales of each segment begin, and last where they end."""
        sizes = np.zeros((len(self.whole) + 1, 2, 2), np.int64)
        for k, one in enumerate(self.whole, 1):
            for player in (0, 1):
                padded = self.own[player].layers[one.layer].padded
                sizes[k, player] = (one.rows[player] - 1) * padded[-1], len(one.own(player)) * (len(padded) - 1)
        return np.cumsum(sizes, axis=0)

    def blocks(self, player: int, segment: int, decision: SegmentDecision, boards: Any) -> Any:
        """The numbers of a decision on (n,) boards of its layer, among all of the player's decisions on all boards."""
        own = len(self.whole[segment].own(player))
        return int(self._starts[segment, player, 1]) + own * boards + decision.rank

    @cached_property
    def ranges(self) -> tuple[F64, F64]:
        """Per player (own lanes of the first board,) the range."""
        hands, weights = self.boards.layers[0].hand[self.boards.kept(0)], self.boards.cards.weights
        first, second = (np.ascontiguousarray(weights[k][hands[self.own[k].layers[0].kept]]) for k in (0, 1))
        return first, second

    def starts(self, player: int) -> I64:
        """(segments + 1,) where a player's numbers of each segment begin, and where the last ones end."""
        return self._starts[:, player, 0]

    def rows_of(self, player: int, segment: int, boards: Any) -> tuple[Any, Any]:
        """Where the rows of a segment begin among a player's numbers, on (n,) boards of its layer, and their distances."""
        one = self.whole[segment]
        first = self.own[player].layers[one.layer].padded
        begin = int(self._starts[segment, player, 0]) + (one.rows[player] - 1) * first[boards]
        return begin, first[np.add(boards, 1)] - first[boards]

    @cached_property
    def streets(self) -> Streets:
        """All of it for the kernels."""
        boards, shares, up = BoardRows(self.tables, self.own, bundled=self.bundled).joined()
        segments, nodes, leaves = self._segments()
        strides = np.array(
            [_odd(own.layers[layer].widest) for layer in range(self.depth) for own in self.own], np.int64
        )
        self.boards.forget_ways()
        return Streets(
            boards, shares, segments, nodes, leaves, strides, up,
            self.tables.pairs, self.tables.steps,
        )  # fmt: skip

    def _segments(self) -> tuple[I64, I64, I64]:
        rows = np.zeros((len(self.segments), PLAYERS + 2 * OF_PLAYER), np.int64)
        nodes: list[list[int]] = []
        leaves: list[tuple[int, ...]] = []
        for k, (row, one) in enumerate(zip(rows, self.segments, strict=True)):
            home = k if k < len(self.whole) else self._within
            starts = self._starts[home]
            row[LAYER], row[NODE] = one.layer, len(nodes)
            for player in (0, 1):
                at = PLAYERS + player * OF_PLAYER
                row[[at + ROWS, at + START, at + SCALES]] = one.rows[player] - 1, *starts[player]
                row[at + OWN] = len(self.whole[home].own(player))
            nodes += [[node.player, node.actions, node.parent, node.row, node.rank] for node in one.decisions]
            row[NODE_END] = len(nodes)
            before = {leaf.node: rows for rows, leaf, _ in self.followed(one)}
            for column, listed in ((DEAL, one.deals), (SHOWN, one.shown), (FOLDED, self.folds_of(one))):
                row[column] = len(leaves)
                leaves += [(*leaf.rows, self._after(leaf), *before.get(leaf.node, (0, 0))) for leaf in listed]
                row[column + 1] = len(leaves)
        return rows, np.array(nodes, np.int64).reshape(-1, COLUMNS), np.array(leaves, np.int64).reshape(-1, 5)

    def stride(self, layer: int, player: int) -> int:
        """The distance of a player's rows in a working set of a layer."""
        return int(self.streets.strides[2 * layer + player])

    def followed(self, segment: Segment) -> list[Followed]:
        """What follows a segment on a last board, if that is its next one."""
        if segment.layer + 2 != self.depth:
            return []
        listed = [*segment.deals, *segment.shown]
        after = [self._after(leaf) for leaf in listed]
        return rows_before(listed, [None if k == NO_LEAF else self.whole[k] for k in after])

    def folds_of(self, segment: Segment) -> list[SegmentLeaf]:
        """The terminals of a segment whose hands are moved to the order of their board: none on the last street."""
        return segment.ends if segment.layer + 1 < self.depth else []

    def _after(self, leaf: SegmentLeaf) -> int:
        after = self.betting.children(leaf.node)
        return self.number[after[0]] if after else NO_LEAF


def _odd(lanes: int) -> int:
    """So many lanes or a few more, an odd number of vectors: rows of a working set then do not share sets of the cache."""
    vectors = -(-lanes // LANES)
    return LANES * (vectors + 1 - vectors % 2)


_LAYOUTS: WeakKeyDictionary[PublicTree, dict[bool, CompactLayout]] = WeakKeyDictionary()


def layout_of(tree: PublicTree, *, alike: bool = False) -> CompactLayout:
    """The layout of a tree of all boards, computed once, so that strategies of it can be met without being moved; with
    `alike` isomorphic suits are dealt once."""
    known = _LAYOUTS.setdefault(tree, {})
    if alike not in known:
        boards = boards_of(tree.betting, tree.boards.cards, alike=True) if alike else None
        folded = isinstance(boards, IsomorphicBoards)
        if alike and not folded:
            return layout_of(tree)
        known[alike] = CompactLayout(tree.betting, tables_of(boards) if boards is not None else tree.tables)
    return known[alike]
