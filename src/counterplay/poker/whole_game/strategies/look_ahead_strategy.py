"""A strategy that on one board, or before the flop, is that of a look-ahead: at its end each hand draws one of several
strategies by which it continues."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from counterplay.arrays import F64, I64, U32, AnyArray
from counterplay.jit import kernel
from counterplay.poker.whole_game.boards.board import Board
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import (
    BlueprintStrategy,
    LastBoardCache,
    TablesOnDemand,
    normalise_rows,
    own_tables,
    reaches,
)
from counterplay.poker.whole_game.values.measure import RestOfGame


@dataclass(frozen=True, eq=False)
class NextStreetValues:
    """Values of hands on the boards after a street, after one line of betting: (hands,) numbers in the deck and chips
    times the other's reach, board by board; `spans` says which are those of a board."""

    game: HoldemGame
    spans: Mapping[tuple[int, ...], tuple[int, int]]
    hands: I64
    worth: F64

    def on(self, board: tuple[int, ...], hands: I64) -> F64:
        """(n,) of some hands, by their numbers in the deck, on a board; suits may have other names there."""
        deck, (known, turn) = self.game.deck, self.game.boards.find_board(board)
        first, end = self.spans[known.cards]
        every = np.zeros(len(deck.hands))
        every[self.hands[first:end]] = self.worth[first:end]
        cards = turn[deck.hands[hands]]
        return np.asarray(every[deck.numbers[cards[:, 0], cards[:, 1]]], np.float64)


Tables = tuple[AnyArray, AnyArray]
Ways = tuple[Sequence[BlueprintStrategy], Sequence[BlueprintStrategy]]


@dataclass(frozen=True, eq=False)
class LookAheadStrategy(TablesOnDemand):
    """A look-ahead on one board, and the strategies by which both players continue after it.

    Attributes:
        board: the board; that without cards for a look-ahead before the flop.
        tables: of each player, (sequences, lanes of the board) probabilities on it.
        ways: of each player, the strategies of which each hand draws one where the street ends.
        shares: of each player, (entries of the next street, ways, places of the board) with which probability.
        base: the strategy on other boards, of a look-ahead after the flop.
        worth: of the opponent's hands on the boards of the next street, by its entries, where a value function stands there.
    """

    game: HoldemGame
    board: Board
    tables: Tables
    ways: Ways
    shares: tuple[F64, F64]
    base: Any = None
    worth: Mapping[int, NextStreetValues] = field(default_factory=dict)
    _plans: LastBoardCache = field(default_factory=LastBoardCache, repr=False, init=False)

    @property
    def preflop(self) -> tuple[F64, F64]:
        return self.base.preflop if self.board.cards else self.tables

    def on(self, player: int, board: Board) -> tuple[AnyArray, U32]:
        if board.cards[: len(self.board.cards)] != self.board.cards:
            return self.base.on(player, board)  # type: ignore[no-any-return]
        return (self.tables[player], board.lane) if board.street == self.board.street else super().on(player, board)

    def own_tables(self, player: int) -> Iterable[AnyArray]:
        return chain.from_iterable(own_tables(way, player) for way in self.ways[player])

    def table_on(self, player: int, board: Board) -> AnyArray:
        """(sequences, lanes) the behaviour of a player on a board after the street."""
        side = self.game.sides[player]
        table = np.zeros((side.sizes[board.street], board.lanes), self.game.dtype)
        plans = self._plans.get(player, board, self._plans_on)
        normalise_lanes(side.decisions[board.street], sum(plans[1:], plans[0]), board.first, table)
        return table

    def in_rest(self, rest: RestOfGame) -> LookAheadStrategy:
        """The look-ahead of the street on which a rest of the game begins, in the numbers of that rest."""
        after = self.game.roots[rest.street + 1]
        ends = np.flatnonzero(np.isin(after, rest.game.roots[rest.street + 1]))
        first, second = (table[rows] for table, rows in zip(self.tables, rest.kept[rest.street], strict=True))
        mine, theirs = ([rest.strategy(way) for way in side] for side in self.ways)
        one, two = (share[ends] for share in self.shares)
        base = rest.strategy(self.base)
        return LookAheadStrategy(rest.game, self.board, (first, second), (mine, theirs), (one, two), base)

    @cached_property
    def _drawn(self) -> list[list[F64]]:
        """Of each player and way, (entries of the next street, places) the probability of the draw."""
        return [
            [np.ascontiguousarray(shares[:, way], np.float64) for way in range(shares.shape[1])]
            for shares in self.shares
        ]

    def _plans_on(self, player: int, board: Board) -> list[F64]:
        """Of each way, (sequences, places) how likely it is drawn and comes to each of the player's sequences."""
        side, before, plans = self.game.sides[player], board.before, list[F64]()
        assert before is not None
        for way, entry in zip(self.ways[player], self._drawn[player], strict=True):
            if before.street > self.board.street:
                above = self._plans.get(player, before, self._plans_on)[len(plans)]
                entry = above[side.entries[board.street]]
            table, lane = way.on(player, board)
            plans.append(np.zeros((side.sizes[board.street], len(lane))))
            follow_way(side.decisions[board.street], table, lane, board.up, entry, plans[-1])
        return plans


