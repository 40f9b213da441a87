"""Gifts in a spot of hold'em: the bounds of `gifts`, where each player is dealt a hand of a range.

The deal is chance's: holding one hand rather than another is no mistake. A loss at a decision is therefore weighted by the
hand's share of the range, which the CFVs of a spot leave out, and by all else that brings the opponent there.
"""

from __future__ import annotations

import numpy as np

from counterplay.agents.learning.gifts import losses_below_best
from counterplay.agents.learning_bot import SURE
from counterplay.arrays import F64, I64
from counterplay.poker.public_tree.hand_treeplex import layer_of
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.poker.spots.spot_values import met_at
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.sweeps import best


class SpotGiftBounds:
    """Lower bounds of what hands are worth while a strategy is played.

    Args:
        game: the spot, without a rake.
        played: our strategy.
        credit: one of `learning_bot.CREDITS`.

    Attributes:
        worst_case: of the strategy, in net chips of its player.
        losses: (size,) of each sequence of the opponent, what playing it loses to a best response, in chips.
    """

    def __init__(self, game: SpotGame, played: Strategy, credit: str = SURE) -> None:
        seat = 1 - played.player
        tree, dealt = game.trees[seat], game.subgame.restrictions[seat]
        values = game.payoff.product(seat, played.plan)
        best(tree.arrays, dealt.keep, dealt.mix, values, np.zeros(tree.size))
        self.worst_case = -float(values[0])
        self.losses = losses_below_best(tree, values, _rarity(game, seat) if credit == SURE else _brought(game, played))

    def least_gift(self, last: I64) -> float:
        """Chips above the worst case that a hand was worth at least. last: (n,) sequences that the opponent may have come
        to; none where nothing was decided."""
        return float(self.losses[last].min()) if len(last) else 0.0


def _rarity(game: SpotGame, seat: int) -> F64:
    """(lanes,) 1 / the share in the range of the hand that decides; infinite at the deal, and for hands not dealt."""
    weights, found = game.tree.boards.cards.weights[seat], np.full(game.trees[seat].lanes, np.inf)
    once = np.divide(1.0, weights, out=np.full(len(weights), np.inf), where=weights > 0.0)
    for node, first in _decisions(game, seat):
        hand = game.tree.boards.layers[layer_of(game.tree.betting, node)].hand
        found[first : first + len(hand)] = once[hand]
    return found


def _brought(game: SpotGame, played: Strategy) -> F64:
    """(lanes,) the probability with which chance and our strategy bring each hand to its decision; infinite at the deal,
    and where they never do."""
    seat = 1 - played.player
    solved = game.with_strategies(played, Strategy.uniform(game.trees[seat]))
    found = np.full(game.trees[seat].lanes, np.inf)
    for node, first in _decisions(game, seat):
        met = met_at(solved, seat, node)
        found[first : first + len(met)] = np.where(met > 0.0, met, np.inf)
    return found


def _decisions(game: SpotGame, seat: int) -> list[tuple[int, int]]:
    """The betting nodes where a player has a choice, and the first lane of each."""
    first = game.tree.runs[seat].lane[: game.tree.betting.nodes]
    return [(node, int(first[node])) for node in np.flatnonzero(first >= 0).tolist()]
