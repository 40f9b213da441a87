"""Boards of any number of streets, made on demand; those of small decks are cached."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import combinations, pairwise
from math import comb

import numpy as np

from counterplay.arrays import I64, Flags
from counterplay.errors import InputError
from counterplay.poker.cards.deck import CARDS, Deck
from counterplay.poker.cards.hand_rank import hand_ranks
from counterplay.poker.whole_game.boards.board import (
    DEALT,
    Board,
    HandClasses,
    Small,
    board_codes,
    suit_renamings,
)
from counterplay.poker.whole_game.boards.hand_layout import layout

MOST_KEPT = 8_000_000
"""The most hands on cached boards, at about 40 bytes each."""


class StreetBoards(HandClasses):
    """The boards of a deck up to the street `last`.

    Attributes:
        deck: the cards in play.
        last: the last street, that of the showdown.
        turns: see `GameBoards`.

    Raises:
        InputError: a deck with too few cards for two hands and the last board.
    """

    def __init__(self, deck: Deck, last: int) -> None:
        if len(deck.cards) < 4 + DEALT[last]:
            raise InputError(
                f"a deck for two hands and a board of {DEALT[last]} cards needs at least {4 + DEALT[last]} cards, not "
                f"{len(deck.cards)}"
            )
        self.deck, self.last, self.turns = deck, last, suit_renamings(deck)
        self._boards: dict[tuple[int, ...], Board] = {}
        self._after: dict[tuple[int, ...], list[Board]] = {}
        self._choices: dict[tuple[int, ...], tuple[I64, I64]] = {}
        self._room = MOST_KEPT

    def after(self, board: Board) -> list[Board]:
        found = self._after.get(board.cards)
        if found is None:
            found = [self.child(board, k) for k in range(len(self.choices(board)[0]))]
            if self._boards.get(found[0].cards) is found[0]:  # else they filled the room, and are not kept
                self._after[board.cards] = found
        return found

    def choices(self, board: Board) -> tuple[I64, I64]:
        """(boards, cards) the new cards of each board up to isomorphism, and (boards,) how many it represents."""
        if not board.cards:
            return self._flops
        found = self._choices.get(board.cards)
        if found is None:
            free = [card for card in self.deck.cards if card not in board.cards]
            turned = self.turns[self._keeping(board.cards)][:, free].min(axis=0)
            counts = np.bincount(turned)
            first = np.flatnonzero(counts)
            found = self._choices[board.cards] = first[:, None], counts[first]
        return found

    def child(self, board: Board, number: int) -> Board:
        new, counts = self.choices(board)
        cards = (*board.cards, *new[number].tolist())
        found = self._boards.get(cards)
        if found is None:
            found = self._make(board, number, cards, int(counts[number]))
            if self._room <= 0:  # those of a small deck never fill it; of a large one the next flop needs none of them
                self._boards.clear()
                self._after.clear()
                self._choices.clear()
                self._room = MOST_KEPT
            self._room -= len(found.hand)
            self._boards[cards] = found
        return found

    def most_hands(self, street: int) -> float:
        """A lower bound on the hands on all boards of a street up to isomorphism: as if no renaming kept a board."""
        cards, left = len(self.deck.cards), 1.0
        for before, after in pairwise(DEALT[: street + 1]):
            left *= comb(cards - before, after - before)
        return left * comb(cards - DEALT[street], 2) / len(self.turns)

    def find_board(self, cards: Iterable[int]) -> tuple[Board, I64]:
        """see `GameBoards`.

        Raises:
            InputError: a number of cards that no street has, or cards that are not in the deck.
        """
        given = self.deck.held(tuple(cards))
        if len(given) not in DEALT[: self.last + 1]:
            raise InputError(f"a board of this game has {', '.join(map(str, DEALT[: self.last + 1]))} cards, not "
                             f"{len(given)}")  # fmt: skip
        turned = self.turns[:, list(given)]
        turned[:, :3] = np.sort(turned[:, :3], axis=1)
        best = int(board_codes(turned).argmin())
        board, wanted = self.root, turned[best]
        for street in range(1, DEALT.index(len(given)) + 1):
            new, _ = self.choices(board)
            own = wanted[DEALT[street - 1] : DEALT[street]]
            board = self.child(board, int(np.flatnonzero((new == own).all(axis=1))[0]))
        return board, self.turns[best]

    @property
    def _flops(self) -> tuple[I64, I64]:
        return _different_flops(self.deck)

    def _keeping(self, cards: tuple[int, ...]) -> Flags:
        """(renamings,) whether each keeps a board: its flop as a set, its turn and river."""
        flop, later = list(cards[:3]), list(cards[3:])
        kept = _is_among(flop)[self.turns[:, flop]].all(axis=1)
        return np.asarray(kept & (self.turns[:, later] == later).all(axis=1) if later else kept)

    def _make(self, before: Board, number: int, cards: tuple[int, ...], count: int) -> Board:
        street = before.street + 1
        shown, (low, high) = _is_among(cards), self.deck.hands.T
        hand = np.flatnonzero(~(shown[low] | shown[high]))
        rank = np.arange(len(hand), dtype=np.int32)
        if street == self.last:
            rank = hand_ranks(cards, self.deck.hands[hand], deck=self.deck)
            order = np.argsort(rank, kind="stable")
            hand, rank = hand[order], rank[order]
        up = (_places(before.hand, len(self.deck.hands))[hand] if before.cards else self.group[hand]).astype(np.uint32)
        turned = self._turned(cards, hand)
        lane, lanes = _different(turned)
        if street == self.last:
            turned = turned[:1]
        return Board(
            street, number, cards, count, hand, up, lane, lanes, turned, layout(self.deck.hands[hand], rank), before
        )

    def _turned(self, cards: tuple[int, ...], hand: I64) -> I64:
        """(renamings, n) the place of each hand after each renaming that keeps the board."""
        keeping = self._keeping(cards)
        if keeping.sum() == 1:  # the renaming that changes nothing
            return np.arange(len(hand))[None]
        place, (low, high) = _places(hand, len(self.deck.hands)), self.deck.hands[hand].T
        return place[[self.deck.numbers[turn[low], turn[high]] for turn in self.turns[keeping]]]


def _is_among(cards: Iterable[int]) -> Flags:
    """(52,) whether a card is one of some."""
    found = np.zeros(CARDS, np.bool_)
    found[list(cards)] = True
    return found


def _places(hand: I64, hands: int) -> I64:
    """(hands,) where each of the deck's hands stands among some."""
    place = np.zeros(hands, np.int64)
    place[hand] = np.arange(len(hand))
    return place


def _different(turned: I64) -> tuple[Small, int]:
    """(n,) the number of each hand up to isomorphism, and how many there are."""
    if len(turned) == 1:
        return np.arange(turned.shape[1], dtype=np.uint32), turned.shape[1]
    first, lane = np.unique(turned.min(axis=0), return_inverse=True)
    return lane.astype(np.uint32), len(first)


@lru_cache(maxsize=4)
def _different_flops(deck: Deck) -> tuple[I64, I64]:
    """(flops, 3) representatives of isomorphic flops, rising, and (flops,) the number of flops that each represents."""
    every = np.array(list(combinations(deck.cards, 3)))
    turned = np.min([board_codes(np.sort(turn[every], axis=1)) for turn in suit_renamings(deck)], axis=0)
    first, counts = np.unique(turned, return_counts=True)
    return every[np.searchsorted(board_codes(every), first)], counts
