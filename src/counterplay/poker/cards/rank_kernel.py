"""The rank of one hand, on bit masks: the inner loop of every comparison of hands.

A set of cards is a bit mask of 13 bits a suit. A rank is a category (26 bits up) over two bit masks of card ranks: the cards
that make the category, and the kickers. Masks with equal numbers of bits compare like their cards, highest first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from counterplay.arrays import I64
from counterplay.jit import kernel
from counterplay.poker.cards.deck import CARDS

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
