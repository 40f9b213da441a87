"""Equities of the hands of a last board, against all opposing hands and against each of a few groups (OCHS).

All counts are whole numbers, so equal boards have equal features on every machine. One sweep over the hands in order of
strength counts the hands that each hand beats and ties, by group and by card; so hands that share a card with it can be
subtracted. Equity against groups of opposing hands is the OCHS of Johanson et al. 2013.

The index of tables by board are sets of cards up to suit isomorphism: the order of a board's cards does not matter, nor do
the names of its suits, and a table has one representative of each set. The full deck has 1,755 different flops, 16,432
boards of four cards and 134,459 of five."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from math import comb
from typing import Any

import numpy as np

from counterplay.arrays import F32, I8, I32, I64, U8
from counterplay.jit import kernel
from counterplay.poker.cards.deck import CARDS, Deck
from counterplay.poker.cards.hand_rank import BIT, STANDARD, rank_of
from counterplay.poker.whole_game.boards.board import suit_renamings
from counterplay.treeplex.simd import load, pointer, same_as, store, where_above

MOST_CARDS = 7
"""Cards of the largest set, and one more than the number of hands' cards and boards'."""


class CardSets:
    """All sets of `size` cards of a deck, up to suit isomorphism. Cards are positions in the deck, from 0.

    Attributes:
        deck, size: the deck, and the number of cards of a set.
        image: (renamings, cards) the image of each position under each suit renaming.
        cards: (sets, size) cards of each representative, rising: the first of isomorphic sets.
        counts: (sets,) the number of sets that each represents.
        number: (codes,) by `code` of a set, the number of its representative.
        renaming: (codes,) by `code`, the renaming that maps it there.
        choose: (cards + 1, MOST_CARDS + 1) binomial coefficients.
    """

    def __init__(self, deck: Deck, size: int) -> None:
        self.deck, self.size = deck, size
        n = len(deck.cards)
        position = np.full(CARDS, -1)
        position[list(deck.cards)] = np.arange(n)
        self.position = position
        self.image = np.ascontiguousarray(position[suit_renamings(deck)[:, list(deck.cards)]])
        self.choose: I64 = np.array([[comb(i, k) for k in range(MOST_CARDS + 1)] for i in range(n + 1)])
        self.number, self.renaming = np.full(comb(n, size), -1, np.int32), np.zeros(comb(n, size), np.uint8)
        every = np.empty((comb(n, size), size), np.int64)
        inverse = np.argsort(self.image, axis=1)
        back = np.array([int(np.flatnonzero((self.image == row).all(axis=1))[0]) for row in inverse])
        room = np.arange(size), np.empty(size, np.int64)
        count = _number_sets(self.image, back, self.choose, self.number, self.renaming, every, *room)
        self.cards = every[:count].copy()
        self.counts = np.bincount(self.number, minlength=count)

    def __len__(self) -> int:
        return len(self.cards)

    def free(self, board: I64) -> I64:
        return np.setdiff1d(np.arange(len(self.deck.cards)), board)

    def find(self, cards: Iterable[int]) -> tuple[int, I64]:
        """The representative of some cards, and (cards of the deck,) the image of each position."""
        code = sum(comb(at, k + 1) for k, at in enumerate(sorted(self.position[list(cards)].tolist())))
        return int(self.number[code]), self.image[self.renaming[code]]


@lru_cache(maxsize=8)
def card_sets(deck: Deck, size: int) -> CardSets:
    """The sets of `size` cards of a deck, cached."""
    return CardSets(deck, size)


@kernel
def _number_sets(
    image: Any, back: Any, choose: Any, number: Any, renaming: Any, every: Any, cards: Any, turned: Any
) -> int:
    """Number all sets; the first of isomorphic ones represents them. cards: the first set."""
    size, count = every.shape[1], 0
    for code in range(len(number)):
        if number[code] < 0:
            for k in range(size):
                every[count, k] = cards[k]
            for r in range(len(image)):
                for k in range(size):
                    turned[k] = image[r, cards[k]]
                other = code_of(turned, choose)
                number[other] = count
                renaming[other] = back[r]
            count += 1
        k = 0  # the next set: the lowest card that can move up does, and those below it start again
        while k + 1 < size and cards[k] + 1 == cards[k + 1]:
            cards[k] = k
            k += 1
        cards[k] += 1
    return count


@kernel(inline=True, inner=True)
def code_of(cards: Any, choose: Any) -> Any:
    """Sort the cards of a set in place; returns its number among all sets of its size, in colexicographic order."""
    code = 0
    for k in range(len(cards)):
        at, card = k, cards[k]
        while at > 0 and cards[at - 1] > card:
            cards[at] = cards[at - 1]
            at -= 1
        cards[at] = card
    for k in range(len(cards)):
        code += choose[cards[k], k + 1]
    return code


GROUPS = 8
"""Groups of opposing hands."""
STEPS = 255
"""The whole number for an equity of 1, where it is stored in a byte."""
_PLACE = 11
_CHUNK = 256
"""The number of boards that are sorted at once."""
_ROUNDING = 1.5 * 2.0**23
"""Added to a float32 and subtracted again, it rounds to a whole number."""


def board_strengths(sets: CardSets) -> U8:
    """(sets, places) equity of each hand of each board against any hand, from 0 to `STEPS`."""
    out = np.empty((len(sets), _hands_left(sets)), np.uint8)
    for first in range(0, len(sets), _CHUNK):
        keys = sorted_hands(sets, np.arange(first, min(first + _CHUNK, len(sets))))
        _sweep_strengths(keys, pairs_of_places(sets), STEPS, np.empty(CARDS, np.int64), out[first : first + _CHUNK])
    return out


def sorted_hands(sets: CardSets, numbers: I64) -> I64:
    """(boards, places) the hands of boards in the order of their strength: rank and place as one number."""
    cards = np.asarray(sets.deck.cards)
    keys = np.empty((len(numbers), _hands_left(sets)), np.int64)
    spare = sets.size - 3
    _rank_boards(sets.cards[numbers], BIT[cards], spare, *STANDARD.numbers, keys)
    keys.sort(axis=1)
    return keys


def sorted_features(sets: CardSets, number: int, keys: I64, rivals: I8, scale: int) -> F32:
    """(n, GROUPS + 1) features of the hands of a board, in the order of its row `keys` (n,) of `sorted_hands`; see
    `sweep_groups`. rivals: (hands of the deck,) the group of each opposing hand."""
    pairs, free = pairs_of_places(sets)[keys & (1 << _PLACE) - 1], sets.free(sets.cards[number])
    low, high = free[pairs.T]
    starts = np.append(np.flatnonzero(np.diff(keys >> _PLACE, prepend=-1)), len(keys)).astype(np.int32)
    found = np.empty((len(keys), GROUPS + 1), np.float32)
    sweep_groups(
        pairs, starts, len(starts) - 1, rivals[high * (high - 1) // 2 + low], scale, group_room(len(keys)), found
    )
    return found


def pairs_of_places(sets: CardSets) -> I32:
    """(places, 2) the cards of the hand at each place of a board, numbered among those that the board leaves."""
    left = len(sets.deck.cards) - sets.size
    return np.array([(low, high) for high in range(left) for low in range(high)], np.int32)


def _hands_left(sets: CardSets) -> int:
    left = len(sets.deck.cards) - sets.size
    return left * (left - 1) // 2


@kernel
def _rank_boards(boards: Any, bit: Any, spare: int, low: int, swap: int, keys: Any) -> None:
    """Fill rows of keys: the rank of each hand, with its place in the lowest bits."""
    cards = len(bit)
    for b in range(len(boards)):
        board = 0
        for card in boards[b]:
            board |= bit[card]
        at = 0
        for first in range(cards):
            for second in range(first):
                held = bit[first] | bit[second]
                if not held & board:
                    keys[b, at] = rank_of(held | board, spare, low, swap) << _PLACE | at
                    at += 1


@kernel
def _sweep_strengths(keys: Any, pairs: Any, steps: int, held: Any, out: Any) -> None:
    """Fill rows of equities, by place. held: room for each card."""
    n = keys.shape[1]
    mask = (1 << _PLACE) - 1
    cards = 0
    for i in range(n):
        cards = max(cards, pairs[i, 1] + 1)
    every = (cards - 2) * (cards - 3)  # twice the hands that share no card with one
    for b in range(len(keys)):
        for card in range(len(held)):
            held[card] = 0
        begin = 0
        while begin < n:
            end = begin + 1
            while end < n and keys[b, end] >> _PLACE == keys[b, begin] >> _PLACE:
                end += 1
            for i in range(begin, end):
                place = keys[b, i] & mask
                out[b, place] = 0
                x, y = pairs[place, 0], pairs[place, 1]
                keys[b, i] = place | (begin - held[x] - held[y]) << _PLACE
            for i in range(begin, end):
                place = keys[b, i] & mask
                held[pairs[place, 0]] += 1
                held[pairs[place, 1]] += 1
            for i in range(begin, end):
                place = keys[b, i] & mask
                won = (keys[b, i] >> _PLACE) + end - held[pairs[place, 0]] - held[pairs[place, 1]] + 1
                out[b, place] = (2 * won * steps + every) // (2 * every)
            begin = end


@kernel
def tie_starts(steps: Any, n: int, starts: Any) -> int:
    """Fill the first of each set of tied hands, from the steps of a `RankedBoard`, and n after the last; returns their
    number."""
    at, begin, count = 0, 0, 0
    while begin < n:
        starts[count] = begin
        count += 1
        begin += steps[at]
        cards = steps[at + 1]
        at += 2
        for _ in range(cards):
            at += 2 + 4 * steps[at + 1]
    starts[count] = n
    return count


def group_room(hands: int) -> F32:
    """(hands + 114, GROUPS) scratch of `sweep_groups` for so many hands, zeros."""
    return np.zeros((2 + GROUPS + 2 * CARDS + hands, GROUPS), np.float32)


@kernel
def sweep_groups(pairs: Any, starts: Any, ties: int, group: Any, scale: float, room: Any, out: Any) -> None:
    """Fill (n, GROUPS + 1) equities of the hands of a board, in order of strength: against each group, and against all
    hands; 1/2 against a group that has no possible hand. They are rounded to whole numbers, `scale`, which is even, for
    1. pairs: (n, 2) cards, numbered from 0. starts: (ties + 1,) first hand of each set of tied hands, and n. group:
    (n,). room: a new `group_room`."""
    alone, by_card = room[2 : 2 + GROUPS], 2 + GROUPS
    for one in range(GROUPS):
        alone[one, one] = 1.0
    # how many hands there are, and how many the sweep has passed: of each group, and of each that hold a card
    total, held = room[0], room[by_card : by_card + CARDS]
    passed, seen = room[1], room[by_card + CARDS : by_card + 2 * CARDS]
    won = room[by_card + 2 * CARDS :]  # half pots from each group
    for i in range(len(group)):
        total[group[i]] += 1
        held[pairs[i, 0], group[i]] += 1
        held[pairs[i, 1], group[i]] += 1
    for tie in range(ties):
        begin, end = starts[tie], starts[tie + 1]
        for i in range(begin, end):
            _left_out(passed, seen, pairs[i, 0], pairs[i, 1], won, i)
        for i in range(begin, end):
            passed[group[i]] += 1
            seen[pairs[i, 0], group[i]] += 1
            seen[pairs[i, 1], group[i]] += 1
        for i in range(begin, end):
            _shares(i, pairs, group[i], passed, seen, total, held, won, alone, scale, out)


@kernel(inline=True, inner=True)
def _left_out(passed: Any, seen: Any, x: int, y: int, won: Any, i: int) -> None:
    """(GROUPS,) hands of each group that the sweep has passed, without those that hold one of two cards."""
    by, at = pointer(seen), pointer(passed)
    store(pointer(won), i * GROUPS, load(at, 0) - load(by, x * GROUPS) - load(by, y * GROUPS))


@kernel(inline=True, inner=True)
def _shares(
    i: int, pairs: Any, own: int, passed: Any, seen: Any, total: Any, held: Any, won: Any, alone: Any, scale: float,
    out: Any,
) -> None:  # fmt: skip
    """Equities of one hand. Both its cards subtract the hand itself, which `alone` adds back."""
    at, x, y, to = pointer(passed), pairs[i, 0] * GROUPS, pairs[i, 1] * GROUPS, i * (GROUPS + 1)
    self, zero = load(pointer(alone), own * GROUPS), same_as(at, 0.0)
    by, of = pointer(seen), pointer(held)
    half_pots = load(pointer(won), i * GROUPS) + load(at, 0) - load(by, x) - load(by, y) + self
    met = load(pointer(total), 0) - load(of, x) - load(of, y) + self
    half = same_as(at, 0.5 * scale)
    share = where_above(met, zero, half_pots * half / met, half)
    up = same_as(at, _ROUNDING)
    store(pointer(out), to, share + up - up)
    store(pointer(won), i * GROUPS, half_pots)
    half_pots_of_all, hands = np.float32(0), np.float32(0)
    for g in range(GROUPS):
        half_pots_of_all += won[i, g]
        hands += total[g] - held[pairs[i, 0], g] - held[pairs[i, 1], g]
    out[i, GROUPS] = np.floor(half_pots_of_all * np.float32(0.5 * scale) / (hands + np.float32(1)) + np.float32(0.5))
