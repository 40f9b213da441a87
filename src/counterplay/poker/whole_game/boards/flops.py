"""The flops of a deck up to suit isomorphism.

A full deck has 22,100 flops, 1,755 up to isomorphism; 1,326 hands before the flop in 169 classes; and 1,286,792 pairs of a
flop and a hand up to isomorphism. Isomorphic flops are represented by the first of them. Strategies must not depend on the
names of suits.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations
from typing import ClassVar

import numpy as np

from counterplay.arrays import I32, I64
from counterplay.errors import InputError
from counterplay.poker.cards.deck import CARDS, FULL, Deck, unique_below
from counterplay.poker.cards.hand_rank import hand_ranks
from counterplay.poker.showdown.terminals import RankedBoard
from counterplay.poker.whole_game.boards.board import (
    Board,
    HandClasses,
    Small,
    board_codes,
    deals_to_come,
    pairs_of_hands,
    suit_renamings,
)
from counterplay.poker.whole_game.boards.hand_layout import layout
from counterplay.poker.whole_game.boards.street_boards import StreetBoards


@dataclass(frozen=True, eq=False)
class Flops(HandClasses):
    """F flops and the n hands on each of them, in order of strength.

    Attributes:
        deck: the cards in play.
        boards: (F, 3) the cards of each flop, rising.
        counts: (F,) the number of flops that each represents.
        hand: (F, n) number in the deck of the hand at each place; places rise with the strength of the hand.
        rank: (F, n) its rank; equal hands split the pot.
        lane: (F, n) its number among the hands of the flop up to isomorphism, from 0.
        lanes: (F,) the number of hands of a flop up to isomorphism.
        turns: (renamings, 52) the image of each card under each suit renaming that keeps the deck.
        layouts: layout of the showdown kernel, for each flop.
        last: the last street: the flop.
    """

    deck: Deck
    boards: I64
    counts: I64
    hand: I64
    rank: I32
    lane: Small
    lanes: I64
    turns: I64
    layouts: tuple[RankedBoard, ...]
    last: ClassVar[int] = 1

    @property
    def flops(self) -> int:
        return len(self.boards)

    @property
    def places(self) -> int:
        """n, the number of hands on a flop."""
        return int(self.hand.shape[1])

    @cached_property
    def at(self) -> Small:
        """(F, n) the class of the hand at each place."""
        return np.ascontiguousarray(self.group[self.hand])

    @property
    def deals(self) -> tuple[float, float]:
        """The number of ways to deal two hands, and then of ways to deal a flop."""
        return pairs_of_hands(self.deck), deals_to_come(self.deck, 0, 1)

    @cached_property
    def listed(self) -> list[Board]:
        """The flops as boards."""
        return [
            Board(
                1, f, tuple(self.boards[f].tolist()), int(self.counts[f]), self.hand[f], self.at[f], self.lane[f],
                int(self.lanes[f]), np.zeros((1, 0), np.int64), self.layouts[f], self.root,
            )
            for f in range(self.flops)
        ]  # fmt: skip

    def after(self, board: Board) -> list[Board]:  # noqa: ARG002 - there is one street only
        return self.listed

    def choices(self, board: Board) -> tuple[I64, I64]:  # noqa: ARG002
        return self.boards, self.counts

    def child(self, board: Board, number: int) -> Board:  # noqa: ARG002
        return self.listed[number]

    def find_board(self, cards: Iterable[int]) -> tuple[Board, I64]:
        """see `GameBoards`; errors as of `find`."""
        given = tuple(cards)
        if not given:
            return self.root, self.turns[0]
        number, turn = self.find(given)
        return self.listed[number], turn

    def find(self, board: str | Iterable[int]) -> tuple[int, I64]:
        """The number of the flop that represents a board, and (52,) the image of each card.

        Raises:
            InputError: not three different cards of the deck.
        """
        cards = self.deck.held(board)
        if len(cards) != 3:
            raise InputError(f"a flop has 3 cards, not {len(cards)}")
        turned = np.sort(self.turns[:, list(cards)], axis=1)
        codes = board_codes(turned)
        best = int(codes.argmin())
        return int(np.searchsorted(board_codes(self.boards), codes[best])), self.turns[best]


AnyBoards = Flops | StreetBoards
"""The boards of a game."""


@lru_cache(maxsize=2)
def flops_of(deck: Deck = FULL) -> Flops:
    """All flops of a deck up to isomorphism; those of the last two decks are cached.

    Raises:
        InputError: a deck of fewer than 7 cards, too few for two hands and a flop.
    """
    if len(deck.cards) < 7:
        raise InputError(f"a deck for flops needs at least 7 cards, not {len(deck.cards)}")
    turns = suit_renamings(deck)
    every = np.array(list(combinations(deck.cards, 3)))
    codes = np.min([board_codes(np.sort(turn[every], axis=1)) for turn in turns], axis=0)
    first, counts = np.unique(codes, return_counts=True)
    boards = np.stack([first // CARDS**2, first // CARDS % CARDS, first % CARDS], axis=1)
    low, high = deck.hands.T
    turned = np.array([deck.numbers[turn[low], turn[high]] for turn in turns])  # (renamings, hands)
    found = [_on(deck, board, turns, turned) for board in boards]
    hand, rank, lane = (np.array([one[k] for one in found]) for k in range(3))
    layouts = tuple(layout(deck.hands[hands], ranks) for hands, ranks in zip(hand, rank, strict=True))
    small = np.uint32
    return Flops(deck, boards, counts, hand, rank, lane.astype(small), lane.max(axis=1) + 1, turns, layouts)


def _on(deck: Deck, board: I64, turns: I64, turned: I64) -> tuple[I64, I32, I64]:
    """The hands of a flop in order of strength, their ranks, and their numbers up to isomorphism, (n,) each."""
    live = np.flatnonzero(deck.live(board.tolist()))
    rank = hand_ranks(board.tolist(), deck.hands[live], deck=deck)
    order = np.argsort(rank, kind="stable")
    kept = (np.sort(turns[:, board], axis=1) == board).all(axis=1)
    _, lane = unique_below(len(deck.hands), turned[kept][:, live].min(axis=0))
    return live[order], rank[order], lane[order]
