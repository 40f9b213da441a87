"""Boards of a deck, street by street, up to suit isomorphism: one of isomorphic boards is dealt, weighted by their number.

A board follows the board of the street before; the suit renamings that keep it are those of that board that also keep the
new cards. Before the flop there is one board without cards, on which hands are classes such as AKs. A full deck has 22,100
flops, 1,755 up to isomorphism; 1,326 hands before the flop in 169 classes; and 1,286,792 pairs of a flop and a hand up to
isomorphism. Strategies must not depend on the names of suits.

A walk visits all boards, a sample on every street, or run-outs one by one, each with a weight."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations, pairwise, permutations
from math import comb, prod
from typing import Any

import numpy as np

from counterplay.arrays import F64, I32, I64, U32, AnyArray, Flags
from counterplay.errors import InputError
from counterplay.jit import kernel
from counterplay.poker.cards.deck import CARDS, FULL, RANKS, SUITS, Deck, unique_below
from counterplay.poker.cards.hand_rank import hand_ranks
from counterplay.poker.showdown.terminals import RankedBoard

DEALT = (0, 3, 4, 5)
"""Number of cards on the board, by street."""
MOST_KEPT = 8_000_000
"""The most hands on cached boards, at about 40 bytes each."""


@dataclass(frozen=True, eq=False)
class Board:
    """A board and the hands on it, in rising order of their numbers in the deck; on the last street in order of
    strength.

    Attributes:
        street: index in STREETS.
        number: its number among the boards that can follow the one before.
        cards: the flop in rising order, then turn and river.
        count: the number of boards that it represents, after the one before.
        hand: (n,) number in the deck of the hand at each place.
        up: (n,) the place of each hand on the board before; on a flop its class.
        lane: (n,) number of each hand up to isomorphism, from 0.
        lanes: the number of hands up to isomorphism.
        turned: (renamings, n) the place of each hand after each suit renaming that keeps the board; one row on the last.
        layout: layout of the showdown kernel; None before the flop.
        before: the board of the street before; None before the flop.
    """

    street: int
    number: int
    cards: tuple[int, ...]
    count: int
    hand: I64
    up: U32
    lane: U32
    lanes: int
    turned: I64
    layout: RankedBoard | None
    before: Board | None

    @cached_property
    def first(self) -> I64:
        """(lanes,) the first place of each lane."""
        return np.unique(self.lane, return_index=True)[1]


class GameBoards:
    """The boards of a game up to its last street, made on demand; those of small decks are cached.

    Attributes:
        turns: (renamings, 52) the image of each card under each suit renaming that keeps the deck.
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

    @cached_property
    def group(self) -> U32:
        """(hands of the deck,) the class of each hand before the flop, such as AKs."""
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

    def distinct_hands(self, board: Board) -> I64:
        """(lanes, 2) cards of the first hand of each lane of a board; before the flop of each class."""
        first = board.hand[board.first] if board.cards else np.unique(self.group, return_index=True)[1]
        return np.asarray(self.deck.hands[first], np.int64)

    def after(self, board: Board) -> list[Board]:
        """All boards of the next street after one, up to isomorphism."""
        boards = self._after.get(board.cards)
        if boards is None:
            boards = [self.child(board, k) for k in range(len(self.choices(board)[0]))]
            if self._boards.get(boards[0].cards) is boards[0]:  # else they filled the room, and are not kept
                self._after[board.cards] = boards
        return boards

    def choices(self, board: Board) -> tuple[I64, I64]:
        """(boards, cards) the new cards of each board of `after`, and (boards,) how many it represents."""
        if not board.cards:
            return _different_flops(self.deck)
        choices = self._choices.get(board.cards)
        if choices is None:
            free = [card for card in self.deck.cards if card not in board.cards]
            turned = self.turns[self._keeping(board.cards)][:, free].min(axis=0)
            counts = np.bincount(turned)
            first = np.flatnonzero(counts)
            choices = self._choices[board.cards] = first[:, None], counts[first]
        return choices

    def child(self, board: Board, number: int) -> Board:
        """The board of `after` with a number: its index in `choices`."""
        new, counts = self.choices(board)
        cards = (*board.cards, *new[number].tolist())
        child = self._boards.get(cards)
        if child is None:
            child = self._make(board, number, cards, int(counts[number]))
            if self._room <= 0:  # those of a small deck never fill it; of a large one the next flop needs none of them
                self._boards.clear()
                self._after.clear()
                self._choices.clear()
                self._room = MOST_KEPT
            self._room -= len(child.hand)
            self._boards[cards] = child
        return child

    def most_hands(self, street: int) -> float:
        """A lower bound on the hands on all boards of a street up to isomorphism: as if no renaming kept a board."""
        cards, left = len(self.deck.cards), 1.0
        for before, after in pairwise(DEALT[: street + 1]):
            left *= comb(cards - before, after - before)
        return left * comb(cards - DEALT[street], 2) / len(self.turns)

    def find_board(self, cards: str | Iterable[int]) -> tuple[Board, I64]:
        """The board that represents given cards, in the order of the deal, and (52,) the image of each card."""
        dealt = self.deck.held(cards)
        if len(dealt) not in DEALT[: self.last + 1]:
            numbers = " or ".join(map(str, DEALT[1 : self.last + 1]))
            raise InputError(f"a board of this game has {numbers} cards, not {len(dealt)}")
        turned = self.turns[:, list(dealt)]
        turned[:, :3] = np.sort(turned[:, :3], axis=1)
        best = int(board_codes(turned).argmin())
        board, image = self.root, turned[best]
        for street in range(1, DEALT.index(len(dealt)) + 1):
            new, _ = self.choices(board)
            own = image[DEALT[street - 1] : DEALT[street]]
            board = self.child(board, int(np.flatnonzero((new == own).all(axis=1))[0]))
        return board, self.turns[best]

    def _keeping(self, cards: tuple[int, ...]) -> Flags:
        """(renamings,) whether each keeps a board: its flop as a set, its turn and river."""
        flop, later = list(cards[:3]), list(cards[3:])
        kept = (self.turns[:, flop, None] == flop).any(axis=2).all(axis=1)
        return np.asarray(kept & (self.turns[:, later] == later).all(axis=1) if later else kept)

    def _make(self, before: Board, number: int, cards: tuple[int, ...], count: int) -> Board:
        street = before.street + 1
        hand = np.flatnonzero(self.deck.live(cards))
        rank, order = np.arange(len(hand), dtype=np.int32), np.arange(len(hand))
        if street == self.last:
            rank = hand_ranks(cards, self.deck.hands[hand], deck=self.deck)
            order = np.argsort(rank, kind="stable")
        sorted_hand = hand[order]
        turned = self._turned(cards, sorted_hand)
        by_hand = self.last == 1  # flop games number lanes by hands of the deck, as their files do; others by strength
        lane, lanes = _different(self._turned(cards, hand) if by_hand else turned)
        lane = lane[order] if by_hand else lane
        if street == self.last:
            turned = turned[:1]
        up = _places(before.hand, len(self.deck.hands))[sorted_hand] if before.cards else self.group[sorted_hand]
        ranked = layout(self.deck.hands[sorted_hand], rank[order])
        return Board(
            street, number, cards, count, sorted_hand, up.astype(np.uint32), lane, lanes, turned, ranked, before
        )

    def _turned(self, cards: tuple[int, ...], hand: I64) -> I64:
        """(renamings, n) the place of each hand after each renaming that keeps the board."""
        keeping = self._keeping(cards)
        if keeping.sum() == 1:  # the renaming that changes nothing
            return np.arange(len(hand))[None]
        place, (low, high) = _places(hand, len(self.deck.hands)), self.deck.hands[hand].T
        return place[[self.deck.numbers[turn[low], turn[high]] for turn in self.turns[keeping]]]


