"""Boards of a deck, street by street, up to suit isomorphism: one of isomorphic boards is dealt, weighted by their number.

A board follows the board of the street before; the suit renamings that keep it are those of that board that also keep the
new cards. Before the flop there is one board without cards, on which hands are classes such as AKs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from math import comb, prod
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from counterplay.arrays import F64, I64, AnyArray
from counterplay.poker.cards.deck import CARDS, RANKS, SUITS, Deck
from counterplay.poker.showdown.terminals import RankedBoard

Small = NDArray[np.uint32]
DEALT = (0, 3, 4, 5)
"""Number of cards on the board, by street."""


@dataclass(frozen=True, eq=False)
class Board:
    """A board and the hands on it, in rising order of their numbers in the deck; on the last street in order of strength.

    Attributes:
        street: index in STREETS.
        number: its number among the boards that can follow the one before.
        cards: the flop in rising order, then turn and river.
        count: the number of boards that it represents, after the one before.
        hand: (n,) number in the deck of the hand at each place.
        up: (n,) the place of each hand on the board before; on a flop its class.
        lane: (n,) number of each hand up to isomorphism, from 0.
        lanes: the number of hands up to isomorphism.
        turned: (renamings, n) the place of each hand after each suit renaming that keeps the board; empty on the last.
        layout: layout of the showdown kernel; None before the flop.
        before: the board of the street before; None before the flop.
    """

    street: int
    number: int
    cards: tuple[int, ...]
    count: int
    hand: I64
    up: Small
    lane: Small
    lanes: int
    turned: I64
    layout: RankedBoard | None
    before: Board | None


class GameBoards(Protocol):
    """The boards of a game."""

    @property
    def deck(self) -> Deck:
        """The cards in play."""

    @property
    def turns(self) -> I64:
        """(renamings, 52) the image of each card under each suit renaming that keeps the deck."""

    @property
    def root(self) -> Board:
        """The board without cards."""

    def after(self, board: Board) -> Sequence[Board]:
        """All boards of the next street after one, up to isomorphism."""

    def choices(self, board: Board) -> tuple[I64, I64]:
        """(boards, cards) the new cards of each board of `after`, and (boards,) how many it represents; no board is made."""

    def child(self, board: Board, number: int) -> Board:
        """The board of `after` with a number: its index in `choices`."""

    def find_board(self, cards: Iterable[int]) -> tuple[Board, I64]:
        """The board that represents given cards, in the order of the deal, and (52,) the image of each card."""


class HandClasses:
    """Hands before the flop up to suit isomorphism; needs `deck` and `turns`."""

    deck: Deck
    turns: I64

    @cached_property
    def group(self) -> Small:
        """(hands of the deck,) the class of each hand, such as AKs."""
        low, high = self.deck.hands.T
        turned = np.array([self.deck.numbers[turn[low], turn[high]] for turn in self.turns])
        return np.unique(turned.min(axis=0), return_inverse=True)[1].astype(np.uint32)

    @cached_property
    def classes(self) -> int:
        """The number of hands before the flop up to isomorphism."""
        return int(self.group.max()) + 1

    @cached_property
    def sizes(self) -> I64:
        """(classes,) number of hands in each class."""
        return np.bincount(self.group)

    @cached_property
    def meets(self) -> F64:
        """(classes, classes) number of pairs of hands, one of each class, that share no card."""
        hands = self.deck.hands
        held = np.zeros((len(hands), CARDS))
        np.put_along_axis(held, hands, 1.0, axis=1)
        member = np.eye(self.classes)[self.group]
        shared = (held @ held.T > 0).astype(float)
        return np.ascontiguousarray(np.outer(self.sizes, self.sizes) - member.T @ shared @ member)

    @cached_property
    def root(self) -> Board:
        """The board without cards: places are classes."""
        every = np.arange(self.classes)
        same = every.astype(np.uint32)
        return Board(0, 0, (), 1, every, same, same, self.classes, every[None], None, None)

    def name(self, group: int) -> str:
        """A class in players' notation: AA, AKs, AKo; in a short deck the first hand of the class."""
        low, high = self.deck.hands[int(np.flatnonzero(self.group == group)[0])].tolist()
        ranks = RANKS[high // len(SUITS)] + RANKS[low // len(SUITS)]
        return ranks + ("" if ranks[0] == ranks[1] else "s" if low % 4 == high % 4 else "o")


def pairs_of_hands(deck: Deck) -> float:
    """The number of ways to deal two hands, one to each player."""
    return float(len(deck.hands) * comb(len(deck.cards) - 2, 2))


def deals_to_come(deck: Deck, street: int, last: int) -> float:
    """The number of ways to deal the streets after one, to the last, once two hands and the board are dealt."""
    left = len(deck.cards) - 4
    cards = zip(DEALT[street:last], DEALT[street + 1 : last + 1], strict=True)
    return float(prod(comb(left - out, then - out) for out, then in cards))


def suit_renamings(deck: Deck) -> I64:
    """(renamings, 52) the image of each card under the suit renamings that keep the deck; each once."""
    card = np.arange(CARDS)
    found: dict[tuple[int, ...], I64] = {}
    for suits in permutations(range(len(SUITS))):
        turn = card // 4 * 4 + np.array(suits)[card % 4]
        kept = tuple(turn[list(deck.cards)].tolist())
        if set(kept) == set(deck.cards):
            found.setdefault(kept, turn)
    return np.array(list(found.values()))


def board_codes(boards: I64) -> I64:
    """(...,) one number for each board (..., cards); lexicographic order of cards is kept."""
    codes: I64 = np.zeros(boards.shape[:-1], np.int64)
    for k in range(boards.shape[-1]):
        codes = codes * CARDS + boards[..., k]
    return codes


def even_out(board: Board, sums: AnyArray) -> AnyArray:
    """(rows, places) sums over all boards, from sums over representatives (rows, places): averaged over the hands that
    the suit renamings which keep the board map to each other."""
    if len(board.turned) == 1:
        return sums
    out = np.zeros_like(sums)
    for places in board.turned:
        out += sums[:, places]
    out /= len(board.turned)
    return out
