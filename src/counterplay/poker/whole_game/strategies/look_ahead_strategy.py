"""A strategy that on one board is that of a look-ahead: behind it each hand goes on by one of several strategies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from counterplay.arrays import F64, I64, AnyArray
from counterplay.poker.whole_game.boards.board import Board, Small
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategies.drawn_ways import DrawnWays
from counterplay.poker.whole_game.strategies.next_worth import NextWorth
from counterplay.poker.whole_game.strategy import BlueprintStrategy, LastBoardCache

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
    worth: Mapping[int, NextWorth] = field(default_factory=dict)
    _latest: LastBoardCache = field(default_factory=LastBoardCache, repr=False)

    @property
    def preflop(self) -> tuple[F64, F64]:
        """See `BlueprintStrategy`."""
        return self.base.preflop

    def on(self, player: int, board: Board) -> tuple[AnyArray, Small]:
        """See `BlueprintStrategy`."""
        if board.cards[: len(self.board.cards)] != self.board.cards:
            return self.base.on(player, board)
        if board.street == self.board.street:
            return self.tables[player], self.board.lane
        return self._latest.get(player, board, self._table), board.lane

    def _table(self, player: int, board: Board) -> AnyArray:
        return self._drawn[player].table(board)

    @cached_property
    def _drawn(self) -> list[DrawnWays]:
        street = self.board.street
        return [DrawnWays(self.game, who, self.ways[who], street, self.shares[who]) for who in (0, 1)]


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
