"""Tic-tac-toe by its histories: cells, perfect play, and players who choose the best move by some score.

The arrays are made from the compiled game at once: replaying 549,946 histories for the texts of infosets takes far longer.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from counterplay import TERMINAL, GameTree, Strategy
from counterplay.arrays import F64, I8
from counterplay.gametree.compile.levels import history_levels

MIDDLE = 4
CORNERS, EDGES = (0, 2, 6, 8), (1, 3, 5, 7)
_CELLS = 9


@dataclass(frozen=True, eq=False)
class TicTacToeBoard:
    """Every history of tic-tac-toe, H in all, with the moves that led to it; cells are numbered row by row from 0."""

    game: GameTree

    @cached_property
    def moves(self) -> I8:
        """(9, H) the cells taken by the first to the ninth move; -1 where it is not made yet."""
        table, levels = self.game.histories, history_levels(self.game)
        found = np.full((_CELLS, len(table)), -1, np.int8)
        for number in range(_CELLS):
            here = np.flatnonzero(levels == number + 1)
            found[:number, here] = found[:number, table.parent[here]]
            taken = (found[:number, here, None] == np.arange(_CELLS)).any(axis=0)
            rank = np.cumsum(~taken, axis=1) - 1  # among the free cells, which an action counts
            found[number, here] = ((rank == table.action[here, None]) & ~taken).argmax(axis=1)
        return found

    @cached_property
    def worth(self) -> F64:
        """(H,) chips of player 0 if both go on perfectly."""
        table, levels = self.game.histories, history_levels(self.game)
        found = np.where(table.player == TERMINAL, table.utility, 0.0)
        for number in range(_CELLS, 0, -1):
            here = np.flatnonzero(levels == number)
            mover = number - 1 & 1
            best = np.full(len(table), -np.inf)
            np.maximum.at(best, table.parent[here], (1 - 2 * mover) * found[here])
            inner = np.isfinite(best)
            found[inner] = (1 - 2 * mover) * best[inner]
        return found

    def player(self, player: int, score: F64) -> Strategy:
        """The player who always moves to a history of the highest score, to all of them alike if there are several.

        Args:
            player: 0 or 1.
            score: (H,) of the histories after its moves.
        """
        table, tree = self.game.histories, self.game.trees[player]
        after = np.flatnonzero(
            (table.parent >= 0) & (table.player[table.parent] == player) & (history_levels(self.game) < _CELLS)
        )
        before = table.parent[after]  # of the last cell there is no choice
        best = np.full(len(table), -np.inf)
        np.maximum.at(best, before, score[after])
        chosen = score[after] == best[before]
        behaviour = np.zeros(tree.size)
        behaviour[self.game.sequences[player][after]] = (
            chosen / np.bincount(before[chosen], minlength=len(table))[before]
        )
        behaviour[0] = 1.0
        return Strategy(tree, behaviour)

    def perfect(self, player: int) -> Strategy:
        """Every move that keeps what the position is worth, alike."""
        return self.player(player, self.worth if player == 0 else -self.worth)
