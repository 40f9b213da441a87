"""What an all-in is worth before its last cards: by all boards that may come, or by many where they are too many."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np

from counterplay.arrays import F64
from counterplay.measure.aivat.hand_events import Payoffs
from counterplay.measure.aivat.hand_pairs import hands_met, shares_of_showdown
from counterplay.poker.cards.deck import Deck

MOST_BOARDS, _DRAWN = 1500, 200
"""Boards that are all looked at, at most, which is enough for two cards to come; and boards that are drawn else."""


def mean_of_run_outs(
    deck: Deck,
    pays: Payoffs,
    board: tuple[int, ...],
    missing: int,
    ranges: tuple[F64, F64],
    random: np.random.Generator,
) -> float:
    """What a showdown pays the holder of the first range, on average over pairs of hands and boards to come.

    Drawn boards take the place of the one that came, whose odds are the same: that too leaves the mean as it is.

    Args:
        deck: the cards in play.
        pays: to that player.
        board: so far.
        missing: cards to come.
        ranges: (hands of the deck,) of that player and of the other.
        random: draws boards.
    """
    mine, theirs = (reach * deck.live(board) for reach in ranges)
    free = [card for card in deck.cards if card not in board]
    if comb(len(free), missing) <= MOST_BOARDS:
        sums = [shares_of_showdown(deck, (*board, *new), mine, theirs) for new in combinations(free, missing)]
        won, lost, tied = np.sum(sums, axis=0)
        whole = won + lost + tied
        return float((won * pays.win + lost * pays.lose + tied * pays.tie) / whole) if whole > 0.0 else 0.0
    odds, total = mine * hands_met(deck, theirs), 0.0
    if not odds.any():
        return 0.0
    for own in random.choice(len(odds), _DRAWN, p=odds / odds.sum()):
        low, high = deck.hands[own]
        meets = theirs * deck.live((low, high))
        other = deck.hands[random.choice(len(meets), p=meets / meets.sum())]
        left = [card for card in free if card not in (low, high, *other)]
        new = random.choice(left, missing, replace=False)
        won, lost, tied = shares_of_showdown(deck, (*board, *sorted(new.tolist())), mine, theirs)
        total += (won * pays.win + lost * pays.lose + tied * pays.tie) / (won + lost + tied)
    return total / _DRAWN
