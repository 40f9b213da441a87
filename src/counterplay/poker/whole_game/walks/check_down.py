"""Values of ranges without further bets: hands checked down over all boards to come."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from counterplay.arrays import F64, AnyArray
from counterplay.poker.showdown.line_sweeps import add_shown_rows, line_room
from counterplay.poker.whole_game.boards.board import DEALT, Board, even_out
from counterplay.poker.whole_game.boards.seen_boards import AllBoards, SeenBoards
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.treeplex.memory import zeros_of

_ROWS = 64
"""Rows that are swept together, or a multiple."""


class Stake(NamedTuple):
    """theirs, ours: rows of the opponent's reach and of the player's values. half: chips won or lost, half of the pot."""

    theirs: int
    ours: int
    half: float


class CheckDown:
    """Showdowns of one player without further bets, over all boards that are seen. Wins less losses are summed over the
    boards for every row of the opponent's reach; pots are multiplied at the end. rows: how many there are: the
    opponent's, and the player's."""

    def __init__(
        self, game: HoldemGame, stakes: Iterable[Stake], rows: tuple[int, int], seen: SeenBoards | None = None
    ) -> None:
        from scipy.sparse import csr_array  # loads slowly, and every opponent's text loads this file

        self.game, self.rows = game, rows
        self.seen = AllBoards(game.boards) if seen is None else seen
        theirs, ours, half = np.array(list(stakes), float).reshape(-1, 3).T
        self._pots = csr_array((half, (ours.astype(int), theirs.astype(int))), shape=rows[::-1])
        self._size = -(-rows[0] // _ROWS) * _ROWS
        self._room = line_room(game.places(game.last), len(game.deck.cards) - DEALT[game.last], 1, game.dtype)

    def values(self, board: Board, reach: AnyArray) -> F64:
        """(player's rows, n) on a board of any street; reach: (opponent's rows, n or more) on it, in the game's dtype."""
        if board.street < self.game.last:
            return self.below(board, reach)
        rows = self._by_hand(reach[:, : len(board.hand)])
        out = zeros_of(rows.shape, self.game.dtype)
        add_shown_rows(board.layout, np.arange(len(rows), dtype=np.uint32), rows, 0, 1.0, self._room, out)
        return self._paid(out)

    def below(self, board: Board, reach: AnyArray, children: Iterable[tuple[Board, float]] | None = None) -> F64:
        """The same, over the boards after one, or over weighted `children`; reach as in `values`."""
        boards = self.seen.after(board) if children is None else children
        return even_out(board, self._paid(self._won(boards, self._by_hand(reach[:, : len(board.hand)]))))

    def _won(self, boards: Iterable[tuple[Board, float]], rows: AnyArray) -> AnyArray:
        """(places, opponent's rows) wins less losses over boards, before they are evened out."""
        out = zeros_of(rows.shape, self.game.dtype)
        for board, weight in boards:
            if board.street == self.game.last:
                add_shown_rows(board.layout, board.up, rows, 0, weight, self._room, out)
                continue
            below = zeros_of((len(board.hand), rows.shape[1]), self.game.dtype)
            below[:] = rows[board.up]
            np.add.at(out, board.up, weight * even_out(board, self._won(self.seen.after(board), below).T).T)
        return out

    def _by_hand(self, reach: AnyArray) -> AnyArray:
        """(places, opponent's rows)."""
        out = zeros_of((reach.shape[1], self._size), self.game.dtype)
        out[:, : len(reach)] = reach.T
        return out

    def _paid(self, won: AnyArray) -> F64:
        return np.asarray(self._pots @ np.ascontiguousarray(won[:, : self.rows[0]].T), np.float64)
