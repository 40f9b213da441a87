"""Pairs of hands that share no card, weighted by two ranges: their number, and what a showdown or an all-in before its last
cards pays them on average."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np

from counterplay.arrays import F64
from counterplay.poker.cards.deck import CARDS, Deck
from counterplay.poker.cards.hand_rank import ranks_on

MOST_BOARDS, _DRAWN = 1500, 200
"""Boards of an all-in that are all looked at, at most, which is enough for two cards to come; and boards that are drawn
else."""


class Payoffs(NamedTuple):
    """Chips of the other at the end of a hand, by the result of the showdown; all are equal after a fold."""

    win: float
    lose: float
    tie: float
    shown: bool


def hands_met(deck: Deck, reach: F64) -> F64:
    """(..., hands of the deck) how much of a range, (..., hands of the deck), each hand can meet."""
    by_card = cards_held(deck, reach)
    low, high = deck.hands.T
    return reach.sum(axis=-1, keepdims=True) - by_card[..., low] - by_card[..., high] + reach


def cards_held(deck: Deck, reach: F64) -> F64:
    """(..., cards) how much of a range, (..., hands of the deck), holds each card."""
    if reach.ndim == 1:
        low, high = deck.hands.T
        return np.asarray(np.bincount(low, reach, CARDS) + np.bincount(high, reach, CARDS))
    holds = np.zeros((len(deck.hands), CARDS))
    np.put_along_axis(holds, deck.hands.astype(np.int64), 1.0, axis=1)
    return reach @ holds


def weight_of_pairs(deck: Deck, mine: F64, theirs: F64) -> float:
    """The weight of all pairs of hands of two ranges, (hands of the deck,) each."""
    return float(mine @ hands_met(deck, theirs))


def mean_payoff(deck: Deck, pays: Payoffs, board: tuple[int, ...], mine: F64, theirs: F64) -> float:
    """What the end of a hand pays the holder of the first range, on average over pairs of hands; 0 without any. board:
    the complete one, if there is a showdown. mine, theirs: (hands of the deck,) ranges."""
    return _mean(pays, shares_of_showdown(deck, board, mine, theirs)) if pays.shown else pays.win


def _mean(pays: Payoffs, shares: tuple[float, float, float]) -> float:
    won, lost, tied = shares
    weight = won + lost + tied
    return float((won * pays.win + lost * pays.lose + tied * pays.tie) / weight) if weight > 0.0 else 0.0


def shares_of_showdown(deck: Deck, board: tuple[int, ...], mine: F64, theirs: F64) -> tuple[float, float, float]:
    """The weights of the pairs of hands in which the first range wins, loses and ties on a complete board; mine,
    theirs: (hands of the deck,)."""
    live = deck.live(board)
    own, met = np.flatnonzero(mine * live), np.flatnonzero(theirs * live)
    if not len(own) or not len(met):
        return 0.0, 0.0, 0.0
    ranks = ranks_on(deck, board)
    strength, other = ranks[own], ranks[met]
    order = np.argsort(other, kind="stable")
    met, other = met[order], other[order]
    # (met + 1, cards + 1) the weight, in all and with each card, of the weakest hands of the other.
    sums = np.zeros((len(met) + 1, CARDS + 1))
    rows, reach = np.arange(1, len(met) + 1), theirs[met]
    sums[rows, deck.hands[met, 0]] = sums[rows, deck.hands[met, 1]] = sums[rows, CARDS] = reach
    np.cumsum(sums, axis=0, out=sums)
    low, high = deck.hands[own].T
    at = np.stack([np.searchsorted(other, strength, "left"), np.searchsorted(other, strength, "right")])
    weaker, up_to = sums[at, CARDS] - sums[at, low] - sums[at, high]
    met_in_all = hands_met(deck, theirs * live)[own]
    # Of hands with both cards, the hand itself alone, which ties, was taken off twice.
    won, lost = mine[own] @ weaker, mine[own] @ (met_in_all - up_to - theirs[own])
    return float(won), float(lost), float(mine[own] @ met_in_all - won - lost)


def mean_of_run_outs(
    deck: Deck,
    pays: Payoffs,
    board: tuple[int, ...],
    missing: int,
    ranges: tuple[F64, F64],
    random: np.random.Generator,
) -> float:
    """What a showdown pays the holder of the first range, on average over pairs of hands and boards to come.

    Drawn boards take the place of the one that came, whose odds are the same: that too leaves the mean as it is. board: so
    far. missing: cards to come. ranges: (hands of the deck,) of that player and of the other.
    """
    mine, theirs = (reach * deck.live(board) for reach in ranges)
    free = [card for card in deck.cards if card not in board]
    if comb(len(free), missing) <= MOST_BOARDS:
        sums = [shares_of_showdown(deck, (*board, *new), mine, theirs) for new in combinations(free, missing)]
        won, lost, tied = np.sum(sums, axis=0)
        return _mean(pays, (won, lost, tied))
    odds, total = mine * hands_met(deck, theirs), 0.0
    if not odds.any():
        return 0.0
    for own in random.choice(len(odds), _DRAWN, p=odds / odds.sum()):
        low, high = deck.hands[own]
        meets = theirs * deck.live((low, high))
        other = deck.hands[random.choice(len(meets), p=meets / meets.sum())]
        left = [card for card in free if card not in (low, high, *other)]
        new = random.choice(left, missing, replace=False)
        total += _mean(pays, shares_of_showdown(deck, (*board, *sorted(new.tolist())), mine, theirs))
    return total / _DRAWN
