"""Boards of a deck, street by street: of those that renaming suits turns into each other one is dealt, and counts for all.

A board comes after the one of the street before, and the renamings that keep it are those of that board which keep the new
cards too. Before the flop there is one board, on which hands are classes such as AKs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from math import comb, prod
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from counterplay.poker.cards.deck import CARDS, RANKS, SUITS, Deck, Ints
from counterplay.poker.showdown.terminals import RankedBoard

Small = NDArray[np.uint32]
DEALT = (0, 3, 4, 5)
"""Cards of the board on each street."""


@dataclass(frozen=True, eq=False)
class Board:
    """A board and the hands on it, in rising order of their numbers in the deck; on the last street in order of strength.

    Attributes:
        street: index in STREETS.
        number: its place among the boards that may come after the one before.
        cards: the flop in rising order, then turn and river.
        count: how many boards it stands for, after the one before.
        hand: (n,) number in the deck of the hand at each place.
        up: (n,) the place of each hand on the board before; its class, where that is no board yet.
        lane: (n,) number of each hand among those that differ, from 0.
        lanes: how many differ.
        turned: (renamings, n) the place of what each hand becomes by the renamings that keep the board; none on the last.
        layout: what the showdown kernel needs; None before the flop.
        before: the board of the street before; None before the flop.
    """

    street: int
    number: int
    cards: tuple[int, ...]
    count: int
    hand: Ints
    up: Small
    lane: Small
    lanes: int
    turned: Ints
    layout: RankedBoard | None
    before: Board | None


class GameBoards(Protocol):
    """The boards of a game."""

    @property
    def deck(self) -> Deck:
        """The cards in play."""

    @property
    def turns(self) -> Ints:
        """(renamings, 52) the card that each card becomes by the renamings of suits that keep the deck."""

    @property
    def root(self) -> Board:
        """No board."""

    def after(self, board: Board) -> Sequence[Board]:
        """All boards of the next street after one, up to renamings of suits."""

    def choices(self, board: Board) -> tuple[Ints, Ints]:
        """(boards,) what each of `after` is told by, and how many boards each stands for; without making them."""

    def child(self, board: Board, number: int) -> Board:
        """One of `after`."""

    def find_board(self, cards: Iterable[int]) -> tuple[Board, Ints]:
        """The board that given cards, in the order of the deal, are turned into, and (52,) what each card becomes."""


class HandClasses:
    """Hands before the flop, by what renaming suits makes of them; needs `deck` and `turns`."""

    deck: Deck
    turns: Ints

    @cached_property
    def group(self) -> Small:
        """(hands of the deck,) the class of each hand, such as AKs."""
        low, high = self.deck.hands.T
        turned = np.array([self.deck.numbers[turn[low], turn[high]] for turn in self.turns])
        return np.unique(turned.min(axis=0), return_inverse=True)[1].astype(np.uint32)

    @cached_property
    def classes(self) -> int:
        """How many hands differ before the flop."""
        return int(self.group.max()) + 1

    @cached_property
    def sizes(self) -> Ints:
        """(classes,) hands in each class."""
        return np.bincount(self.group)

    @cached_property
    def meets(self) -> NDArray[np.float64]:
        """(classes, classes) pairs of hands, one of each class, that share no card."""
        hands = self.deck.hands
        held = np.zeros((len(hands), CARDS))
        np.put_along_axis(held, hands, 1.0, axis=1)
        member = np.eye(self.classes)[self.group]
        shared = (held @ held.T > 0).astype(float)
        all_pairs: NDArray[np.float64] = np.outer(self.sizes, self.sizes) - member.T @ shared @ member
        return all_pairs

    @cached_property
    def root(self) -> Board:
        """No board: places are classes."""
        every = np.arange(self.classes)
        same = every.astype(np.uint32)
        return Board(0, 0, (), 1, every, same, same, self.classes, every[None], None, None)

    def name(self, group: int) -> str:
        """A class as players write it: AA, AKs, AKo; in a short deck the first hand of the class."""
        low, high = self.deck.hands[int(np.flatnonzero(self.group == group)[0])].tolist()
        ranks = RANKS[high // len(SUITS)] + RANKS[low // len(SUITS)]
        return ranks + ("" if ranks[0] == ranks[1] else "s" if low % 4 == high % 4 else "o")


def pairs_of_hands(deck: Deck) -> float:
    """Ways to deal two hands, one to each player."""
    return float(len(deck.hands) * comb(len(deck.cards) - 2, 2))


def deals_to_come(deck: Deck, street: int, last: int) -> float:
    """Ways to deal the streets after one, until the last, when two hands and the board are out."""
    left = len(deck.cards) - 4
    cards = zip(DEALT[street:last], DEALT[street + 1 : last + 1], strict=True)
    return float(prod(comb(left - out, then - out) for out, then in cards))


def suit_renamings(deck: Deck) -> Ints:
    """Renamings of suits that keep the deck, each as the cards that the 52 become; those that differ on the deck."""
    card = np.arange(CARDS)
    found: dict[tuple[int, ...], Ints] = {}
    for suits in permutations(range(len(SUITS))):
        turn = card // 4 * 4 + np.array(suits)[card % 4]
        kept = tuple(turn[list(deck.cards)].tolist())
        if set(kept) == set(deck.cards):
            found.setdefault(kept, turn)
    return np.array(list(found.values()))


def board_codes(boards: Ints) -> Ints:
    """One number a board, in the order of its cards."""
    codes: Ints = np.zeros(boards.shape[:-1], np.int64)
    for k in range(boards.shape[-1]):
        codes = codes * CARDS + boards[..., k]
    return codes


def even_out(board: Board, sums: NDArray[Any]) -> NDArray[Any]:
    """Sums over boards that stand for others, (rows, places), as they are over all boards: the same for hands that the
    renamings which keep the board before turn into each other."""
    if len(board.turned) == 1:
        return sums
    out = np.zeros_like(sums)
    for places in board.turned:
        out += sums[:, places]
    out /= len(board.turned)
    return out
