"""Boards that stand for others: how alike two boards are, which few are dealt, and which hands of others are like theirs.

Boards are alike where hands are: a next card that leaves most hands as strong as another one does is its neighbour, of the
same rank or the same suit or neither.
"""

from __future__ import annotations

from copy import copy
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterplay.jit.threads import share_out
from counterplay.poker.compact.layout.compact_layout import CompactLayout
from counterplay.poker.compact.layout.streets import CHILD, CHILD_END

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_NEAR = 0.08
"""Difference of strength up to which a hand plays as the same hand on the other board, not as the nearest one there."""
_MOVES = 10
"""The most times that boards of a cluster are chosen anew."""


class FewBoards(NamedTuple):
    """The boards of a layer that are dealt. chosen: (n,) their numbers. stands_for: (n,) how many each stands for."""

    chosen: Ints
    stands_for: Floats


class BoardMap(NamedTuple):
    """Where a layer's boards get their numbers. source: (boards,) another board, or itself. lanes: by player (own lanes of
    the layer,) int32 the lane there."""

    source: Ints
    lanes: tuple[NDArray[np.int32], NDArray[np.int32]]


class BoardLikeness:
    """How alike boards are.

    Attributes:
        layout: their tree.
        strengths: by player and layer (own lanes,) the part of the player's range that a hand beats, see `hand_strengths`.
    """

    def __init__(self, layout: CompactLayout) -> None:
        self.layout, self.strengths = layout, list[list[Floats]]([[], []])
        self._tables = list[list[NDArray[np.float32]]]([[], []])
        share_out([partial(self._know, player) for player in (0, 1)])

    def _know(self, player: int) -> None:
        self.strengths[player] = hand_strengths(self.layout, player)
        self._tables[player] = [self._table(player, number) for number in range(self.layout.depth)]

    def _table(self, player: int, number: int) -> NDArray[np.float32]:
        """(boards, hands) of a layer after the first the strengths around their middle, of length 1 on each board."""
        hands = len(self.layout.boards.cards.hands)
        if number == 0:
            return np.zeros((1, hands), np.float32)
        board, hand = _lanes(self.layout, player, number)
        table = np.zeros((int(board[-1]) + 1, hands), np.float32)
        table[board, hand] = self.strengths[player][number] - 0.5
        table = table[:, np.unique(hand)]
        table /= np.linalg.norm(table, axis=1, keepdims=True) + 1e-9
        return table

    def between(self, number: int, boards: Ints, others: Ints) -> Floats:
        """(n, k) likeness of (n,) boards of a layer to (k,) others there, at most 2: to a digit that does not depend on the
        order of sums."""
        first, second = (table[number][boards] @ table[number][others].T for table in self._tables)
        return np.asarray(np.round(first.astype(np.float64) + second, 4), np.float64)

    def chosen(self, number: int, boards: Ints, weight: Floats, most: int) -> tuple[Ints, Floats]:
        """Some boards of a layer to which (n,) boards are as alike as can be, and the weight of those nearest to each.

        Args:
            number: the layer.
            boards: (n,) among which they are chosen.
            weight: (n,) how much a board counts.
            most: how many are chosen at most.
        """
        alike = self.between(number, boards, boards)
        best, few = np.full(len(boards), -np.inf), list[int]()
        for _ in range(min(most, len(boards))):
            likeness = weight @ np.maximum(alike, best[:, None])
            likeness[few] = -np.inf
            few.append(int(np.argmax(likeness)))
            best = np.maximum(best, alike[:, few[-1]])
        for _ in range(_MOVES):
            nearest = _nearest(alike, few)
            clusters = [np.flatnonzero(nearest == k) for k in range(len(few))]
            moved = [int(x[np.argmax(weight[x] @ alike[np.ix_(x, x)])]) for x in clusters]
            if moved == few:
                break
            few = moved
        few = sorted(few)
        counts = np.bincount(_nearest(alike, few), weight, minlength=len(few))
        return boards[few], np.asarray(counts, np.float64)

    def matched(self, number: int, few: Ints) -> BoardMap:
        """For each board of a layer the one of (n,) others to which it is most alike, and for each lane one there."""
        every = np.arange(len(self.layout.own[0].layers[number].first) - 1)
        source = few[np.argmax(self.between(number, every, few), axis=1)]
        source[few] = few
        lanes = [np.zeros(0, np.int32)] * 2

        def match(player: int) -> None:
            lanes[player] = _like(self.layout, player, number, source, self.strengths[player][number])

        share_out([partial(match, player) for player in (0, 1)])
        return BoardMap(source, (lanes[0], lanes[1]))


def _nearest(alike: Floats, few: list[int]) -> Ints:
    """(n,) the number among some boards of the one to which each is most alike; of each of them itself, even if it is a
    twin of another."""
    found: Ints = np.argmax(alike[:, few], axis=1)
    found[few] = np.arange(len(few))
    return found


