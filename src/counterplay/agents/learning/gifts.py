"""What an opponent has given away for certain, and what may therefore be risked (Ganzfried and Sandholm 2015).

Against a plan of ours, the opponent's best response has a value; every action below it loses some of it. Of a hand it is
known that the opponent plays the actions that were seen with at least one of the hidden hands that agree with them. So
whatever they do elsewhere, the hand was worth at least our worst case plus the least of these losses. The sum of these
bounds over hands, less the value of the game, may be risked: the total expectation stays at least that of an equilibrium.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from counterplay.gametree.compile.compile import GameTree
from counterplay.solvers.equilibrium import equilibrium_of
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.sweeps import best_cfvs

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]


class GiftBounds:
    """Lower bounds of what hands are worth while a strategy is played.

    Args:
        game: compiled.
        played: our strategy.

    Attributes:
        exploitability: of the strategy, in chips.
        losses: (size,) of each sequence of the opponent, what playing it loses to a best response, in chips.
    """

    def __init__(self, game: GameTree, played: Strategy) -> None:
        seat = played.player
        tree = game.trees[1 - seat]
        values = game.payoff.product(1 - seat, played.plan)
        best_cfvs(tree.arrays.groups, tree.arrays.parent, values)
        value = equilibrium_of(game).value * (1.0 if seat == 0 else -1.0)
        self.exploitability = value + float(values[0])
        self.losses = np.zeros(tree.size)
        for offset, width, n, lane, count in tree.arrays.groups.tolist():
            # (actions, infosets) values of a group; what is lost above is lost below, too.
            rows = values[offset : offset + n * width].reshape(n, width)[:, :count]
            above = self.losses[tree.arrays.parent[lane : lane + count]]
            self.losses[offset : offset + n * width].reshape(n, width)[:, :count] = above + rows.max(axis=0) - rows
        self._last = game.sequences[1 - seat]

    def least_gift(self, ends: Longs) -> float:
        """Chips above the worst case that a hand was worth at least. ends: (n,) the ends that it may have had."""
        return float(self.losses[self._last[ends]].min())

    def surplus(self, ends: Longs) -> float:
        """Chips above the value of the game that a hand was worth at least; below 0 if more was risked than given.
        ends: (n,) as in `least_gift`.
        """
        return self.least_gift(ends) - self.exploitability
