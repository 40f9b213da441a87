"""Ranks of three-card hands, as in Rhode Island hold'em (Shi and Littman 2001): a straight beats a flush, and three of a
kind beats both."""

from __future__ import annotations

import numpy as np

from counterplay.arrays import I64
from counterplay.poker.cards.deck import RANKS, SUITS

HIGH, PAIR, FLUSH, STRAIGHT, TRIPS, STRAIGHT_FLUSH = range(6)
_ACE, _KINDS = len(RANKS) - 1, len(RANKS) ** 3


def three_card_ranks(cards: I64) -> I64:
    """(n,) ranks of hands of three cards (n, 3), higher is better, equal if the pot is split. An ace is low in A23."""
    low, middle, high = np.sort(cards // len(SUITS), axis=1).T
    suits = cards % len(SUITS)
    flush = (suits == suits[:, :1]).all(axis=1)
    wheel = (low == 0) & (middle == 1) & (high == _ACE)
    straight = wheel | ((middle == low + 1) & (high == low + 2))
    pair, trips = (low == middle) | (middle == high), low == high
    kind = np.select(
        [straight & flush, trips, straight, flush, pair], [STRAIGHT_FLUSH, TRIPS, STRAIGHT, FLUSH, PAIR], HIGH
    )
    # A pair counts before its kicker; else cards count from the highest down, where that of A23 is the three.
    top = np.select([wheel, pair], [1, middle], high)
    kicker = np.where(low == middle, high, low)
    second, third = np.where(pair, kicker, np.where(wheel, 0, middle)), np.where(pair | wheel, 0, low)
    return np.asarray(kind * _KINDS + (top * len(RANKS) + second) * len(RANKS) + third, np.int64)