def few_boards(likeness: BoardLikeness, most: int) -> tuple[list[FewBoards], CompactLayout]:
    """By layer the boards that are dealt, at most so many after each board, and the same layout in which no others are: they
    stand for them."""
    layout = likeness.layout
    streets, first = layout.streets, layout.tables.first
    boards, shares = [streets.boards], [streets.shares]
    dealt = [FewBoards(np.zeros(1, np.int64), np.ones(1))]
    end, rows, weight = len(streets.boards), streets.boards[:1].copy(), np.ones(1)
    top = rows
    for number in range(1, layout.depth):
        some, places, weights = list[Ints](), end, list[Floats]()
        for row, times in zip(rows, weight, strict=True):
            every = np.arange(row[CHILD], row[CHILD_END]) - int(first[number])
            few, counts = likeness.chosen(number, every, streets.shares[every + int(first[number]), 0], most)
            more = counts / streets.shares[few + int(first[number]), 0]
            row[CHILD], row[CHILD_END] = places, places + len(few)
            places += len(few)
            some.append(few)
            weights.append(np.stack([more, times * more], axis=1))
        if number > 1:
            boards.append(rows)
        chosen, both = np.concatenate(some), np.concatenate(weights)
        rows, weight, end = streets.boards[chosen + int(first[number])].copy(), both[:, 1], places
        shares.append(streets.shares[chosen + int(first[number])] * both)
        dealt.append(FewBoards(chosen, weight))
    boards.append(rows)
    found = copy(layout)
    boards[0] = np.concatenate([top, streets.boards[1:]])
    found.streets = streets._replace(boards=np.concatenate(boards), shares=np.concatenate(shares))
    return dealt, found


def hand_strengths(layout: CompactLayout, player: int) -> list[Floats]:
    """By layer (own lanes,) the part of the player's range that a hand beats, half of it where hands tie; before the last
    layer its mean over the boards to come."""
    boards, own, depth = layout.boards, layout.own[player], layout.depth
    last, lanes = boards.layers[-1], own.layers[-1]
    places = boards.kept(depth - 1)[lanes.kept]
    board = np.repeat(np.arange(len(lanes.first) - 1), np.diff(lanes.first))
    weight, rank = boards.cards.weights[player][last.hand[places]], last.rank[places]
    order = np.lexsort((rank, board))
    before = np.append(0.0, np.cumsum(weight[order]))
    new = np.append(True, (np.diff(rank[order]) != 0) | (np.diff(board[order]) != 0))
    begins = np.append(np.flatnonzero(new), len(order))
    tie = np.cumsum(new) - 1
    beaten = 0.5 * (before[begins[tie]] + before[begins[tie + 1]])
    found = np.zeros(len(order))
    begin, end = before[lanes.first[board]], before[lanes.first[board + 1]]
    found[order] = beaten
    listed = [(found - begin) / (end - begin)]
    for number in range(depth - 2, 0, -1):
        above = own.layers[number]
        up = above.number[boards.above(depth - 1, number)[places]]
        count = np.bincount(up, minlength=len(above.kept))
        listed.insert(0, np.bincount(up, listed[-1], len(above.kept)) / np.maximum(count, 1))
    return [np.zeros(0), *listed]


def _lanes(layout: CompactLayout, player: int, number: int) -> tuple[Ints, Ints]:
    """(own lanes of a layer,) the boards, and a hand of each."""
    lanes = layout.own[player].layers[number]
    board = np.repeat(np.arange(len(lanes.first) - 1), np.diff(lanes.first))
    return board, layout.boards.layers[number].hand[layout.boards.kept(number)[lanes.kept]]


def _like(layout: CompactLayout, player: int, number: int, source: Ints, strength: Floats) -> NDArray[np.int32]:
    """(own lanes of a layer,) the lane of the same hand on the source of its board, or the one nearest in strength."""
    lanes, (board, hand) = layout.own[player].layers[number], _lanes(layout, player, number)
    found, asked = np.zeros(len(board), np.int32), source[board]
    for one in np.unique(source).tolist():
        here = np.flatnonzero(asked == one)
        begin, end = int(lanes.first[one]), int(lanes.first[one + 1])
        there, wanted = strength[begin:end], strength[here]
        order = np.argsort(there, kind="stable")
        right = np.clip(np.searchsorted(there[order], wanted), 0, len(order) - 1)
        left = np.maximum(right - 1, 0)
        nearer = np.abs(there[order[left]] - wanted) < np.abs(there[order[right]] - wanted)
        like = order[np.where(nearer, left, right)]
        same = np.full(len(layout.boards.cards.hands), -1)
        same[hand[begin:end]] = np.arange(end - begin)
        itself = same[hand[here]]
        near = (itself >= 0) & (np.abs(there[itself] - wanted) < _NEAR)
        found[here] = np.where(near | (board[here] == one) & (itself >= 0), itself, like)
    return found
