"""The result of a finished hand in chips."""

from __future__ import annotations

import numpy as np

from counterplay.poker.betting.rules import BettingRules
from counterplay.poker.betting.state import BettingState, Kind
from counterplay.poker.cards.deck import Deck
from counterplay.poker.cards.hand_rank import hand_ranks

Cards = tuple[int, ...]


def chips_won(rules: BettingRules, end: BettingState, holes: tuple[Cards, Cards], board: Cards, deck: Deck) -> float:
    """Chips that position 0, the big blind, won at a fold or, with the whole board, at a showdown."""
    stake = rules.chips(min(end.put))
    if end.kind is not Kind.SHOWDOWN:
        return -stake if end.kind is Kind.FOLD0 else stake
    one, two = map(int, hand_ranks(board, np.array(holes), deck=deck))
    return stake * ((one > two) - (one < two))
