"""The boards of all layers for the kernels: rows of columns, and the maps of lanes to which these point."""

from __future__ import annotations

from typing import Any

import numpy as np

from counterplay.arrays import F64, I32, I64, AnyArray
from counterplay.jit import kernel
from counterplay.poker.compact.layout.own_lanes import OwnLanes
from counterplay.poker.compact.layout.streets import (
    BEFORE,
    BOARD,
    CHILD,
    CHILD_END,
    HELD,
    LANES_ON,
    NUMBER,
    OF_SIDE,
    OUT,
    SAME,
    SHARED,
    SIDES,
    TAKES,
    UP,
    WIDTH,
)  # fmt: skip
from counterplay.poker.public_tree.boards import Tables
from counterplay.poker.public_tree.bundled_boards import bundles_of
from counterplay.poker.showdown.terminals import BOARD_COLUMNS


class BoardRows:
    """What `Streets` has of boards.

    Args:
        tables: the boards.
        own: both players' lanes.
        bundled: whether last boards are bundled.
    """

    def __init__(self, tables: Tables, own: tuple[OwnLanes, OwnLanes], *, bundled: bool) -> None:
        self._tables, self._boards, self._own, self._bundled = tables, tables.boards, own, bundled
        self._depth, self._up = len(tables.boards.layers), _Maps()

    def joined(self) -> tuple[I64, F64, I32]:
        """The arrays boards, shares and up, as in `Streets`."""
        rows, shares = zip(*(self._of_layer(layer) for layer in range(self._depth)), strict=True)
        return np.concatenate(rows), np.concatenate(shares), self._up.joined()

    def _of_layer(self, number: int) -> tuple[I64, F64]:
        """The boards of a layer."""
        boards, tables = self._boards, self._tables
        if self._bundled and number + 1 == self._depth:
            return self._bundles()
        layer = boards.layers[number]
        begin, count = int(tables.first[number]), len(layer.boards)
        rows, shares = np.zeros((count, BOARD), np.int64), np.ones((count, 2))
        rows[:, :BOARD_COLUMNS] = tables.rows[begin : begin + count, :BOARD_COLUMNS]
        rows[:, NUMBER] = np.arange(count)
        if number + 1 < self._depth:
            each, bundled = np.arange(count + 1), self._bundled and number + 2 == self._depth
            ends = each if bundled else np.searchsorted(boards.layers[number + 1].parent, each)
            ends = ends + tables.first[number + 1]
            rows[:, CHILD], rows[:, CHILD_END] = ends[:-1], ends[1:]
        if number:
            shares[:, 0] = layer.times / boards.layers[number - 1].times[layer.parent]
            shares[:, 1] = layer.times
        for player in (0, 1):
            rows[:, SIDES + OF_SIDE * player : SIDES + OF_SIDE * (player + 1)] = self._side(player, number)
        return rows, shares

    def _bundles(self) -> tuple[I64, F64]:
        """The same of the last layer in bundles, whose children are their boards in `bundle_matrices`."""
        number, ends = self._depth - 1, bundles_of(self._boards)
        rows, shares = np.zeros((len(ends) - 1, BOARD), np.int64), np.ones((len(ends) - 1, 2))
        rows[:, NUMBER], rows[:, CHILD], rows[:, CHILD_END] = np.arange(len(rows)), ends[:-1], ends[1:]
        for player in (0, 1):
            lanes, columns = self._own[player].layers[number], rows[:, SIDES + OF_SIDE * player :]
            columns[:, LANES_ON], columns[:, WIDTH] = np.diff(lanes.first), np.diff(lanes.padded)
            columns[:, BEFORE] = lanes.padded[:-1]
            columns[:, UP] = self._ways(player, number, np.arange(len(rows)))
        return rows, shares

    def _ways(self, player: int, number: int, parent: I64) -> I64:
        """(boards,) where the maps of the boards of a layer begin that tell the lane on the board before each lane, counted
        from the first one of that board. parent: (boards,) the numbers of these."""
        boards, above, lanes = self._boards, self._own[player].layers[number - 1], self._own[player].layers[number]
        up, ways = boards.above(number, number - 1), np.empty(len(lanes.kept), np.int32)
        map_up(lanes.first, lanes.kept, boards.kept(number), up, above.number, above.first, parent, ways)
        return self._up.add(ways) + lanes.first[:-1]

    def _side(self, player: int, number: int) -> I64:
        """(boards, OF_SIDE) the columns of a player on the boards of a layer."""
        boards, layer, own = self._boards, self._boards.layers[number], self._own[player]
        lanes, rows = own.layers[number], np.zeros((len(layer.boards), OF_SIDE), np.int64)
        # Flat over the hands of all boards: those that the player holds, and where each board's begin among them.
        held, theirs = own.held(number), self._own[1 - player].held(number)
        placed, begins = np.flatnonzero(held), np.empty(len(layer.first), np.int64)
        takes, shared = np.empty((2, len(placed)), np.int32)
        map_hands(layer.first, held, theirs, begins, takes, shared)
        rows[:, HELD], rows[:, LANES_ON] = np.diff(begins), np.diff(lanes.first)
        rows[:, WIDTH], rows[:, BEFORE] = np.diff(lanes.padded), lanes.padded[:-1]
        rows[:, TAKES], rows[:, SHARED] = self._up.add(takes) + begins[:-1], self._up.add(shared) + begins[:-1]
        if number:
            rows[:, UP] = self._ways(player, number, layer.parent)
        # The lane of each hand on its board; on the last layer that of the first one, where CFVs go.
        if number + 1 < self._depth:
            board = np.repeat(np.arange(len(layer.boards)), np.diff(begins))
            here = lanes.number[boards.above(number, number)[placed]]
            rows[:, SAME] = self._up.add(here - lanes.first[board]) + begins[:-1]
        elif number:
            rows[:, OUT] = self._up.add(own.layers[0].number[boards.above(number, 0)[placed]]) + begins[:-1]
        return rows


class _Maps:
    """Maps of lanes, concatenated."""

    def __init__(self) -> None:
        self._parts, self._size = [np.zeros(0, np.int32)], 0

    def add(self, lanes: AnyArray) -> int:
        """Append a map; where it begins."""
        begin = self._size
        self._parts.append(lanes.astype(np.int32, copy=False))
        self._size += len(lanes)
        return begin

    def joined(self) -> I32:
        """All of them."""
        return np.concatenate(self._parts)


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
