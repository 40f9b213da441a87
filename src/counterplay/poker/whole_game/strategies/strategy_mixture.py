"""A strategy that continues as one of several others: each class of hand draws one when the flop is dealt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.poker.whole_game.boards.board import Board, Small
from counterplay.poker.whole_game.holdem import Floats, HoldemGame
from counterplay.poker.whole_game.regrets import multiply_down
from counterplay.poker.whole_game.strategy import BlueprintStrategy, LastBoardCache, normalise_rows, reaches


@dataclass(frozen=True, eq=False)
class StrategyMixture:
    """The behaviour strategy of a player who draws one of several.

    Attributes:
        game: of all of them.
        preflop: of each player, (sequences, classes) probabilities.
        ways: of each player, what may be drawn.
        shares: of each player, (entries, ways, classes) with which probability.
    """

    game: HoldemGame
    preflop: tuple[Floats, Floats]
    ways: tuple[Sequence[BlueprintStrategy], Sequence[BlueprintStrategy]]
    shares: tuple[Floats, Floats]
    _latest: LastBoardCache = field(default_factory=LastBoardCache, repr=False)

    def on(self, player: int, board: Board) -> tuple[NDArray[Any], Small]:
        return self._latest.get(player, board, self._table), board.lane

    def _table(self, player: int, board: Board) -> NDArray[Any]:
        """(sequences, lanes of the board) probabilities."""
        side, (_, first) = self.game.sides[player], np.unique(board.lane, return_index=True)
        total = np.zeros((side.sizes[board.street], len(first)))
        for way, play in enumerate(self.ways[player]):
            total += plan_drawn_at(self.game, player, play, board, 0, self.shares[player][:, way])[:, first]
        return normalise_rows(total, side.decisions[board.street]).astype(self.game.dtype)


def plan_drawn_at(
    game: HoldemGame, player: int, play: BlueprintStrategy, board: Board, street: int, entry: Floats
) -> Floats:
    """(sequences, places) how likely a strategy is drawn and comes to each of a player's sequences of a board.

    Args:
        play: the strategy.
        street: at whose end it is drawn.
        entry: (entries, places there) how likely it is drawn where the next street begins.
    """
    side, before = game.sides[player], board.before
    assert before is not None
    if before.street > street:
        entry = plan_drawn_at(game, player, play, before, street, entry)[side.entries[board.street]]
    table, lane = play.on(player, board)
    plan = np.zeros((side.sizes[board.street], len(lane)))
    plan[: len(entry)] = entry[:, board.up]
    multiply_down(side.decisions[board.street], np.ascontiguousarray(table[:, lane], np.float64), plan)
    return plan


def blend(game: HoldemGame, player: int, one: BlueprintStrategy, two: BlueprintStrategy, p: float) -> StrategyMixture:
    """A strategy of one player that is `one` with probability p, drawn before the hand, and else `two`; the other player's
    half is that of `two`."""
    side, weights = game.sides[player], (p, 1.0 - p)
    plans = [weight * reaches(side, play.preflop[player]) for weight, play in zip(weights, (one, two), strict=True)]
    entry = np.stack([plan[side.entry] for plan in plans], axis=1)
    total = entry.sum(axis=1, keepdims=True)
    shares = np.divide(entry, total, out=np.full(entry.shape, 0.5), where=total > 0.0)
    early = normalise_rows(plans[0] + plans[1], side.preflop)
    alone = np.ones((len(side.entry), 1, game.boards.classes))
    if player == 0:
        return StrategyMixture(game, (early, two.preflop[1]), ((one, two), (two,)), (shares, alone))
    return StrategyMixture(game, (two.preflop[0], early), ((two,), (one, two)), (alone, shares))
