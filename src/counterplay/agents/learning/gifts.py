"""What an opponent has given away for certain, and what may therefore be risked (Ganzfried and Sandholm 2015).

Against a plan of ours, the opponent's best response has a value; every action below it loses some of it. Of a hand it is
known that the opponent plays the actions that were seen with at least one of the hidden hands that agree with them. So
whatever they do elsewhere, the hand was worth at least our worst case plus the least of these losses. The sum of these
bounds over hands, less the value of the game, may be risked: the total expectation stays at least that of an equilibrium.

How a loss is counted is the *credit*. `sure`: weighted by the probability with which chance and we bring the opponent there,
which is what an opponent gives who acts like this whenever there. No larger number is safe: who plays the least of them, and
best elsewhere, gives exactly that. `mean`: not weighted, since the hand has been there. Over many hands its mean is exactly
what the opponent gives where all is shown, and less where cards are hidden; so the expected total still is that of an
equilibrium, but the sum on the way may be ahead of what was given, by luck of the deal.
"""

from __future__ import annotations

import numpy as np

from counterplay.agents.learning_bot import SURE
from counterplay.arrays import F64, I64
from counterplay.gametree.compile.compile import GameTree
from counterplay.gametree.compile.expectation import counterfactual_reach
from counterplay.solvers.equilibrium import equilibrium_of
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.sweeps import best_cfvs
from counterplay.treeplex.treeplex import Treeplex


class GiftBounds:
    """Lower bounds of what hands are worth while a strategy is played.

    Args:
        game: compiled.
        played: our strategy.
        credit: one of `learning_bot.CREDITS`.

    Attributes:
        exploitability: of the strategy, in chips.
        losses: (size,) of each sequence of the opponent, what playing it loses to a best response, in chips.
    """

    def __init__(self, game: GameTree, played: Strategy, credit: str = SURE) -> None:
        seat = played.player
        tree = game.trees[1 - seat]
        values = game.payoff.product(1 - seat, played.plan)
        best_cfvs(tree.arrays.groups, tree.arrays.parent, values)
        self.exploitability = equilibrium_of(game).bound(seat) + float(values[0])
        self.losses = losses_below_best(tree, values, np.ones(tree.lanes) if credit == SURE else _brought(game, played))
        self._last = game.sequences[1 - seat]

    def least_gift(self, ends: I64) -> float:
        """Chips above the worst case that a hand was worth at least. ends: (n,) the ends that it may have had."""
        return float(self.losses[self._last[ends]].min())

    def surplus(self, ends: I64) -> float:
        """Chips above the value of the game that a hand was worth at least; below 0 if more was risked than given.
        ends: (n,) as in `least_gift`.
        """
        return self.least_gift(ends) - self.exploitability


def losses_below_best(tree: Treeplex, values: F64, brought: F64) -> F64:
    """(size,) of each sequence, what its actions lose to the best ones, from the root on.

    Args:
        tree: the player's treeplex.
        values: (size,) CFVs of its sequences where the best is played below.
        brought: (lanes,) divisors of the losses at each infoset; infinite where nothing can be lost.
    """
    losses = np.zeros(tree.size)
    for offset, width, n, lane, count in tree.arrays.groups.tolist():
        # (actions, infosets) values of a group; what is lost above is lost below, too.
        rows = values[offset : offset + n * width].reshape(n, width)[:, :count]
        above = losses[tree.arrays.parent[lane : lane + count]]
        lost: F64 = (rows.max(axis=0) - rows) / brought[lane : lane + count]
        losses[offset : offset + n * width].reshape(n, width)[:, :count] = above + lost
    return losses


def _brought(game: GameTree, played: Strategy) -> F64:
    """(lanes,) the probability with which chance and our strategy bring the opponent to each infoset; 1 where never, and
    nothing is lost there."""
    found = counterfactual_reach(game, 1 - played.player, played.plan)
    return np.where(found > 0.0, found, 1.0)
