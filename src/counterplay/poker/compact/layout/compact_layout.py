"""The boards and segments of a public tree as arrays, and the positions of what is stored and of what is worked on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from counterplay.arrays import F64, I32, I64, AnyArray, Flags
from counterplay.jit import kernel
from counterplay.poker.betting.tree import BettingTree
from counterplay.poker.compact.layout.segments import (
    Followed,
    Segment,
    SegmentDecision,
    SegmentLeaf,
    cut_segments,
    part_of,
    rows_before,
)
from counterplay.poker.public_tree.boards import (
    Boards,
    IsomorphicBoards,
    Tables,
    bundles_of,
    may_bundle,
    tables_of,
    widths_of,
)
from counterplay.poker.public_tree.public_tree import PublicTree, boards_of
from counterplay.poker.showdown.terminals import BOARD_COLUMNS
from counterplay.treeplex.treeplex import LANES


@dataclass(frozen=True, eq=False)
class LayerLanes:
    """A player's lanes of one layer.

    Attributes:
        number: (lanes of the layer,) int32, for each lane the player's own number of it, -1 if it is not held.
        kept: (own lanes,) int32, for each own lane its number among all, or one of its numbers in a bundle.
        first: (boards + 1,) own lanes before each board, or each bundle of boards; padded: the same, each padded to whole
            vectors.
    """

    number: I32
    kept: I32
    first: I64
    padded: I64

    @property
    def widest(self) -> int:
        """The most own lanes of a board, padded."""
        return int(np.diff(self.padded).max())


@dataclass(frozen=True, eq=False)
class OwnLanes:
    """A player's lanes of all layers; with `every` all lanes count as held, for values of hands outside the range, with
    `bundled` last boards are bundled (see `public_tree.boards`)."""

    boards: Boards
    player: int
    every: bool = False
    bundled: bool = False

    @cached_property
    def layers(self) -> list[LayerLanes]:
        return [self._layer(number) for number in range(len(self.boards.layers))]

    def held(self, layer: int) -> Flags:
        """(places,) whether the player may hold the hand."""
        weights = self.boards.cards.weights[self.player][self.boards.layers[layer].hand]
        return np.ones(len(weights), np.bool_) if self.every else np.asarray(weights > 0.0)

    @cached_property
    def most(self) -> list[int]:
        """The most hands of a board, layer by layer."""
        found = []
        for number, layer in enumerate(self.boards.layers):
            held = np.append(0, np.cumsum(self.held(number)))
            found.append(int(np.diff(held[layer.first]).max()))
        return found

    def _layer(self, layer: int) -> LayerLanes:
        boards = self.boards
        if self.bundled and layer + 1 == len(boards.layers):
            lane, kept, first = boards.merged(layer)
            ends = bundles_of(boards)
            padded = np.append(0, np.cumsum(widths_of(first, ends)))
            return LayerLanes(lane.astype(np.int32), kept.astype(np.int32), first[ends], padded)
        first, held = boards.first(layer), self.held(layer)[boards.kept(layer)]
        before = np.append(0, np.cumsum(held))
        own = before[first]
        padded = np.append(0, np.cumsum(-(-np.diff(own) // LANES) * LANES))
        number = np.where(held, before[:-1], -1).astype(np.int32)
        return LayerLanes(number, np.flatnonzero(held).astype(np.int32), own, padded)

    def to(self, layer: int, lanes: Any) -> Any:
        """(n,) own numbers of some (n,) lanes of a layer, -1 for those not held."""
        return self.layers[layer].number[lanes].astype(np.int64)  # positions of what is stored may be large

    def on_board(self, layer: int, lanes: Any) -> tuple[Any, Any]:
        """For (n,) own lanes of a layer (n,) their boards, or bundles, and (n,) their numbers there."""
        first = self.layers[layer].first
        board = np.searchsorted(first, lanes, "right") - 1
        return board, lanes - first[board]

    def of_board(self, layer: int, board: int) -> I64:
        """(own lanes of a board,) their numbers among all lanes of the board."""
        here = self.layers[layer]
        inside = here.kept[here.first[board] : here.first[board + 1]]
        return np.asarray(inside - self.boards.first(layer)[board], np.int64)


CHILD, CHILD_END, NUMBER, SIDES = range(BOARD_COLUMNS, BOARD_COLUMNS + 4)
"""Columns of `Streets.boards` after those of a `RankedBoard`: the first board that follows and one past the last, of a
bundle the first and one past the last of its boards; its number in its layer; from SIDES on for each player those below."""
HELD, LANES_ON, WIDTH, BEFORE, UP, SAME, OUT, TAKES, SHARED, OF_SIDE = range(10)
"""Of a player on a board: hands; lanes, also padded to whole vectors; the padded lanes of boards before; where `up` tells
the lane on the board before of each lane, the lane of each hand, the lane on the first board of each hand, the number of
each hand among those of the board, and its number among the other player's, -1 for none."""
BOARD = SIDES + 2 * OF_SIDE
"""Columns of `Streets.boards`."""
LAYER, NODE, NODE_END, DEAL, DEAL_END, SHOWN, SHOWN_END, FOLDED, FOLDED_END, PLAYERS = range(10)
"""Columns of `Streets.segments`: its layer, its nodes, its deals, its showdowns with cards to come, its folds before the
last street; from PLAYERS on for each player those below."""
ROWS, START, SCALES, OWN, OF_PLAYER = range(5)
"""Of a player: stored rows of the segment on one board, where these begin on the first board, where the scales of their
decisions do, their decisions."""
WHO, ACTIONS, PARENT, ROW, RANK, COLUMNS = range(6)
"""Columns of `Streets.nodes`: player, actions, parent row, first row, number among the player's in the segment."""
NO_LEAF = -1


