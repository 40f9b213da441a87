"""Ranks of poker hands: one int32 per hand, higher is better, equal if the pot is split.

A set of cards is a bit mask of 13 bits a suit. A rank is a category (26 bits up) over two bit masks of card ranks: the cards
that make the category, and the kickers. Masks with equal numbers of bits compare like their cards, highest first.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from counterplay.arrays import I32, I64
from counterplay.errors import InputError, quoted
from counterplay.jit import kernel
from counterplay.poker.cards.deck import CARDS, FULL, RANKS, SUITS, Deck

CATEGORIES = (
    "high card", "pair", "two pair", "trips", "straight", "flush", "full house", "quads", "straight flush",
)  # fmt: skip
PAIR, TWO_PAIR, TRIPS, STRAIGHT, FLUSH, FULL_HOUSE, QUADS, STRAIGHT_FLUSH = range(1, 9)
UP, SUIT = 26, 0x1FFF  # where the category stands in a rank; the bits of one suit
BIT: I64 = np.array([1 << 13 * (card % 4) + card // 4 for card in range(CARDS)])
"""(52,) the bit of each card."""


@kernel(inline=True, inner=True)
def rank_of(mask: int, spare: int, low: int, swap: int) -> Any:
    """The rank of a mask of at most 7 cards, `spare` more than five: such a hand with five different ranks has neither
    quads nor a full house, so flushes and straights come first."""
    # Thirteen bits a suit; unions and intersections of suits are the ranks held at least once, twice, three times.
    a, b, c, d = mask & SUIT, mask >> 13 & SUIT, mask >> 26 & SUIT, mask >> 39 & SUIT
    flush = _five(a) | _five(b) | _five(c) | _five(d)
    either, other, both, others = a | b, c | d, a & b, c & d
    once = either | other
    if flush:
        run = _straight(flush, low)
        return STRAIGHT_FLUSH << UP | run if run else FLUSH + swap << UP | _best_five(flush)
    run = _straight(once, low)
    if run:
        return STRAIGHT << UP | run
    twice = both | others | either & other
    if not twice:
        return _dropped(once, spare)
    thrice = both & other | others & either
    if thrice:
        return _of_three(once, twice, thrice, both & others, spare, swap)
    more = twice & twice - 1  # without the lowest pair
    if not more:
        return PAIR << UP | twice << 13 | _dropped(once ^ twice, spare)
    pairs = more if more & more - 1 else twice  # of three pairs the lowest is a kicker at most
    return TWO_PAIR << UP | pairs << 13 | _top(once ^ pairs)


@kernel(inline=True, inner=True)
def _of_three(once: int, twice: int, thrice: int, four: int, spare: int, swap: int) -> Any:
    """The rank of a hand with three or four cards of a rank."""
    if four:
        return QUADS << UP | four << 13 | _top(once ^ four)
    trips = _top(thrice)
    pairs = twice ^ trips
    if pairs:
        return FULL_HOUSE - swap << UP | trips << 13 | _top(pairs)
    return TRIPS << UP | trips << 13 | _dropped(once ^ trips, spare)


@kernel(inline=True, inner=True)
def _five(mask: int) -> Any:
    """The mask if it has five bits or more, else 0."""
    left = mask & mask - 1
    left &= left - 1
    left &= left - 1
    left &= left - 1
    return mask if left else 0


@kernel(inline=True, inner=True)
def _best_five(mask: int) -> Any:
    while _five(mask & mask - 1):
        mask &= mask - 1
    return mask


@kernel(inline=True, inner=True)
def _straight(mask: int, low: int) -> Any:
    """The lowest card of the best straight, one bit up; 0 without one. An ace also counts below rank `low`."""
    steps = mask << 1 | mask >> 12 << low
    return _top(steps & steps >> 1 & steps >> 2 & steps >> 3 & steps >> 4)


@kernel(inline=True, inner=True)
def _top(mask: int) -> Any:
    """The highest bit of a mask of 16."""
    mask |= mask >> 1
    mask |= mask >> 2
    mask |= mask >> 4
    mask |= mask >> 8
    return mask ^ mask >> 1


@kernel(inline=True, inner=True)
def _dropped(mask: int, count: int) -> Any:
    """The mask without its `count` lowest bits."""
    for _ in range(count):
        mask &= mask - 1
    return mask


Ranks = I32
_ACE, _KINDS = len(RANKS) - 1, len(RANKS) ** 3


@dataclass(frozen=True)
class HandRanking:
    """The order of hands. lowest: the rank above a low ace in a straight, as a text: "2" allows A2345, "6" A6789.
    flush_first: a flush beats a full house."""

    lowest: str = "2"
    flush_first: bool = False

    def __post_init__(self) -> None:
        if len(self.lowest) != 1 or self.lowest not in RANKS[:9]:  # below J there are five different cards
            raise InputError(f"the lowest rank of a straight must be one of {RANKS[:9]}, not {quoted(self.lowest)}")

    @property
    def numbers(self) -> tuple[int, int]:
        """The kernels' parameters: the lowest rank, and the shifts of a flush up and a full house down."""
        return RANKS.index(self.lowest), int(self.flush_first)


