"""Equity: the share of the pot at showdown, averaged over all possible boards."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import permutations
from math import comb
from typing import Any

import numpy as np

from counterplay.arrays import F64, I64, Flags
from counterplay.errors import InputError
from counterplay.jit import kernel
from counterplay.poker.cards.deck import CARDS, Deck, compatible_weight
from counterplay.poker.cards.hand_rank import BIT, STANDARD, SUIT, HandRanking, rank_of
from counterplay.poker.ranges.range import Range


def equity(ours: Range, theirs: Range, board: str | Iterable[int] = (), *, rules: HandRanking = STANDARD) -> float:
    """The first range's share of the pot, from 0 to 1, when two ranges go to showdown: the mean over all pairs of hands that
    share no card, weighted by both ranges, and over all boards of five cards that may follow. Exact: before the flop it
    takes a fraction of a second for a few hands, but about 15 s for all hands against all.

    Args:
        ours, theirs: the two ranges, of one deck.
        board: the cards shown so far, at most 5.
        rules: the order of hands; by default that of standard poker.

    Raises:
        InputError: the decks differ, the board is outside the deck or too long, or no two hands can be dealt together.
    """
    if ours.deck != theirs.deck:
        raise InputError("the two ranges must be of the same deck")
    weights = ours.without(board).weights
    won, faced = _won(theirs, board, weights > 0, rules)
    if not (weights > 0) @ (faced > 0):
        raise InputError(f"no hand of {ours} can be dealt together with one of {theirs}")
    return float(weights @ won / (weights @ faced))


def hand_equities(theirs: Range, board: str | Iterable[int] = (), *, rules: HandRanking = STANDARD) -> F64:
    """(n,) the share of the pot of every hand against a range; NaN if the hand is blocked or meets no other."""
    won, faced = _won(theirs, board, theirs.deck.live(board), rules)
    return np.divide(won, faced, out=np.full(len(won), np.nan), where=faced > 0)  # type: ignore[no-any-return]


def _won(theirs: Range, board: str | Iterable[int], wanted: Flags, rules: HandRanking) -> tuple[F64, F64]:
    """Two (n,) arrays: for each wanted hand, the opposing weight times the share of the pot against it, and that weight.

    Boards that a symmetry of the suits maps to each other are played once. A symmetry must keep the deck, the board and the
    opposing range; results are averaged over all images of the wanted hands."""
    deck, shown, weights = theirs.deck, theirs.deck.held(board), theirs.without(board).weights
    missing, free = 5 - len(shown), [card for card in deck.cards if card not in shown]
    if missing < 0 or len(free) < missing + 4:
        raise InputError(f"{len(shown)} cards of a deck of {len(deck.cards)} cannot be part of a board of five")
    suits, images = _symmetries(deck, shown, weights)
    listed = np.flatnonzero((wanted[images].any(axis=0) | (weights > 0)) & deck.live(shown))
    hands, out = deck.hands[listed], np.zeros(len(listed))
    scratch = np.arange(missing), np.empty(len(listed), np.int64), np.empty(CARDS)
    _play_out(hands, weights[listed], BIT[free], int(BIT[list(shown)].sum()), suits, *rules.numbers, BIT, *scratch, out)
    won = np.zeros(len(deck.hands))
    won[listed] = out / comb(len(free) - 4, missing)
    some = compatible_weight(deck.hands, (weights > 0).astype(np.float64)) > 0
    return won[images].mean(axis=0), np.where(some, compatible_weight(deck.hands, weights), 0.0) * deck.live(shown)


def _symmetries(deck: Deck, shown: tuple[int, ...], weights: F64) -> tuple[I64, I64]:
    """(g, 4) the images of the suits and (g, n) of the hands under each symmetry that fixes deck, board and range."""
    suits, images = [], []
    cards = np.arange(CARDS)
    for suit in permutations(range(4)):
        image = cards // 4 * 4 + np.array(suit)[cards % 4]
        if set(image[list(deck.cards)]) == set(deck.cards) and set(image[list(shown)]) == set(shown):
            first, second = image[deck.hands].T
            hands = deck.numbers[first, second]
            if np.array_equal(weights[hands], weights):
                suits.append(suit)
                images.append(hands)
    return np.array(suits), np.array(images)


@kernel
def _play_out(hands: Any, weights: Any, free: Any, shown: int, suits: Any, low: int, swap: int, bit: Any,
              pick: Any, order: Any, by_card: Any, won: Any) -> None:  # fmt: skip
    """Add to `won` what each hand wins on every board; `free` are bits, `pick` counts through the missing cards."""
    n = len(pick)
    while True:
        drawn = 0
        for k in range(n):
            drawn |= free[pick[k]]
        times = _alike(drawn, suits)
        if times > 0:
            count = _ranked(hands, drawn | shown, low, swap, bit, order)
            _sort(order, count)
            _sweep(hands, weights, times, order, count, by_card, won)
        at = n - 1
        while at >= 0 and pick[at] == len(free) - n + at:
            at -= 1
        if at < 0:
            return
        pick[at] += 1
        for k in range(at + 1, n):
            pick[k] = pick[k - 1] + 1


@kernel(inner=True)
def _alike(drawn: int, suits: Any) -> Any:
    """The number of images of a set of cards if it is the least of them; else 0."""
    same = 0
    for g in range(len(suits)):
        image = 0
        for s in range(4):
            image |= (drawn >> 13 * s & SUIT) << 13 * suits[g, s]
        if image < drawn:
            return 0
        same += image == drawn
    return len(suits) // same


@kernel(inner=True)
def _ranked(hands: Any, board: int, low: int, swap: int, bit: Any, order: Any) -> Any:
    """Fill `order` with rank · 2048 + number of each hand that is not blocked; returns their number."""
    count = 0
    for i in range(len(hands)):
        held = bit[hands[i, 0]] | bit[hands[i, 1]]
        if not held & board:
            order[count] = rank_of(held | board, 2, low, swap) << 11 | i
            count += 1
    return count


@kernel(inner=True)
def _sort(order: Any, count: int) -> None:
    """Shell's sort: in place, and fast for few numbers."""
    gap = 1
    while gap < count // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, count):
            item, at = order[i], i
            while at >= gap and order[at - gap] > item:
                order[at] = order[at - gap]
                at -= gap
            order[at] = item
        gap //= 3


@kernel(inner=True)
def _sweep(hands: Any, weights: Any, times: int, order: Any, count: int, by_card: Any, won: Any) -> None:
    """Add `times` (the weight of worse hands and half that of equal ones, less those that share a card) to each hand."""
    total, at = 0.0, 0
    by_card[:] = 0.0
    # An entry of `order` is rank << 11 | hand; hands from `at` to `end` share a rank. Half of the worse hands (first loop)
    # plus half of the worse and equal ones (third) is a win and half a tie; by_card takes the hand itself off twice.
    while at < count:
        end = at
        while end < count and order[end] >> 11 == order[at] >> 11:
            i = order[end] & 2047
            won[i] += 0.5 * times * (total - by_card[hands[i, 0]] - by_card[hands[i, 1]])
            end += 1
        for k in range(at, end):
            i = order[k] & 2047
            total += weights[i]
            by_card[hands[i, 0]] += weights[i]
            by_card[hands[i, 1]] += weights[i]
        for k in range(at, end):
            i = order[k] & 2047
            won[i] += 0.5 * times * (total - by_card[hands[i, 0]] - by_card[hands[i, 1]] + weights[i])
        at = end
