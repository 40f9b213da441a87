"""Ranks of poker hands: one int32 a hand, higher is better, equal where the pot is shared; and exact equities.

A set of cards is a bit mask of 13 bits a suit. A rank is a category (26 bits up) over two bit masks of card ranks: what
makes the category, and the kickers. Masks of equally many bits compare like the cards in them, highest first.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import permutations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from counterplay.errors import InputError
from counterplay.jit import kernel
from counterplay.poker.cards import CARDS, FULL, RANKS, Bools, Deck, Ints
from counterplay.poker.grid import Floats
from counterplay.poker.ranges import Range

Ranks = NDArray[np.int32]
CATEGORIES = (
    "high card", "pair", "two pair", "trips", "straight", "flush", "full house", "quads", "straight flush",
)  # fmt: skip
PAIR, TWO_PAIR, TRIPS, STRAIGHT, FLUSH, FULL_HOUSE, QUADS, STRAIGHT_FLUSH = range(1, 9)
UP, SUIT = 26, 0x1FFF  # where the category stands in a rank; the bits of one suit
BIT: Ints = np.array([1 << 13 * (card % 4) + card // 4 for card in range(CARDS)])
"""(52,) the bit of each card."""


@dataclass(frozen=True)
class Rules:
    """Which hands beat which.

    Attributes:
        lowest: the rank that an ace stands below in a straight, as a text: "2" allows A2345, "6" A6789.
        flush_first: a flush beats a full house.
    """

    lowest: str = "2"
    flush_first: bool = False

    def __post_init__(self) -> None:
        if len(self.lowest) != 1 or self.lowest not in RANKS[:9]:  # below J there are five different cards
            raise InputError(f"the lowest rank of a straight must be one of {RANKS[:9]}, not '{self.lowest}'")

    @property
    def numbers(self) -> tuple[int, int]:
        """What the kernels take: the lowest rank, and how far a flush moves up and a full house down."""
        return RANKS.index(self.lowest), int(self.flush_first)


STANDARD = Rules()
SIX_PLUS_RULES = Rules("6", flush_first=True)


def ranks(cards: ArrayLike, rules: Rules = STANDARD) -> Ranks:
    """(n,) ranks of hands of 2 to 7 cards, the best five of more.

    Args:
        cards: (n, k) whole numbers, a hand a row; straights and flushes need five cards.

    Raises:
        InputError: the shape is another, or a row holds something that is no card, or a card twice.
    """
    table = np.asarray(cards)
    if table.ndim != 2 or not 2 <= table.shape[1] <= 7 or not np.issubdtype(table.dtype, np.integer):
        raise InputError(f"hands must be rows of 2 to 7 whole numbers, not {table.dtype} of shape {table.shape}")
    out = np.empty(len(table), np.int32)
    bad = _rank_rows(table, *rules.numbers, BIT, out)
    if bad >= 0:
        raise InputError(f"row {bad} is not a hand of different cards from 0 to {CARDS - 1}: {table[bad].tolist()}")
    return out


def hand_ranks(
    board: str | Iterable[int], hands: ArrayLike | None = None, *, deck: Deck = FULL, rules: Rules = STANDARD
) -> Ranks:
    """(n,) ranks of hands together with a board; -1 for a hand that holds a card of the board.

    Args:
        board: up to 5 cards.
        hands: (n, 2) cards; all hands of the deck if left out.

    Raises:
        InputError: the board is too long or not of the deck, or `hands` is not an array of pairs of different cards.
    """
    shown = deck.held(board)
    if len(shown) > 5:
        raise InputError(f"a board must have at most 5 cards, not {len(shown)}")
    pairs = deck.hands if hands is None else _pairs(hands)
    out = np.empty(len(pairs), np.int32)
    _rank_hands(pairs, int(BIT[list(shown)].sum()), max(0, len(shown) - 3), *rules.numbers, BIT, out)
    return out


def categories(ranks: Ranks, rules: Rules = STANDARD) -> Ints:
    """(n,) numbers into CATEGORIES."""
    found = (ranks >> UP).astype(np.int64)
    if rules.flush_first:
        swap = np.arange(len(CATEGORIES))
        swap[[FLUSH, FULL_HOUSE]] = FULL_HOUSE, FLUSH
        found = swap[found]
    return found


def _pairs(hands: ArrayLike) -> Ints:
    pairs = np.asarray(hands)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or not np.issubdtype(pairs.dtype, np.integer):
        raise InputError(f"hands must be rows of 2 whole numbers, not {pairs.dtype} of shape {pairs.shape}")
    wrong = (pairs < 0).any(axis=1) | (pairs >= CARDS).any(axis=1) | (pairs[:, 0] == pairs[:, 1])
    if wrong.any():
        at = int(wrong.argmax())
        raise InputError(f"row {at} is not a hand of different cards from 0 to {CARDS - 1}: {pairs[at].tolist()}")
    return pairs.astype(np.int64)


@kernel
def _rank_rows(cards: Any, low: int, swap: int, bit: Any, out: Any) -> int:
    """Fill `out`; the number of the first row that is no hand, or -1."""
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
def _rank_hands(hands: Any, board: int, spare: int, low: int, swap: int, bit: Any, out: Any) -> None:
    for i in range(len(hands)):
        held = bit[hands[i, 0]] | bit[hands[i, 1]]
        out[i] = -1 if held & board else rank_of(held | board, spare, low, swap)


@kernel(inline=True, inner=True)
def rank_of(mask: int, spare: int, low: int, swap: int) -> Any:
    """The rank of a mask of at most 7 cards, `spare` more than five: with so few, a hand that holds five different ranks
    has neither quads nor a full house, so flushes and straights come first."""
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
    more = twice & twice - 1
    if not more:
        return PAIR << UP | twice << 13 | _dropped(once ^ twice, spare)
    pairs = more if more & more - 1 else twice
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
    """The lowest card of the best straight, one bit up; 0 without one. An ace also stands below rank `low`."""
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


# Equity: the share of the pot at showdown, by all boards that may come.


def equity(ours: Range, theirs: Range, board: str | Iterable[int] = (), *, rules: Rules = STANDARD) -> float:
    """Our share of the pot, from 0 to 1, when two ranges go to showdown: the mean over all pairs of hands that share no
    card, weighted by both ranges, and over all boards of five that may follow. Exact: before the flop it takes a fraction
    of a second for a few hands, but about 15 s for all hands against all.

    Args:
        board: the cards shown so far, at most 5.

    Raises:
        InputError: the decks differ, the board is not of the deck or too long, or no two hands can be dealt together.
    """
    if ours.deck != theirs.deck:
        raise InputError("the two ranges must be of the same deck")
    weights = ours.without(board).weights
    won, met = _won(theirs, board, weights > 0, rules)
    if not (weights > 0) @ (met > 0):
        raise InputError(f"no hand of {ours} can be dealt together with one of {theirs}")
    return float(weights @ won / (weights @ met))


def hand_equities(theirs: Range, board: str | Iterable[int] = (), *, rules: Rules = STANDARD) -> Floats:
    """(n,) the share of the pot of every hand against a range; NaN where a hand is blocked or meets no other."""
    won, met = _won(theirs, board, theirs.deck.live(board), rules)
    share: Floats = np.divide(won, met, out=np.full(len(won), np.nan), where=met > 0)
    return share


def _won(theirs: Range, board: str | Iterable[int], wanted: Bools, rules: Rules) -> tuple[Floats, Floats]:
    """(n,) each: for wanted hands, the weight of their hands met, times our share of the pot against them; and without.

    Boards that a symmetry of the suits maps to each other are played once. A symmetry must keep the deck, the board
    and their range; ours comes along as all images of the wanted hands, and the results are averaged over them.
    """
    deck, shown, weights = theirs.deck, theirs.deck.held(board), theirs.without(board).weights
    missing, free = 5 - len(shown), [card for card in deck.cards if card not in shown]
    if missing < 0 or len(free) < missing + 4:
        raise InputError(f"{len(shown)} cards shown of a deck of {len(deck.cards)} cannot be part of a board of five")
    suits, images = _symmetries(deck, shown, weights)
    listed = np.flatnonzero((wanted[images].any(axis=0) | (weights > 0)) & deck.live(shown))
    hands, out = deck.hands[listed], np.zeros(len(listed))
    scratch = np.arange(missing), np.empty(len(listed), np.int64), np.empty(CARDS)
    _play_out(hands, weights[listed], BIT[free], int(BIT[list(shown)].sum()), suits, *rules.numbers, BIT, *scratch, out)
    won = np.zeros(len(deck.hands))
    won[listed] = out / comb(len(free) - 4, missing)
    return won[images].mean(axis=0), _met(deck, weights) * deck.live(shown)


def _met(deck: Deck, weights: Floats) -> Floats:
    """(n,) the weight of the hands that share no card with a hand; exactly 0 where there is none."""
    first, second = deck.hands.T

    def others(mass: Floats) -> Floats:
        by_card = np.bincount(first, mass, CARDS) + np.bincount(second, mass, CARDS)
        left: Floats = mass.sum() - by_card[first] - by_card[second] + mass
        return left

    return np.where(others((weights > 0).astype(np.float64)) > 0, others(weights), 0.0)


def _symmetries(deck: Deck, shown: tuple[int, ...], weights: Floats) -> tuple[Ints, Ints]:
    """(g, 4) the suits' images and (g, n) the hands' images under each symmetry that changes none of the three."""
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
    """How many sets of cards are images of this one, if it is the least of them; else 0."""
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
    """Fill `order` with rank · 2048 + number of the hands that are not blocked; how many there are."""
    count = 0
    for i in range(len(hands)):
        held = bit[hands[i, 0]] | bit[hands[i, 1]]
        if not held & board:
            order[count] = rank_of(held | board, 2, low, swap) << 11 | i
            count += 1
    return count


@kernel(inner=True)
def _sort(order: Any, count: int) -> None:
    """Shell's sort: in place, and quick for few numbers."""
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
