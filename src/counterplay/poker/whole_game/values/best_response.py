"""Best responses as strategies: computed at once before the flop, on demand on a board."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from counterplay.arrays import F64, I64, AnyArray
from counterplay.poker.whole_game.boards.board import Board, Small
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy, LastBoardCache, reaches
from counterplay.poker.whole_game.values.measure import entry_values, preflop_values, values_on


@dataclass(frozen=True, eq=False)
class BestResponseStrategy:
    """Each player's best response to the other half of a strategy."""

    game: HoldemGame
    to: BlueprintStrategy
    preflop: tuple[F64, F64]
    _latest: LastBoardCache = field(default_factory=LastBoardCache, repr=False)

    def on(self, player: int, board: Board) -> tuple[AnyArray, Small]:
        return self._latest.get(player, board, self._table), board.lane

    def _table(self, player: int, board: Board) -> AnyArray:
        return choose_by_lane(self.game, player, board, values_on(self.game, player, self.to, board))


def best_response(game: HoldemGame, to: BlueprintStrategy) -> BestResponseStrategy:
    """The best responses to both halves of a strategy, in the game without buckets."""
    early = []
    for player, side in enumerate(game.sides):
        met = reaches(game.sides[1 - player], to.preflop[1 - player])
        worth = preflop_values(game, player, met, entry_values(game, player, to))
        early.append(choose_best(side.preflop, worth))
    return BestResponseStrategy(game, to, (early[0], early[1]))


def choose_by_lane(game: HoldemGame, player: int, board: Board, worth: AnyArray, *, backed: bool = True) -> AnyArray:
    """(sequences, lanes of the board) 1 for the best action of every decision, in the game's dtype. worth: (sequences,
    n) of the hand at each place; hands that share a lane are worth the same. backed: as of `choose_best`."""
    _, first = np.unique(board.lane, return_index=True)
    decisions = game.sides[player].decisions[board.street]
    return choose_best(decisions, worth[:, first], backed=backed).astype(game.dtype)


def choose_best(decisions: I64, worth: AnyArray, *, backed: bool = True) -> F64:
    """(sequences, hands) 1 for the first best action of every decision. worth: (sequences, hands) values of all
    sequences, the entries included; where `backed`, changed in place: the best action after a sequence belongs to its
    value."""
    out = np.zeros(worth.shape)
    hands = np.arange(worth.shape[1])
    for _, before, first, count in decisions[::-1].tolist():
        rows = worth[first : first + count]
        out[first + rows.argmax(axis=0), hands] = 1.0
        if backed:
            worth[before] += rows.max(axis=0)
    return out
