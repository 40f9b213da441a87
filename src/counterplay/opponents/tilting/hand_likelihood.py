"""The probability of what a hand shows, by a strategy: for bets on a model against its prior."""

from __future__ import annotations

from math import log

import numpy as np

from counterplay.opponents.tilting.evidence import holdings
from counterplay.opponents.tilting.mapped_hands import MappedHand
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.lookup import probabilities
from counterplay.poker.whole_game.strategy import BlueprintStrategy

_NEVER = 1e-300


def log_likelihood(game: HoldemGame, play: BlueprintStrategy, hand: MappedHand, soft: float = 0.0) -> float:
    """The logarithm of the probability of a player's actions in a hand, and of the cards as far as they are known; up to a
    number that is the same for all strategies.

    Args:
        game: the game.
        play: the strategy.
        hand: of the player; its cards are summed over where they are hidden.
        soft: share of uniform play that is mixed in, so that nothing is impossible.
    """
    if hand.hole:
        odds = np.zeros(len(game.deck.hands))
        odds[game.deck.hand(*hand.hole)] = 1.0
    else:
        odds = holdings(game, hand).astype(np.float64)
    for one in hand.decisions:
        rows = np.asarray(probabilities(game, play, one.node, one.board), np.float64)
        odds = odds * ((1.0 - soft) * np.nan_to_num(rows[one.choice]) + soft / len(rows))
    return log(max(float(odds.sum()), _NEVER))
