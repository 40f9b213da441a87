"""The possible boards and the hands left on each: the private side of a public tree of cards.

Boards of one *layer* have the same number of cards; layer 0 is the board at the start. The hands of all boards of a
layer are concatenated board by board, on the last layer in order of strength. A hand of a board has a place on every
earlier board, which `Boards.above` tells: there the player still holds the same cards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb

import numpy as np

from counterplay.arrays import F64, I32, I64, AnyArray
from counterplay.poker.cards.deck import compatible_weight
from counterplay.poker.showdown.terminals import RankedBoard, lay_board, scratch_of

FLOP = 3
"""Cards of a flop."""
Rank = Callable[[tuple[int, ...], I64], I64]
"""Ranks of hands (n, 2) together with a whole board, ascending."""


@dataclass(frozen=True, eq=False)
class Cards:
    """The cards of a public tree.

    Attributes:
        deck: the cards in play.
        board: the cards shown at the start.
        hands: (n, 2) the private hands that either player may hold; one-card hands have a unique dummy as second card.
        weights: (2, n) weights of the players' hands, from 0 to 1.
        held: cards of the deck in a hand.
    """

    deck: tuple[int, ...]
    board: tuple[int, ...]
    hands: I64
    weights: F64
    rank: Rank
    held: int = 2

    @cached_property
    def pairs(self) -> float:
        """Weight of all pairs of hands that can be dealt together."""
        return float(self.weights[0] @ compatible_weight(self.hands, self.weights[1]))


@dataclass(frozen=True, eq=False)
class Layer:
    """All boards with one number of cards.

    Attributes:
        boards: the cards of each board in the order of dealing.
        parent: (boards,) number of the parent board, one layer up.
        first: (boards + 1,) offset of its hands.
        hand: (places,) the hand at each place.
        rank: (places,) its strength: ascending within a board; 0, 1, ... before the last layer.
        chance: probability of each of the boards, for two players' hands that it leaves.
        times: (boards,) number of isomorphic boards that each represents.
    """

    boards: list[tuple[int, ...]]
    parent: I64
    first: I64
    hand: I64
    rank: I64
    chance: float
    times: I64

    @property
    def places(self) -> int:
        return len(self.hand)


class Boards:
    """The layers from the first board to the last, `deals` deals later: of one card each, but for a `flop` as first
    deal.

    Hands that share a *lane* share an infoset. Here each hand of a board has its own lane."""

    def __init__(self, cards: Cards, deals: int, *, flop: bool = False) -> None:
        self.cards = cards
        self.layers = [layer_of(cards, None, [cards.board], [0], last=deals == 0)]
        for k in range(deals):
            new = [
                ((*board, *dealt), number)
                for number, board in enumerate(self.layers[-1].boards)
                for dealt in combinations(
                    [card for card in cards.deck if card not in board], FLOP if flop and k == 0 else 1
                )
            ]
            boards, parent = [board for board, _ in new], [number for _, number in new]
            self.layers.append(layer_of(cards, self.layers[-1], boards, parent, last=k == deals - 1))
        self._up: dict[tuple[int, int], I64] = {}

    def lanes(self, layer: int) -> int:
        """Lanes of all boards of a layer together."""
        return self.layers[layer].places

    def first(self, layer: int) -> I64:
        """(boards + 1,) offset of each board's lanes."""
        return self.layers[layer].first

    def kept(self, layer: int) -> I64:
        """(lanes,) a place of each lane."""
        return np.arange(self.layers[layer].places)

    def merged(self, layer: int) -> tuple[I64, I64, I64]:
        """Hands that are alike on their board, though `lanes` may tell them apart: (places,) the set of each hand, (sets,) a
        place of each set, (boards + 1,) sets before each board."""
        every = np.arange(self.layers[layer].places)
        return every, every, self.layers[layer].first

    def is_direct(self, layer: int) -> bool:  # noqa: ARG002 - other boards ask
        """Whether the lanes of a layer are its places."""
        return True

    def above(self, layer: int, to: int) -> I64:
        """(places,) of each hand of a layer, its lane on the board that it comes from, on layer `to`."""
        if (layer, to) not in self._up:
            here = np.arange(self.layers[layer].places)
            for k in range(layer, to, -1):
                after, before = self.layers[k], self.layers[k - 1]
                board = np.repeat(np.arange(len(after.boards)), np.diff(after.first))
                places = np.full((len(before.boards), len(self.cards.hands)), -1, np.int64)
                on = np.repeat(np.arange(len(before.boards)), np.diff(before.first))
                places[on, before.hand] = np.arange(before.places)
                here = places[after.parent[board], after.hand][here]
            self._up[layer, to] = self._lane(to, here)
        return self._up[layer, to]

    def forget_ways(self) -> None:
        """Give the memory of `above` back; it is computed again when it is asked for."""
        self._up.clear()

    def _lane(self, layer: int, places: I64) -> I64:  # noqa: ARG002 - other boards ask
        return places


