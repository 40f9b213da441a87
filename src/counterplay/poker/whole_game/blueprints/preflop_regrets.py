"""The street before the flop in counterfactual regret minimisation: a few decisions of both players, by bucket."""

from __future__ import annotations

import numpy as np

from counterplay.poker.whole_game.holdem import Floats, HoldemGame
from counterplay.poker.whole_game.measure import preflop_values
from counterplay.poker.whole_game.preflop_kernels import raise_classes
from counterplay.poker.whole_game.regrets import Rates, advance, match, multiply_down
from counterplay.poker.whole_game.strategy import Buckets, normalise_rows, reaches


class PreflopRegrets:
    """Regrets, sums of the average, and the present strategy of both players: arrays (sequences, buckets).

    Args:
        standing: a player whose decisions are made already, and (sequences, classes) their probabilities.
    """

    def __init__(self, game: HoldemGame, buckets: Buckets, standing: tuple[int, Floats] | None = None) -> None:
        self.standing = standing
        self.game, self.group = game, buckets.preflop
        self.lanes = int(buckets.preflop.max()) + 1
        self.regrets = [np.zeros((side.sizes[0], self.lanes)) for side in game.sides]
        self.sums = [np.zeros((side.sizes[0], self.lanes)) for side in game.sides]
        self.tables = [normalise_rows(own, side.preflop) for own, side in zip(self.regrets, game.sides, strict=True)]

    def plans(self) -> list[Floats]:
        """Of each player, (sequences, classes) the reach."""
        plans = [np.ones_like(table) for table in self.tables]
        for side, table, plan in zip(self.game.sides, self.tables, plans, strict=True):
            multiply_down(side.preflop, table, plan)
        by_class = [plan[:, self.group] for plan in plans]
        if self.standing is not None:
            player, given = self.standing
            by_class[player] = reaches(self.game.sides[player], given)
        return by_class

    def move(self, player: int, plan: Floats, below: Floats, rate: Rates) -> None:
        """One player's new regrets, against the opponent's reach.

        Args:
            plan: (sequences, classes) the opponent's.
            below: (entries, classes) values of the flops.
        """
        if self.standing is not None and self.standing[0] == player:
            return
        worth = self._worth(player, plan, below)
        own, row = np.ones_like(worth), np.zeros(self.lanes)
        decisions, table, regrets = self.game.sides[player].preflop, self.tables[player], self.regrets[player]
        advance(decisions, worth, own, table, regrets, self.sums[player], rate, row)
        match(decisions, regrets, table, row)

    def average(self) -> tuple[Floats, Floats]:
        """The average strategy, by class."""
        one, two = (normalise_rows(own, side.preflop) for own, side in zip(self.sums, self.game.sides, strict=True))
        both = [one[:, self.group], two[:, self.group]]
        if self.standing is not None:
            both[self.standing[0]] = self.standing[1]
        return both[0], both[1]

    def _worth(self, player: int, plan: Floats, below: Floats) -> Floats:
        """(sequences, buckets) values of all sequences."""
        worth, table = preflop_values(self.game, player, plan, below), self.tables[player]
        summed = np.zeros_like(table)
        raise_classes(self.game.sides[player].preflop, table, self.group, worth, summed)
        return summed
