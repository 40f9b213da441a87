"""The different flops of a deck: two flops are one when renaming suits turns one into the other.

A full deck has 22,100 flops, of which 1,755 differ, 1,326 hands before the flop in 169 classes, and 1,286,792 different
pairs of a flop and a hand. Each of the different flops stands for all that it can be turned into, and is stored as the
first of them. What is played there must not depend on the names of the suits.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations, permutations
from math import comb

import numpy as np
from numpy.typing import NDArray

from counterplay.errors import InputError
from counterplay.poker.cards.deck import CARDS, FULL, RANKS, SUITS, Deck, Ints
from counterplay.poker.cards.hand_rank import hand_ranks
from counterplay.poker.cards.occurring import unique_below
from counterplay.poker.showdown.terminals import RankedBoard
from counterplay.poker.whole_game.hand_layout import layout

Small = NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class Flops:
    """Flops and the hands on them, in order of strength: F flops of n hands each.

    Attributes:
        deck: the cards in play.
        boards: (F, 3) the cards of each flop, rising.
        counts: (F,) how many flops it stands for.
        hand: (F, n) number in the deck of the hand at each place; places rise with the strength of the hand.
        rank: (F, n) its rank; equal hands split the pot.
        lane: (F, n) its number among the different hands of the flop, from 0.
        lanes: (F,) how many different hands a flop has.
        group: (hands of the deck,) the class of each hand before the flop, such as AKs.
        turns: (renamings, cards) the card that each card of the deck's 52 numbers becomes.
        layouts: what the showdown kernel needs of each flop.
    """

    deck: Deck
    boards: Ints
    counts: Ints
    hand: Ints
    rank: NDArray[np.int32]
    lane: Small
    lanes: Ints
    group: Small
    turns: Ints
    layouts: tuple[RankedBoard, ...]

    @property
    def flops(self) -> int:
        return len(self.boards)

    @property
    def places(self) -> int:
        """n, how many hands a flop leaves."""
        return int(self.hand.shape[1])

    @cached_property
    def classes(self) -> int:
        """How many hands differ before the flop."""
        return int(self.group.max()) + 1

    @cached_property
    def sizes(self) -> Ints:
        """(classes,) hands in each class."""
        return np.bincount(self.group)

    @cached_property
    def at(self) -> Small:
        """(F, n) the class of the hand at each place."""
        return np.ascontiguousarray(self.group[self.hand])

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
    def deals(self) -> tuple[float, float]:
        """Ways to deal two hands, and ways to deal a flop after that."""
        cards = len(self.deck.cards)
        return float(len(self.deck.hands) * comb(cards - 2, 2)), float(comb(cards - 4, 3))

    def find(self, board: str | Iterable[int]) -> tuple[int, Ints]:
        """The flop that a board is turned into: its number, and (cards,) the card that each card becomes.

        Raises:
            InputError: the board is not three different cards of the deck.
        """
        cards = self.deck.held(board)
        if len(cards) != 3:
            raise InputError(f"a flop has 3 cards, not {len(cards)}")
        turned = np.sort(self.turns[:, list(cards)], axis=1)
        codes = _codes(turned)
        best = int(codes.argmin())
        return int(np.searchsorted(_codes(self.boards), codes[best])), self.turns[best]

    def name(self, group: int) -> str:
        """A class as players write it: AA, AKs, AKo; in a short deck the first hand of the class."""
        low, high = self.deck.hands[int(np.flatnonzero(self.group == group)[0])].tolist()
        ranks = RANKS[high // len(SUITS)] + RANKS[low // len(SUITS)]
        return ranks + ("" if ranks[0] == ranks[1] else "s" if low % 4 == high % 4 else "o")


@lru_cache(maxsize=2)
def flops_of(deck: Deck = FULL) -> Flops:
    """All different flops of a deck; those of the last two decks are kept.

    Raises:
        InputError: the deck has fewer than 7 cards, which two hands and a flop take.
    """
    if len(deck.cards) < 7:
        raise InputError(f"a deck for flops needs at least 7 cards, not {len(deck.cards)}")
    turns = _turns(deck)
    every = np.array(list(combinations(deck.cards, 3)))
    codes = np.min([_codes(np.sort(turn[every], axis=1)) for turn in turns], axis=0)
    first, counts = np.unique(codes, return_counts=True)
    boards = np.stack([first // CARDS**2, first // CARDS % CARDS, first % CARDS], axis=1)
    low, high = deck.hands.T
    turned = np.array([deck.numbers[turn[low], turn[high]] for turn in turns])  # (renamings, hands)
    _, group = np.unique(turned.min(axis=0), return_inverse=True)
    found = [_on(deck, board, turns, turned) for board in boards]
    hand, rank, lane = (np.array([one[k] for one in found]) for k in range(3))
    layouts = tuple(layout(deck.hands[hands], ranks) for hands, ranks in zip(hand, rank, strict=True))
    small = np.uint32
    return Flops(
        deck, boards, counts, hand, rank, lane.astype(small), lane.max(axis=1) + 1, group.astype(small), turns, layouts
    )


def _turns(deck: Deck) -> Ints:
    """Renamings of suits that keep the deck, each as the cards that the 52 become; those that differ on the deck."""
    card = np.arange(CARDS)
    found: dict[tuple[int, ...], Ints] = {}
    for suits in permutations(range(len(SUITS))):
        turn = card // 4 * 4 + np.array(suits)[card % 4]
        kept = tuple(turn[list(deck.cards)].tolist())
        if set(kept) == set(deck.cards):
            found.setdefault(kept, turn)
    return np.array(list(found.values()))


def _codes(boards: Ints) -> Ints:
    """One number a board, in the order of its cards."""
    codes: Ints = (boards[..., 0] * CARDS + boards[..., 1]) * CARDS + boards[..., 2]
    return codes


def _on(deck: Deck, board: Ints, turns: Ints, turned: Ints) -> tuple[Ints, NDArray[np.int32], Ints]:
    """The hands of a flop in order of strength, their ranks, and which of them differ."""
    live = np.flatnonzero(deck.live(board.tolist()))
    rank = hand_ranks(board.tolist(), deck.hands[live], deck=deck)
    order = np.argsort(rank, kind="stable")
    kept = (np.sort(turns[:, board], axis=1) == board).all(axis=1)
    _, lane = unique_below(len(deck.hands), turned[kept][:, live].min(axis=0))
    return live[order], rank[order], lane[order]
