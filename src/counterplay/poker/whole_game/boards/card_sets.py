"""Sets of cards up to suit isomorphism: the index of tables by board.

The order of a board's cards does not matter, nor do the names of its suits: a table has one representative of each set.
The full deck has 1,755 different flops, 16,432 boards of four cards and 134,459 of five.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from math import comb
from typing import Any

import numpy as np

from counterplay.arrays import I64
from counterplay.jit import kernel
from counterplay.poker.cards.deck import CARDS, Deck
from counterplay.poker.whole_game.boards.board import suit_renamings

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
    """Visit all sets in the order of their codes; the first of isomorphic sets represents them. cards: the first
    set."""
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
