"""The strategy of a player who chooses by a rule of the walk: by all flops before them, on a board when it is asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.poker.whole_game.boards.board import Board, Small
from counterplay.poker.whole_game.holdem import Floats, HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy, LastBoardCache
from counterplay.poker.whole_game.values.best_response import choose_best
from counterplay.poker.whole_game.values.board_walk import BoardWalk
from counterplay.poker.whole_game.walks.flop_draw import ALL, draw_flops
from counterplay.poker.whole_game.walks.make_rule import RuleSettings
from counterplay.poker.whole_game.walks.response_on_flops import ResponseOnFlops


@dataclass(frozen=True, eq=False)
class RuleStrategy:
    """The choices of a walk; the other player's half is what the walk responds to.

    Attributes:
        preflop: per player, (sequences, classes) probabilities.
        walk: of the player who chooses.
    """

    preflop: tuple[Floats, Floats]
    walk: BoardWalk
    _latest: LastBoardCache = field(default_factory=LastBoardCache, repr=False)

    def on(self, player: int, board: Board) -> tuple[NDArray[Any], Small]:
        if player != self.walk.player:
            return self.walk.theirs.on(player, board)
        return self._latest.get(player, board, self._table), board.lane

    def _table(self, player: int, board: Board) -> NDArray[Any]:
        """(sequences, lanes of the board) probabilities, 0 or 1."""
        walk, (_, first) = self.walk, np.unique(board.lane, return_index=True)
        backed = walk.rule is None or walk.rule.backed
        decisions = walk.game.sides[player].decisions[board.street]
        return choose_best(decisions, walk.estimates_on(board)[:, first], backed=backed).astype(walk.game.dtype)


def rule_strategy(game: HoldemGame, player: int, theirs: BlueprintStrategy, asked: RuleSettings) -> RuleStrategy:
    """The strategy by which a player responds by a rule; decisions before the flop take a walk over all flops."""
    response, draw = ResponseOnFlops(game, player, theirs, asked), draw_flops(game.boards, ALL)
    early = list(theirs.preflop)
    early[player] = response.choices(draw, {flop: response.on(flop) for flop in draw.numbers})
    return RuleStrategy((early[0], early[1]), BoardWalk(game, player, theirs, rule=response.rule))