STANDARD = HandRanking()
SIX_PLUS_RULES = HandRanking("6", flush_first=True)


def ranks(cards: ArrayLike, rules: HandRanking = STANDARD) -> Ranks:
    """(n,) ranks of hands of 2 to 7 cards, the best five of more. cards: (n, k) whole numbers, one hand per row;
    straights and flushes need five cards."""
    table = np.asarray(cards)
    if table.ndim != 2 or not 2 <= table.shape[1] <= 7 or not np.issubdtype(table.dtype, np.integer):
        raise InputError(f"hands must be rows of 2 to 7 whole numbers, not {table.dtype} of shape {table.shape}")
    out = np.empty(len(table), np.int32)
    bad = _rank_rows(np.ascontiguousarray(table), *rules.numbers, BIT, out)
    if bad >= 0:
        raise InputError(f"row {bad} is not a hand of different cards from 0 to {CARDS - 1}: {table[bad].tolist()}")
    return out


def hand_ranks(
    board: str | Iterable[int], hands: ArrayLike | None = None, *, deck: Deck = FULL, rules: HandRanking = STANDARD
) -> Ranks:
    """(n,) ranks of hands together with a board; -1 for a hand that holds a card of the board. hands: (n, 2) cards; all
    hands of the deck if left out."""
    shown = deck.held(board)
    if len(shown) > 5:
        raise InputError(f"a board must have at most 5 cards, not {len(shown)}")
    pairs = (deck.hands if hands is None else _pairs(hands)).view()
    pairs.flags.writeable = False  # as those of a deck, so that there is one kernel
    out = np.empty(len(pairs), np.int32)
    at = _rank_hands(pairs, int(BIT[list(shown)].sum()), max(0, len(shown) - 3), *rules.numbers, BIT, out)
    if at >= 0:
        raise InputError(
            f"row {at} is not a hand of different cards from 0 to {CARDS - 1}: {np.asarray(hands)[at].tolist()}"
        )
    return out


def categories(ranks: Ranks, rules: HandRanking = STANDARD) -> I64:
    """(n,) indices into CATEGORIES."""
    found = (ranks >> UP).astype(np.int64)
    if rules.flush_first:
        swap = np.arange(len(CATEGORIES))
        swap[[FLUSH, FULL_HOUSE]] = FULL_HOUSE, FLUSH
        found = swap[found]
    return found


def _pairs(hands: ArrayLike) -> I64:
    pairs = np.asarray(hands)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or not np.issubdtype(pairs.dtype, np.integer):
        raise InputError(f"hands must be rows of 2 whole numbers, not {pairs.dtype} of shape {pairs.shape}")
    return pairs.astype(np.int64)


@kernel
def _rank_rows(cards: Any, low: int, swap: int, bit: Any, out: Any) -> int:
    """Fill `out`; returns the number of the first row that is not a hand, or -1."""
    n, k = cards.shape
    spare = max(0, k - 5)
    for i in range(n):
        mask = 0
        for j in range(k):
            card = cards[i, j]
            if card < 0 or card >= len(bit) or mask & bit[card]:
                return i
            mask |= bit[card]
        out[i] = rank_of(mask, spare, low, swap)
    return -1


@kernel
def _rank_hands(hands: Any, board: int, spare: int, low: int, swap: int, bit: Any, out: Any) -> int:
    """Fill `out`; returns the number of the first row that is not a hand, or -1."""
    for i in range(len(hands)):
        first, second = hands[i, 0], hands[i, 1]
        if min(first, second) < 0 or max(first, second) >= len(bit) or first == second:
            return i
        held = bit[first] | bit[second]
        out[i] = -1 if held & board else rank_of(held | board, spare, low, swap)
    return -1


@lru_cache(maxsize=1024)
def ranks_on(deck: Deck, board: tuple[int, ...]) -> Ranks:
    """(hands of the deck,) ranks together with a board of up to 5 cards; -1 for a hand that holds a card of the
    board."""
    found = hand_ranks(board, deck=deck)
    found.flags.writeable = False
    return found


def three_card_ranks(cards: I64) -> I64:
    """(n,) ranks of hands of three cards (n, 3), as in Rhode Island hold'em (Shi and Littman 2001): a straight beats a
    flush, and three of a kind beats both. An ace is low in A23."""
    low, middle, high = np.sort(cards // len(SUITS), axis=1).T
    suits = cards % len(SUITS)
    flush = (suits == suits[:, :1]).all(axis=1)
    wheel = (low == 0) & (middle == 1) & (high == _ACE)
    straight = wheel | ((middle == low + 1) & (high == low + 2))
    pair, trips = (low == middle) | (middle == high), low == high
    # Straight flush, trips, straight, flush, pair, high card.
    kind = np.select([straight & flush, trips, straight, flush, pair], [5, 4, 3, 2, 1], 0)
    # A pair counts before its kicker; else cards count from the highest down, where that of A23 is the three.
    top = np.select([wheel, pair], [1, middle], high)
    kicker = np.where(low == middle, high, low)
    second, third = np.where(pair, kicker, np.where(wheel, 0, middle)), np.where(pair | wheel, 0, low)
    return np.asarray(kind * _KINDS + (top * len(RANKS) + second) * len(RANKS) + third, np.int64)