class Streets(NamedTuple):
    """boards: (B, 26), of all layers. shares: (B, 2) float64, how many boards one stands for, over that of the board before,
    and over those of the first. segments: (S, 17). nodes: (N, 5). leaves: (K, 5), deals, showdowns and folds: both players'
    rows, the segment that follows, and both players' rows before theirs on the last street (see `Followed`). strides:
    (layers * 2,) distance of each player's rows in a working set. up: int32, maps of lanes. pairs, steps: those of all
    boards.
    """

    boards: I64
    shares: F64
    segments: I64
    nodes: I64
    leaves: I64
    strides: I64
    up: I32
    pairs: I32
    steps: I32


class _Maps:
    """Maps of lanes, one after the other."""

    def __init__(self) -> None:
        self.parts, self._size = [np.zeros(0, np.int32)], 0

    def add(self, lanes: AnyArray) -> int:
        """Append a map; where it begins."""
        self.parts.append(lanes.astype(np.int32, copy=False))
        self._size += len(lanes)
        return self._size - len(lanes)


@kernel
def map_hands(first: Any, held: Any, theirs: Any, begins: Any, takes: Any, shared: Any) -> None:
    """The hands of a layer that a player holds.

    Args:
        first: (boards + 1,) hands before each board.
        held, theirs: (hands,) whether the player, and the other one, may hold each.
        begins: (boards + 1,) filled with those that are held before each board.
        takes: filled with the number of each among the hands of its board.
        shared: filled with its number among those of the other player there, -1 for none.
    """
    n = 0
    for b in range(len(first) - 1):
        begins[b], other = n, 0
        for i in range(first[b], first[b + 1]):
            if held[i]:
                takes[n], shared[n] = i - first[b], other if theirs[i] else -1
                n += 1
            if theirs[i]:
                other += 1
    begins[len(first) - 1] = n


@kernel
def map_up(first: Any, kept: Any, places: Any, up: Any, number: Any, above: Any, parent: Any, out: Any) -> None:
    """The lane on the board before of each lane of a layer, counted from the first one there.

    Args:
        first: (boards + 1,) own lanes before each board of the layer.
        kept: (own lanes,) their numbers among all lanes.
        places: (lanes,) a place of each of these.
        up: (places,) the lane one layer up.
        number: (lanes there,) the player's own number of each.
        above: (boards there + 1,) own lanes before each board there.
        parent: (boards,) the number of the board before.
        out: (own lanes,) filled.
    """
    for b in range(len(first) - 1):
        begin = above[parent[b]]
        for i in range(first[b], first[b + 1]):
            out[i] = number[up[places[kept[i]]]] - begin


