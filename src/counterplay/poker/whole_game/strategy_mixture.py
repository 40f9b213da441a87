"""A strategy that goes on by several others: each class of hand draws one of them where the flop is dealt."""

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
    """A strategy, the same as that of somebody who draws.

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
        """(sequences, lanes of the flop) probabilities."""
        side, (_, first) = self.game.sides[player], np.unique(board.lane, return_index=True)
        group = board.up[first]
        total = np.zeros((side.sizes[1], len(first)))
        for way, share in zip(self.ways[player], self.shares[player].transpose(1, 0, 2), strict=True):
            table, lane = way.on(player, board)
            plan = np.zeros_like(total)
            plan[: len(share)] = share[:, group]
            multiply_down(side.flop, np.ascontiguousarray(table[:, lane[first]]), plan)
            total += plan
        return normalise_rows(total, side.flop).astype(self.game.dtype)


def blend(game: HoldemGame, player: int, one: BlueprintStrategy, two: BlueprintStrategy, p: float) -> StrategyMixture:
    """A strategy of one player that is `one` with probability p, drawn before the hand, and else `two`; the other player's
    half is that of `two`."""
    side, weights = game.sides[player], (p, 1.0 - p)
    plans = [weight * reaches(side, play.preflop[player]) for weight, play in zip(weights, (one, two), strict=True)]
    entry = np.stack([plan[side.entry] for plan in plans], axis=1)
    total = entry.sum(axis=1, keepdims=True)
    shares = np.divide(entry, total, out=np.full(entry.shape, 0.5), where=total > 0.0)
    early = normalise_rows(plans[0] + plans[1], side.preflop)
    alone = np.ones((len(side.entry), 1, game.flops.classes))
    if player == 0:
        return StrategyMixture(game, (early, two.preflop[1]), ((one, two), (two,)), (shares, alone))
    return StrategyMixture(game, (two.preflop[0], early), ((two,), (one, two)), (alone, shares))
