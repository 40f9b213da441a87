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

In a spot the deal is chance's: holding one hand rather than another is no mistake. A loss at a decision is therefore
weighted by the hand's share of the range, which the CFVs of a spot leave out, and by all else that brings the opponent
there.
"""

from __future__ import annotations

import numpy as np

from counterplay.agents.bots import SURE
from counterplay.arrays import F64, I64
from counterplay.gametree.compile.brought import brought_to
from counterplay.gametree.compile.compile import GameTree
from counterplay.opponents.counting.spot_observations import SeenHand, sequences_at
from counterplay.poker.public_tree.hand_treeplex import layer_of
from counterplay.poker.spots.reach_masses import met_at
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.solvers.equilibrium import equilibrium_of
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.sweeps import best, best_cfvs
from counterplay.treeplex.treeplex import Treeplex


class GiftBounds:
    """Lower bounds of what hands of a compiled game are worth while a strategy of ours is played; credit: of `CREDITS`.

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
        reach = np.ones(tree.lanes)
        if credit != SURE:
            found = brought_to(game, 1 - seat, played.plan)
            reach = np.where(found > 0.0, found, 1.0)  # where never, nothing is lost
        self.losses = losses_below_best(tree, values, reach)
        self._last = game.sequences[1 - seat]

    def least_gift(self, ends: I64) -> float:
        """Chips above the worst case that a hand was worth at least. ends: (n,) the ends that it may have had."""
        return float(self.losses[self._last[ends]].min())

    def surplus(self, hand: I64) -> float:
        """Chips above the value of the game that a hand was worth at least; below 0 if more was risked than given.
        hand: (n,) its ends, as in `least_gift`.
        """
        return self.least_gift(hand) - self.exploitability


class SpotGiftBounds:
    """Lower bounds of what hands of a spot without a rake are worth while a strategy of ours is played.

    Attributes:
        worst_case: of the strategy, in net chips of its player.
        losses: (size,) of each sequence of the opponent, what playing it loses to a best response, in chips.
    """

    def __init__(self, game: SpotGame, played: Strategy, credit: str = SURE, floor: float = 0.0) -> None:
        self._game, self._seat, self._floor = game, 1 - played.player, floor
        tree, dealt = game.trees[self._seat], game.subgame.restrictions[self._seat]
        values = game.payoff.product(self._seat, played.plan)
        best(tree.arrays, dealt.keep, dealt.mix, values, np.zeros(tree.size))
        self.worst_case = -float(values[0])
        self.losses = losses_below_best(tree, values, self._divisors(played, credit == SURE))

    def surplus(self, hand: SeenHand) -> float:
        """Chips above the floor, the worst case of the solution, that a hand was worth at least."""
        least = 0.0
        if hand.actions:
            sequences, hands = sequences_at(self._game, self._seat, *hand.actions[-1])
            last = sequences[hand.holdings[hands] > 0.0]
            least = float(self.losses[last].min()) if len(last) else 0.0
        return self.worst_case - self._floor + least

    def _divisors(self, played: Strategy, sure: bool) -> F64:
        """(lanes,) 1 / the share in the range of the hand that decides, or the probability with which chance and our
        strategy bring it there; infinite at the deal, for hands not dealt, and where they never do."""
        game, seat = self._game, self._seat
        found = np.full(game.trees[seat].lanes, np.inf)
        solved = None if sure else game.with_strategies(played, Strategy.uniform(game.trees[seat]))
        weights = game.tree.boards.cards.weights[seat]
        rarity = np.divide(1.0, weights, out=np.full(len(weights), np.inf), where=weights > 0.0)
        first = game.tree.runs[seat].lane[: game.tree.betting.nodes]
        for node in np.flatnonzero(first >= 0).tolist():
            if solved is None:
                here = rarity[game.tree.boards.layers[layer_of(game.tree.betting, node)].hand]
            else:
                met = met_at(solved, seat, node)
                here = np.where(met > 0.0, met, np.inf)
            found[first[node] : first[node] + len(here)] = here
        return found


def losses_below_best(tree: Treeplex, values: F64, divisors: F64) -> F64:
    """(size,) of each sequence, what its actions lose to the best ones, from the root on.

    Args:
        tree: the player's treeplex.
        values: (size,) CFVs of its sequences where the best is played below.
        divisors: (lanes,) of the losses at each infoset; infinite where nothing can be lost.
    """
    losses = np.zeros(tree.size)
    for offset, width, n, lane, count in tree.arrays.groups.tolist():
        # (actions, infosets) values of a group; what is lost above is lost below, too.
        rows = values[offset : offset + n * width].reshape(n, width)[:, :count]
        above = losses[tree.arrays.parent[lane : lane + count]]
        lost: F64 = (rows.max(axis=0) - rows) / divisors[lane : lane + count]
        losses[offset : offset + n * width].reshape(n, width)[:, :count] = above + lost
    return losses