@lru_cache(maxsize=2)
def flops_of(deck: Deck = FULL) -> GameBoards:
    """The boards of a game that ends on the flop; those of the last two decks are cached."""
    return GameBoards(deck, 1)


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
    """(rows, places) sums over all boards, from sums over representatives: averaged over the hands that the suit
    renamings which keep the board map to each other."""
    if len(board.turned) == 1:
        return sums
    out = np.zeros_like(sums)
    for places in board.turned:
        out += sums[:, places]
    out /= len(board.turned)
    return out


def _places(hand: I64, hands: int) -> I64:
    place = np.zeros(hands, np.int64)
    place[hand] = np.arange(len(hand))
    return place


def _different(turned: I64) -> tuple[U32, int]:
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


_MOST = 14
"""The most steps per hand: each of its cards may be alone among tied hands, which takes two numbers and four hands, and a
set of tied hands has two numbers of its own."""


def layout(cards: I64, rank: I32) -> RankedBoard:
    """The layout of `terminals.board_of` for hands (n, 2) in the order of their ranks (n,), unchecked."""
    used, numbers = unique_below(CARDS, cards)
    pairs = numbers.reshape(-1, 2).astype(np.int32)
    starts = np.concatenate(([0], np.flatnonzero(rank[1:] != rank[:-1]) + 1, [len(rank)]))
    steps = np.empty(_MOST * len(pairs), np.int32)
    size = _steps(pairs, starts, len(used), steps, np.empty(len(used), np.int64))
    return RankedBoard(len(pairs), len(used), len(starts) - 1, pairs, steps[:size].copy())


@kernel
def _steps(pairs: Any, starts: Any, slots: int, steps: Any, held: Any) -> int:
    at = 0
    for g in range(len(starts) - 1):
        begin, end = starts[g], starts[g + 1]
        steps[at] = end - begin
        steps[at + 1] = 0
        head = at + 1
        at += 2
        if end == begin + 1:
            continue
        held[:] = 0
        for hand in range(begin, end):
            held[pairs[hand, 0]] += 1
            held[pairs[hand, 1]] += 1
        for card in range(slots):
            if held[card]:
                steps[head] += 1
                at = _holders(pairs, begin, end, card, steps, at)
    return at


