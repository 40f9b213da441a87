"""Local best responses as strategies: decided on demand on a board, by the rule of the walk."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.poker.whole_game.boards.board import Board, Small
from counterplay.poker.whole_game.holdem import Floats, HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy, LastBoardCache
from counterplay.poker.whole_game.values.board_walk import BoardWalk
from counterplay.poker.whole_game.walks.local_best_response import LocalBestResponseRule

_TIE = 1e-5
"""Share of the largest estimate below which a difference is rounding: of actions that earn the same the first is taken."""


@dataclass(frozen=True, eq=False)
class LocalResponseStrategy:
    """Each player's local best response to the other half of a strategy, from the flop on.

    Attributes:
        game: game of both strategies.
        to: the strategy responded to.
        preflop: per player, (sequences, classes) probabilities before the flop.
    """

    game: HoldemGame
    to: BlueprintStrategy
    preflop: tuple[Floats, Floats]
    _latest: LastBoardCache = field(default_factory=LastBoardCache, repr=False)

    def on(self, player: int, board: Board) -> tuple[NDArray[Any], Small]:
        return self._latest.get(player, board, self._table), board.lane

    def _table(self, player: int, board: Board) -> NDArray[Any]:
        """(sequences, lanes of the board) probabilities, 0 or 1."""
        walk = BoardWalk(self.game, player, self.to, rule=LocalBestResponseRule(self.game, player, self.to))
        walk.pay(board, walk.reach(board))
        found: Any = walk.estimates_on(board)
        found = found[:, : len(board.hand)]
        _, place = np.unique(board.lane, return_index=True)
        out = np.zeros((len(found), len(place)), self.game.dtype)
        for _, _, first, count in self.game.sides[player].decisions[board.street].tolist():
            worth = found[first : first + count, place]
            best = worth >= worth.max(axis=0) - _TIE * np.abs(worth).max(axis=0)
            out[first : first + count] = np.arange(count)[:, None] == best.argmax(axis=0)
        return out