def count_places(cards: Cards, deals: int) -> list[tuple[int, int]]:
    """The numbers of boards and places of each layer, without constructing them."""
    n, left = len(cards.hands), [card for card in cards.deck if card not in cards.board]
    found = [(1, n)]
    holders = np.bincount(cards.hands.ravel(), minlength=max(left, default=0) + 1)
    if deals >= 1:
        found.append((len(left), sum(n - int(holders[card]) for card in left)))
    if deals >= 2:
        gone = sum(2 * (n - int(holders[a]) - int(holders[b])) for a, b in combinations(left, 2))
        both = [sorted(hand) for hand in cards.hands.tolist()]
        gone += 2 * sum(hand[0] in left and hand[1] in left for hand in both)
        found.append((len(left) * (len(left) - 1), gone))
    return found


def layer_of(
    cards: Cards,
    before: Layer | None,
    boards: list[tuple[int, ...]],
    parent: list[int],
    times: Sequence[int] | None = None,
    *,
    last: bool,
) -> Layer:
    """Boards that follow those of a layer, or the first one."""
    chance = 1.0
    if before is not None:
        shown = len(before.boards[0])
        chance = before.chance / comb(len(cards.deck) - shown - 2 * cards.held, len(boards[0]) - shown)
    known: dict[tuple[int, ...], tuple[I64, I64]] = {}  # the order of dealing does not matter to strength
    keys = [tuple(sorted(board)) for board in boards]
    for key in keys:
        if key not in known:
            gone = np.zeros(int(cards.hands.max(initial=0)) + 1, np.bool_)
            gone[[card for card in key if card not in cards.board and card < len(gone)]] = True
            left = np.flatnonzero(~(gone[cards.hands[:, 0]] | gone[cards.hands[:, 1]]))
            rank = np.asarray(
                cards.rank(key, cards.hands.take(left, axis=0)) if last else np.arange(len(left)), np.int64
            )
            order = np.argsort(rank, kind="stable")
            known[key] = left[order], rank[order]
    hands, ranks = ([known[key][k] for key in keys] for k in (0, 1))
    first = np.append(0, np.cumsum([len(left) for left in hands]))
    many = np.ones(len(boards), np.int64) if times is None else np.array(times)
    return Layer(boards, np.array(parent), first, np.concatenate(hands), np.concatenate(ranks), chance, many)


@dataclass(frozen=True, eq=False)
class Tables:
    """The hands of all boards as the kernels take them, shared by both players.

    Attributes:
        widest: per layer, the board with the most hands.
        first: (layers + 1,) number of each layer's first board.
        rows, pairs, steps: see `payoff_kernel.PayoffSweep`.
        largest: as many hands and cards as any board has.
    """

    boards: Boards
    widest: list[RankedBoard]
    first: I64
    rows: I64
    pairs: I32
    steps: I32
    largest: RankedBoard

    @cached_property
    def scratch(self) -> AnyArray:
        """Room for the kernels in float64, as of `scratch_of`."""
        return scratch_of(self.largest)


def tables_of(boards: Boards) -> Tables:
    """Lay out the hands of all boards; boards of the same cards share them."""
    known: dict[tuple[int, ...], list[int]] = {}
    pairs: list[I32] = []
    steps: list[I32] = []
    rows, widest, ends = [], [], [0, 0]
    cards = int(boards.cards.hands.max()) + 1
    for layer in boards.layers:
        best: RankedBoard | None = None
        for shown, begin, end in zip(layer.boards, layer.first, layer.first[1:], strict=False):
            key = tuple(sorted(shown))
            if key not in known:
                board = lay_board(boards.cards.hands.take(layer.hand[begin:end], axis=0), layer.rank[begin:end], cards)
                pairs.append(board.pairs.ravel())
                steps.append(board.steps)
                known[key] = [*board[:3], *ends]
                ends = [ends[0] + pairs[-1].size, ends[1] + steps[-1].size]
                best = board if best is None or board.hands > best.hands else best
            rows.append([*known[key], int(begin)])
        assert best is not None
        widest.append(best)
    first = np.append(0, np.cumsum([len(layer.boards) for layer in boards.layers]))
    most = max(board.hands for board in widest)
    largest = widest[0]._replace(hands=most, slots=len(np.unique(boards.cards.hands)))
    return Tables(boards, widest, first, np.array(rows), np.concatenate(pairs), np.concatenate(steps), largest)