@kernel(nogil=True, loops=True)
def follow_way(decisions: Any, table: Any, lane: Any, up: Any, entry: Any, plan: Any) -> None:
    """Fill the plan (sequences, n), which is 0, with the reach of the hands at the places of a board. lane, up: (n,)
    lane of each place, and its place on the board before. entry: (entries, places before) their reach of the board."""
    n = len(lane)
    for e in range(len(entry)):
        for i in range(n):
            plan[e, i] = entry[e, up[i]]
    for k in range(len(decisions)):
        # Rows first to first + count are the actions of a decision; row `before` leads to it.
        above, first = plan[decisions[k, 1]], decisions[k, 2]
        for s in range(first, first + decisions[k, 3]):
            row, out = table[s], plan[s]
            for i in range(n):
                out[i] = above[i] * np.float64(row[lane[i]])


@kernel(nogil=True, loops=True)
def normalise_lanes(decisions: Any, plan: Any, place: Any, table: Any) -> None:
    """Fill (sequences, lanes) the probabilities of a plan (sequences, n); equal ones where it does not come. place:
    (lanes,) a place of each lane."""
    for k in range(len(decisions)):
        first, count = decisions[k, 2], decisions[k, 3]
        for lane in range(len(place)):
            i, total = place[lane], 0.0
            for s in range(first, first + count):
                total += plan[s, i]
            for s in range(first, first + count):
                table[s, lane] = plan[s, i] / total if total > 0.0 else 1.0 / count


def blend(game: HoldemGame, player: int, one: BlueprintStrategy, two: BlueprintStrategy, p: float) -> LookAheadStrategy:
    """A strategy of one player that is `one` with probability p, drawn before the hand, and else `two`; the other
    player's half is that of `two`."""
    side, weights = game.sides[player], (p, 1.0 - p)
    plans = [weight * reaches(side, play.preflop[player]) for weight, play in zip(weights, (one, two), strict=True)]
    entry = np.stack([plan[side.entry] for plan in plans], axis=1)
    total = entry.sum(axis=1, keepdims=True)
    shares = np.divide(entry, total, out=np.full(entry.shape, 0.5), where=total > 0.0)
    early = normalise_rows(plans[0] + plans[1], side.preflop)
    other = two.preflop[1 - player], (two,), np.ones((len(side.entry), 1, game.boards.classes))
    mine = early, (one, two), shares
    tables, ways, drawn = zip(*((mine, other) if player == 0 else (other, mine)), strict=True)
    return LookAheadStrategy(game, game.boards.root, tables, ways, drawn)


def average_by_lane(board: Board, values: F64) -> F64:
    """(..., places) values of hands, made the same for hands that differ by suit names alone."""
    total = np.zeros((*values.shape[:-1], board.lanes))
    np.add.at(total.T, board.lane, values.T)
    return np.asarray((total / np.bincount(board.lane, minlength=board.lanes))[..., board.lane], np.float64)


def table_in_lanes(play: BlueprintStrategy, player: int, board: Board) -> AnyArray:
    """(sequences, lanes of the board) a strategy's probabilities on a board, by hands up to suit names."""
    table, lane = play.on(player, board)
    return np.ascontiguousarray(table[:, lane[board.first]])