class CompactLayout:
    """Positions of all that a sweep works on, which begins with a part of the tree, by default at the root.

    Attributes:
        own: both players' lanes.
        bundled: whether last boards are bundled (see `public_tree.boards`).
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

    @cached_property
    def decisions(self) -> dict[int, SegmentDecision]:
        """The decision of each betting node where there is a choice."""
        return {one.node: one for segment in self.whole for one in segment.decisions}

    def blocks(self, decision: SegmentDecision, boards: Any) -> Any:
        """The numbers of a decision on (n,) boards of its layer, among all of its player's decisions on all boards."""
        own = len(self.whole[decision.segment].own(decision.player))
        return int(self._starts[decision.segment, decision.player, 1]) + own * boards + decision.rank

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
        maps = _Maps()
        rows, parts = zip(*(self._board_rows(layer, maps) for layer in range(self.depth)), strict=True)
        boards, shares, up = np.concatenate(rows), np.concatenate(parts), np.concatenate(maps.parts)
        segments, nodes, leaves = self._segments()
        strides = np.array(
            [_odd(own.layers[layer].widest) for layer in range(self.depth) for own in self.own], np.int64
        )
        self.boards.forget_ways()
        return Streets(
            boards, shares, segments, nodes, leaves, strides, up,
            self.tables.pairs, self.tables.steps,
        )  # fmt: skip

    def _board_rows(self, number: int, maps: _Maps) -> tuple[I64, F64]:
        """Boards and shares of a layer, as in `Streets`."""
        boards, tables = self.boards, self.tables
        if self.bundled and number + 1 == self.depth:
            return self._bundles(maps)
        layer = boards.layers[number]
        begin, count = int(tables.first[number]), len(layer.boards)
        rows, shares = np.zeros((count, BOARD), np.int64), np.ones((count, 2))
        rows[:, :BOARD_COLUMNS] = tables.rows[begin : begin + count, :BOARD_COLUMNS]
        rows[:, NUMBER] = np.arange(count)
        if number + 1 < self.depth:
            each, bundled = np.arange(count + 1), self.bundled and number + 2 == self.depth
            ends = each if bundled else np.searchsorted(boards.layers[number + 1].parent, each)
            ends = ends + tables.first[number + 1]
            rows[:, CHILD], rows[:, CHILD_END] = ends[:-1], ends[1:]
        if number:
            shares[:, 0] = layer.times / boards.layers[number - 1].times[layer.parent]
            shares[:, 1] = layer.times
        for player in (0, 1):
            rows[:, SIDES + OF_SIDE * player : SIDES + OF_SIDE * (player + 1)] = self._side(player, number, maps)
        return rows, shares

    def _bundles(self, maps: _Maps) -> tuple[I64, F64]:
        """The same of the last layer in bundles, whose children are their boards in `bundle_matrices`."""
        number, ends = self.depth - 1, bundles_of(self.boards)
        rows, shares = np.zeros((len(ends) - 1, BOARD), np.int64), np.ones((len(ends) - 1, 2))
        rows[:, NUMBER], rows[:, CHILD], rows[:, CHILD_END] = np.arange(len(rows)), ends[:-1], ends[1:]
        for player in (0, 1):
            lanes, columns = self.own[player].layers[number], rows[:, SIDES + OF_SIDE * player :]
            columns[:, LANES_ON], columns[:, WIDTH] = np.diff(lanes.first), np.diff(lanes.padded)
            columns[:, BEFORE] = lanes.padded[:-1]
            columns[:, UP] = self._ways(player, number, np.arange(len(rows)), maps)
        return rows, shares

    def _ways(self, player: int, number: int, parent: I64, maps: _Maps) -> I64:
        """(boards,) where the maps of the boards of a layer begin that tell the lane on the board before each lane, counted
        from the first one of that board. parent: (boards,) the numbers of these."""
        boards, above, lanes = self.boards, self.own[player].layers[number - 1], self.own[player].layers[number]
        up, ways = boards.above(number, number - 1), np.empty(len(lanes.kept), np.int32)
        map_up(lanes.first, lanes.kept, boards.kept(number), up, above.number, above.first, parent, ways)
        return maps.add(ways) + lanes.first[:-1]

    def _side(self, player: int, number: int, maps: _Maps) -> I64:
        """(boards, OF_SIDE) the columns of a player on the boards of a layer."""
        boards, layer, own = self.boards, self.boards.layers[number], self.own[player]
        lanes, rows = own.layers[number], np.zeros((len(layer.boards), OF_SIDE), np.int64)
        # Flat over the hands of all boards: those that the player holds, and where each board's begin among them.
        held, theirs = own.held(number), self.own[1 - player].held(number)
        placed, begins = np.flatnonzero(held), np.empty(len(layer.first), np.int64)
        takes, shared = np.empty((2, len(placed)), np.int32)
        map_hands(layer.first, held, theirs, begins, takes, shared)
        rows[:, HELD], rows[:, LANES_ON] = np.diff(begins), np.diff(lanes.first)
        rows[:, WIDTH], rows[:, BEFORE] = np.diff(lanes.padded), lanes.padded[:-1]
        rows[:, TAKES], rows[:, SHARED] = maps.add(takes) + begins[:-1], maps.add(shared) + begins[:-1]
        if number:
            rows[:, UP] = self._ways(player, number, layer.parent, maps)
        # The lane of each hand on its board; on the last layer that of the first one, where CFVs go.
        if number + 1 < self.depth:
            board = np.repeat(np.arange(len(layer.boards)), np.diff(begins))
            here = lanes.number[boards.above(number, number)[placed]]
            rows[:, SAME] = maps.add(here - lanes.first[board]) + begins[:-1]
        elif number:
            rows[:, OUT] = maps.add(own.layers[0].number[boards.above(number, 0)[placed]]) + begins[:-1]
        return rows

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
