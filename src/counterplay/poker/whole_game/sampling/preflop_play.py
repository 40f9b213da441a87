"""The round before the flop in public chance sampling: strategies by regret matching, new regrets by the values of hands."""

from __future__ import annotations

import numpy as np

from counterplay.arrays import AnyArray
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.regrets import Rates, advance, match, multiply_down
from counterplay.poker.whole_game.strategies.row_trust import RowTrust
from counterplay.poker.whole_game.values.board_kernels import raise_classes

_STILL = Rates(1.0, 1.0, 0.0, floor=False)


class PreflopPlay:
    """Strategies and new regrets of both players before the flop."""

    def __init__(self, game: HoldemGame, group: AnyArray) -> None:
        """group: (classes,) the lane of each class of hands."""
        self.game, self.group = game, group
        self._row = np.zeros(int(group.max()) + 1)

    def play(self, player: int, regrets: AnyArray) -> tuple[AnyArray, AnyArray]:
        """(sequences, lanes) a player's strategy and plan by (sequences, lanes) regrets."""
        side, table = self.game.sides[player], np.empty_like(regrets)
        match(side.preflop, regrets, table, self._row)
        plan = np.ones_like(table)
        multiply_down(side.preflop, table, plan)
        return table, plan

    def move(
        self, player: int, regrets: AnyArray, worth: AnyArray, weight: float, bound: RowTrust | None = None
    ) -> None:
        """Add an iteration's regrets to a player's.

        Args:
            player: who moves: 0 or 1.
            regrets: (sequences, lanes), changed.
            worth: (sequences, classes) values of the player's sequences.
            weight: of the iteration.
            bound: the player's model, where they are bound to one.
        """
        side, table = self.game.sides[player], self.play(player, regrets)[0]
        summed = np.zeros_like(table)
        if bound is None:
            raise_classes(side.preflop, table, self.group, worth, summed)
        else:
            bound.raise_before_flop(table, self.group, worth, summed)
        nothing = np.zeros_like(table)
        summed *= weight / self.game.deals_after(0)
        advance(side.preflop, summed, nothing, table, regrets, nothing, _STILL, self._row)
