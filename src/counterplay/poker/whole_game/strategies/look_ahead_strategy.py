"""A strategy that on one board is that of a look-ahead: behind it each hand goes on by one of several strategies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from counterplay.arrays import F64, I64, U32, AnyArray
from counterplay.poker.whole_game.boards.board import Board
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategies.continuation_mixture import ContinuationMixture
from counterplay.poker.whole_game.strategy import BlueprintStrategy, LastBoardCache
from counterplay.poker.whole_game.values.rest_of_game import RestOfGame


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
class LookAheadStrategy:
    """A strategy with another one on a board and after it.

    Attributes:
        game: the game.
        base: the strategy elsewhere.
        board: the board.
        tables: of each player, (sequences, lanes of the board) probabilities on it.
        ways: of each player, the strategies of which each hand draws one where the street ends.
        shares: of each player, (entries of the next street, ways, places of the board) with which probability.
        worth: of the opponent's hands on the boards of the next street, by its entries, where a value function stands there.
    """

    game: HoldemGame
    base: BlueprintStrategy
    board: Board
    tables: Tables
    ways: Ways
    shares: tuple[F64, F64]
    worth: Mapping[int, NextStreetValues] = field(default_factory=dict)
    _latest: LastBoardCache = field(default_factory=LastBoardCache, repr=False)

    @property
    def preflop(self) -> tuple[F64, F64]:
        return self.base.preflop

    def on(self, player: int, board: Board) -> tuple[AnyArray, U32]:
        if board.cards[: len(self.board.cards)] != self.board.cards:
            return self.base.on(player, board)
        if board.street == self.board.street:
            return self.tables[player], self.board.lane
        return self._latest.get(player, board, lambda who, here: self._drawn[who].table(here)), board.lane

    def in_rest(self, rest: RestOfGame) -> LookAheadStrategy:
        """The look-ahead of the street on which a rest of the game begins, in the numbers of that rest."""
        after = self.game.roots[rest.street + 1]
        ends = np.flatnonzero(np.isin(after, rest.game.roots[rest.street + 1]))
        first, second = (table[rows] for table, rows in zip(self.tables, rest.kept[rest.street], strict=True))
        mine, theirs = ([rest.strategy(way) for way in side] for side in self.ways)
        one, two = (share[ends] for share in self.shares)
        base = rest.strategy(self.base)
        return LookAheadStrategy(rest.game, base, self.board, (first, second), (mine, theirs), (one, two))

    @cached_property
    def _drawn(self) -> list[ContinuationMixture]:
        street = self.board.street
        return [ContinuationMixture(self.game, who, self.ways[who], street, self.shares[who]) for who in (0, 1)]


def average_by_lane(board: Board, values: F64) -> F64:
    """(..., places) values of hands, made the same for hands that differ by suit names alone."""
    total = np.zeros((*values.shape[:-1], board.lanes))
    np.add.at(total.T, board.lane, values.T)
    found: F64 = (total / np.bincount(board.lane, minlength=board.lanes))[..., board.lane]
    return found


def table_in_lanes(play: BlueprintStrategy, player: int, board: Board) -> F64:
    """(sequences, lanes of the board) a strategy's probabilities on a board, by hands up to suit names."""
    table, lane = play.on(player, board)
    first: I64 = np.unique(board.lane, return_index=True)[1]
    return np.asarray(table[:, lane[first]], np.float64)
