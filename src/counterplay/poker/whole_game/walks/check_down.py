"""Values of ranges without further bets: hands checked down over all boards to come."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterplay.poker.showdown.showdown import evaluate
from counterplay.poker.showdown.terminals import Fold, Showdown, scratch_of, terminals_of
from counterplay.poker.whole_game.board_kernels import add_up_entries, spread_out
from counterplay.poker.whole_game.boards.board import Board, even_out
from counterplay.poker.whole_game.boards.seen_boards import AllBoards, SeenBoards
from counterplay.poker.whole_game.holdem import Floats, HoldemGame

_NOTHING = np.zeros((0, 4), np.int64)


class Stake(NamedTuple):
    """theirs, ours: rows of the opponent's reach and of the player's values. half: chips won or lost, half of the pot."""

    theirs: int
    ours: int
    half: float


class CheckDown:
    """Showdowns of one player without further bets.

    Args:
        game: whose boards and hands.
        stakes: which rows meet for which pot.
        rows: how many there are: the opponent's, and the player's.
        seen: boards that are seen; all unless given.
    """

    def __init__(
        self, game: HoldemGame, stakes: Iterable[Stake], rows: tuple[int, int], seen: SeenBoards | None = None
    ) -> None:
        self.game, self.rows = game, rows
        self.seen = AllBoards(game.boards) if seen is None else seen
        run, some = game.run_on(game.last), game.some_board(game.last)
        listed: list[Showdown | Fold] = [Showdown(s.theirs * run, s.ours * run, s.half, s.half) for s in stakes]
        self._terminals = terminals_of(some, listed, (rows[0] * run, rows[1] * run), game.dtype)
        self._rooms: dict[int, Any] = {}

    def values(self, board: Board, reach: NDArray[Any]) -> Floats:
        """(player's rows, n) on a board.

        Args:
            reach: (opponent's rows, n or more) on it, in the game's dtype.
        """
        if board.street < self.game.last:
            return self.below(board, reach)
        plan, values, scratch = self._room(board.street)
        n, run = len(board.hand), self.game.run_on(board.street)
        plan.reshape(-1, run)[: len(reach), :n] = reach[:, :n]
        values[:] = 0
        evaluate(board.layout, self._terminals, plan, values, scratch)
        return np.asarray(values.reshape(-1, run)[: self.rows[1], :n], np.float64)

    def below(self, board: Board, reach: NDArray[Any], children: Iterable[tuple[Board, float]] | None = None) -> Floats:
        """The same, over the boards after one, or over weighted `children`; reach as in `values`."""
        out = np.zeros((self.rows[1], len(board.hand)))
        for child, weight in self.seen.after(board) if children is None else children:
            room, run, n = self._room(child.street), self.game.run_on(child.street), len(child.hand)
            plan, values, scratch = room
            spread_out(_NOTHING, reach, reach, child.up, child.up, plan, run)  # no decisions: reach as it is
            if child.street == self.game.last:
                values[:] = 0
                evaluate(child.layout, self._terminals, plan, values, scratch)
            else:
                values.reshape(-1, run)[: self.rows[1], :n] = self.below(child, plan.reshape(-1, run)[: len(reach)])
            add_up_entries(weight, child.up, run, room, out)
        return even_out(board, out)

    def _room(self, street: int) -> Any:
        """(plan, values, scratch) of a street."""
        if street not in self._rooms:
            size, kind = max(self.rows) * self.game.run_on(street), self.game.dtype
            scratch = scratch_of(self.game.some_board(street), kind)
            self._rooms[street] = np.zeros(size, kind), np.zeros(size, kind), scratch
        return self._rooms[street]
