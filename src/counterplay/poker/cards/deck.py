"""Cards, decks and hands of two cards, as integers.

A card is 4 · rank + suit: ranks 0 (a deuce) to 12 (an ace), suits in the order of "cdhs". A hand is an unordered pair of
cards; the hands of a deck are numbered by their higher card first, then by the lower one. Hands that share no card are
compatible: they can be dealt together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from counterplay.arrays import F64, I64, AnyArray, Flags
from counterplay.errors import InputError, quoted

RANKS, SUITS = "23456789TJQKA", "cdhs"
CARDS = len(RANKS) * len(SUITS)
_TEXTS = tuple(rank + suit for rank in RANKS for suit in SUITS)


@dataclass(frozen=True)
class Deck:
    """The cards in play, in rising order; fewer than 52 make a short deck or a toy."""

    cards: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "cards", tuple(sorted(cards_of(self.cards))))
        if len(self.cards) < 2:
            raise InputError(f"a deck must have at least 2 cards, not {len(self.cards)}")

    @classmethod
    def from_rank(cls, lowest: str) -> Deck:
        """All cards of the rank `lowest` and above: "2" is the full deck, "6" that of six-plus."""
        rank = RANKS.find(lowest.upper()) if len(lowest) == 1 else -1
        if rank < 0:
            raise InputError(f"the lowest rank of a deck must be one of {RANKS}, not {quoted(lowest)}")
        return cls(tuple(range(len(SUITS) * rank, CARDS)))

    @cached_property
    def hands(self) -> I64:
        """(n, 2) every pair of cards, the lower card first; n = 1326 with 52 cards."""
        array = np.array([(low, high) for at, high in enumerate(self.cards) for low in self.cards[:at]], np.int64)
        array.setflags(write=False)
        return array

    @cached_property
    def numbers(self) -> I64:
        """(52, 52) the number of the hand of two cards in either order; -1 where the deck has no such hand."""
        table = np.full((CARDS, CARDS), -1, np.int64)
        low, high = self.hands.T
        table[low, high] = table[high, low] = np.arange(len(self.hands))
        table.setflags(write=False)
        return table

    def hand(self, first: int, second: int) -> int:
        """The number of the hand of two cards."""
        return int(self.numbers[self.held((first, second))])

    def held(self, cards: str | Iterable[int]) -> tuple[int, ...]:
        """The given cards, checked to be different cards of this deck."""
        given = cards_of(cards)
        if not self._members.issuperset(given):
            missing = next(card for card in given if card not in self._members)
            raise InputError(f"the deck has no card {card_text(missing)}")
        return given

    @cached_property
    def _members(self) -> frozenset[int]:
        return frozenset(self.cards)

    def live(self, board: str | Iterable[int]) -> Flags:
        """(n,) whether each hand holds no card of the board."""
        shown = np.zeros(CARDS, np.bool_)
        shown[list(self.held(board))] = True
        low, high = self.hands.T
        return ~(shown[low] | shown[high])  # type: ignore[no-any-return]


def parse_card(text: str) -> int:
    """The card that a text such as "Qs" names."""
    rank, suit = (RANKS.find(text[0].upper()), SUITS.find(text[1].lower())) if len(text) == 2 else (-1, -1)
    if rank < 0 or suit < 0:
        raise InputError(f"'{text}' is not a card: write a rank of {RANKS} and a suit of {SUITS}, such as Qs")
    return len(SUITS) * rank + suit


def cards_of(cards: str | Iterable[int]) -> tuple[int, ...]:
    """Cards from a text such as "Qs Jh 2h" or "QsJh2h", or from numbers, in the given order."""
    if isinstance(cards, str):
        words = cards.replace(",", " ").split()
        found = tuple(parse_card(word[k : k + 2]) for word in words for k in range(0, len(word), 2))
    else:
        found = tuple(_checked(card) for card in cards)
    if len(set(found)) < len(found):
        twice = next(card for k, card in enumerate(found) if card in found[:k])
        raise InputError(f"the card {card_text(twice)} is given twice")
    return found


def card_text(card: int) -> str:
    """The text of a card: 42 is "Qh"."""
    return _TEXTS[_checked(card)]


def cards_text(cards: Iterable[int]) -> str:
    """The text of cards, in the given order: "Qs Jh 2h"."""
    return " ".join(card_text(card) for card in cards)


def hand_text(hand: Sequence[int]) -> str:
    """The text of a hand, the higher card first: "AhKs"; "Ah" of a one-card hand, whose dummy is beyond the deck."""
    return "".join(card_text(card) for card in sorted(hand, reverse=True) if card < CARDS)


def _checked(card: int) -> int:
    if type(card) is int and 0 <= card < CARDS:  # nearly always
        return card
    if not isinstance(card, int | np.integer) or not 0 <= card < CARDS:
        raise InputError(f"a card must be a whole number from 0 to {CARDS - 1}, not {card}")
    return int(card)


FULL = Deck.from_rank("2")
SIX_PLUS = Deck.from_rank("6")


def compatible_weight(hands: AnyArray, weights: F64) -> F64:
    """(n,) the weight of the hands that share no card with each of them."""
    first, second = hands.T
    size = int(hands.max(initial=0)) + 1
    by_card = np.bincount(first, weights, size) + np.bincount(second, weights, size)
    left: F64 = weights.sum() - by_card[first] - by_card[second] + weights
    return np.maximum(left, 0.0)


def unique_below(bound: int, numbers: AnyArray) -> tuple[I64, I64]:
    """The distinct numbers, ascending, and the index of each given number among them, in the shape of `numbers`. bound:
    all numbers lie from 0 to below it."""
    found = np.zeros(bound, np.bool_)
    found[numbers] = True
    place = np.cumsum(found) - 1
    return np.flatnonzero(found), place[numbers]