@kernel(inline=True)
def _holders(pairs: Any, begin: int, end: int, card: int, steps: Any, at: int) -> int:
    head, count = at, 0
    at += 2
    for hand in range(begin, end):
        if pairs[hand, 0] == card or pairs[hand, 1] == card:
            steps[at + count] = hand
            count += 1
    while count % 4:
        steps[at + count] = len(pairs)
        count += 1
    steps[head] = card
    steps[head + 1] = count // 4
    return at + count


HAND, HANDS = 2, 4
DEALS = (HAND, *(HANDS + cards for cards in DEALT))
"""Cards that are out after each deal."""
_BETWEEN = frozenset((0, *DEALS))
_MISSING = tuple(next(count for count in DEALS if count > out) - out for out in range(DEALS[-1]))
"""By the number of cards that are out, those still missing of the deal at hand."""
_SHOWN = tuple(max((HANDS, *(count for count in DEALS if count <= out))) for out in range(DEALS[-1] + 1))
"""By the number of cards that are out, those of hands and streets that are dealt to the end."""
Cards = tuple[int, ...]


def to_come(cards: Cards, street: int) -> int:
    """Cards still missing of the deal at hand; 0 if none is dealt. street: the last one that is dealt before a player
    acts."""
    dealt = len(cards)
    return 0 if dealt >= HANDS + DEALT[street] else _MISSING[dealt]


def next_cards(deck: Deck, cards: Cards, wanted: int) -> list[int]:
    """The cards that may come next: above those of this deal, with enough higher ones left for its rest."""
    free = _free(deck, cards)
    return free[: len(free) - wanted + 1]


def chances(deck: Deck, cards: Cards, wanted: int) -> list[float]:
    """The probability of each of `next_cards` as the lowest of those still to come."""
    left = len(_free(deck, cards))
    return [comb(left - 1 - k, wanted - 1) / comb(left, wanted) for k in range(left - wanted + 1)]


def board_of(cards: Cards) -> Cards:
    """The board among cards that are out, of the streets that are dealt to the end."""
    return cards[HANDS : _SHOWN[len(cards)]]


def _free(deck: Deck, cards: Cards) -> list[int]:
    last = cards[-1] if len(cards) not in _BETWEEN else -1
    return [card for card in deck.cards if card > last and card not in cards]


Weighted = list[tuple[Board, float]]


class SeenBoards:
    """The boards that a walk visits: every board, up to isomorphism."""

    def __init__(self, boards: GameBoards) -> None:
        self.boards = boards

    def after(self, board: Board) -> Weighted:
        """The visited boards of the next street after one, and the number of boards that each represents."""
        return [(child, float(child.count)) for child in self.boards.after(board)]


class DrawnBoards(SeenBoards):
    """A sample of the boards after each board, drawn on first use and then kept: unbiased sums over all boards. draws:
    number of boards drawn with replacement after each board, by street; later streets are not sampled."""

    def __init__(self, boards: GameBoards, random: np.random.Generator, draws: Sequence[int]) -> None:
        super().__init__(boards)
        self._random, self._draws = random, tuple(draws)
        self._seen: dict[tuple[int, ...], Weighted] = {}
        self._flop_ends = np.cumsum(boards.choices(boards.root)[1])

    def draw_anew(self) -> None:
        """Forget the drawn boards."""
        self._seen.clear()

    def after(self, board: Board) -> Weighted:
        if board.street >= len(self._draws):
            return super().after(board)
        if board.cards not in self._seen:
            count = self._draws[board.street]
            ends = np.cumsum(self.boards.choices(board)[1]) if board.street else self._flop_ends
            drawn = np.searchsorted(ends, self._random.integers(0, ends[-1], count), side="right")
            whole = float(ends[-1]) / count
            times = {int(drawn[0]): 1} if count == 1 else Counter(sorted(drawn.tolist()))
            self._seen[board.cards] = [(self.boards.child(board, k), whole * n) for k, n in times.items()]
        return self._seen[board.cards]


@dataclass(frozen=True)
class RunOut(SeenBoards):
    """One board of every street, by numbers among `GameBoards.choices`, as the boards that a walk visits."""

    boards: GameBoards
    numbers: tuple[int, ...]

    def after(self, board: Board) -> Weighted:
        whole = float(self.boards.choices(board)[1].sum())
        return [(self.boards.child(board, self.numbers[board.street]), whole)]


class RunOutDraws:
    """Run-outs to the last street by their number, from 0: a longer draw begins with a shorter one."""

    def __init__(self, boards: GameBoards, last: int, seed: int) -> None:
        self._boards, self._last, self._random = boards, last, np.random.default_rng(seed)
        self._drawn: list[tuple[int, ...]] = []

    def __getitem__(self, number: int) -> RunOut:
        while len(self._drawn) <= number:
            board, numbers = self._boards.root, list[int]()
            for street in range(self._last):
                ends = np.cumsum(self._boards.choices(board)[1])
                drawn = self._random.integers(0, ends[-1], 1)  # one by one, each with its own bound
                numbers.append(int(np.searchsorted(ends, drawn, side="right")[0]))
                if street < self._last - 1:
                    board = self._boards.child(board, numbers[-1])
            self._drawn.append(tuple(numbers))
        return RunOut(self._boards, self._drawn[number])
