"""The different flops of a deck: two flops are one when renaming suits turns one into the other.

A full deck has 22,100 flops, of which 1,755 differ, 1,326 hands before the flop in 169 classes, and 1,286,792 different
pairs of a flop and a hand. Each of the different flops stands for all that it can be turned into, and is stored as the
first of them. What is played there must not depend on the names of the suits.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from counterplay.errors import InputError
from counterplay.poker.cards.deck import CARDS, FULL, Deck, Ints
from counterplay.poker.cards.hand_rank import hand_ranks
from counterplay.poker.cards.occurring import unique_below
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
    """Flops and the hands on them, in order of strength: F flops of n hands each.

    Attributes:
        deck: the cards in play.
        boards: (F, 3) the cards of each flop, rising.
        counts: (F,) how many flops it stands for.
        hand: (F, n) number in the deck of the hand at each place; places rise with the strength of the hand.
        rank: (F, n) its rank; equal hands split the pot.
        lane: (F, n) its number among the different hands of the flop, from 0.
        lanes: (F,) how many different hands a flop has.
        turns: (renamings, cards) the card that each card of the deck's 52 numbers becomes.
        layouts: what the showdown kernel needs of each flop.
        last: the flop is the last street.
    """

    deck: Deck
    boards: Ints
    counts: Ints
    hand: Ints
    rank: NDArray[np.int32]
    lane: Small
    lanes: Ints
    turns: Ints
    layouts: tuple[RankedBoard, ...]
    last: ClassVar[int] = 1

    @property
    def flops(self) -> int:
        return len(self.boards)

    @property
    def places(self) -> int:
        """n, how many hands a flop leaves."""
        return int(self.hand.shape[1])

    @cached_property
    def at(self) -> Small:
        """(F, n) the class of the hand at each place."""
        return np.ascontiguousarray(self.group[self.hand])

    @property
    def deals(self) -> tuple[float, float]:
        """Ways to deal two hands, and ways to deal a flop after that."""
        return pairs_of_hands(self.deck), deals_to_come(self.deck, 0, 1)

    @cached_property
    def listed(self) -> list[Board]:
        """The flops as boards after none."""
        return [
            Board(
                1, f, tuple(self.boards[f].tolist()), int(self.counts[f]), self.hand[f], self.at[f], self.lane[f],
                int(self.lanes[f]), np.zeros((1, 0), np.int64), self.layouts[f], self.root,
            )
            for f in range(self.flops)
        ]  # fmt: skip

    def after(self, board: Board) -> list[Board]:  # noqa: ARG002 - there is one street only
        return self.listed

    def choices(self, board: Board) -> tuple[Ints, Ints]:  # noqa: ARG002
        return self.boards, self.counts

    def child(self, board: Board, number: int) -> Board:  # noqa: ARG002
        return self.listed[number]

    def find_board(self, cards: Iterable[int]) -> tuple[Board, Ints]:
        """see `GameBoards`; errors as of `find`."""
        given = tuple(cards)
        if not given:
            return self.root, self.turns[0]
        number, turn = self.find(given)
        return self.listed[number], turn

    def find(self, board: str | Iterable[int]) -> tuple[int, Ints]:
        """The flop that a board is turned into: its number, and (cards,) the card that each card becomes.

        Raises:
            InputError: the board is not three different cards of the deck.
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
    """All different flops of a deck; those of the last two decks are kept.

    Raises:
        InputError: the deck has fewer than 7 cards, which two hands and a flop take.
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


def _on(deck: Deck, board: Ints, turns: Ints, turned: Ints) -> tuple[Ints, NDArray[np.int32], Ints]:
    """The hands of a flop in order of strength, their ranks, and which of them differ."""
    live = np.flatnonzero(deck.live(board.tolist()))
    rank = hand_ranks(board.tolist(), deck.hands[live], deck=deck)
    order = np.argsort(rank, kind="stable")
    kept = (np.sort(turns[:, board], axis=1) == board).all(axis=1)
    _, lane = unique_below(len(deck.hands), turned[kept][:, live].min(axis=0))
    return live[order], rank[order], lane[order]
