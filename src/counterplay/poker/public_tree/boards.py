"""The possible boards and the hands left on each: the private side of a public tree of cards; and suit isomorphism:
isomorphic suits dealt once, for a smaller tree with equal values.

Boards of one *layer* have the same number of cards; layer 0 is the board at the start. The hands of all boards of a
layer are concatenated board by board, on the last layer in order of strength. A hand of a board has a place on every
earlier board, which `Boards.above` tells: there the player still holds the same cards.

A permutation of the suits that leaves the board and both ranges unchanged maps every later board to an equivalent one
with permuted hands. One board of each class is dealt, with its amounts multiplied by the size of the class. Isomorphic
hands on a board share a lane there, hence a decision. Nothing else is needed: a hand on a later board has one lane
before it, and a lane collects the CFVs of all its hands on all the boards that are dealt, which is what its hands get
on all boards that may come. On the last board hands keep lanes of their own, so that showdowns are swept in place;
finer lanes than needed change no value.

Last boards of few hands that follow one board are worked on together, as one row of lanes. A last board of one-card
hands has fewer hands than a few vectors have lanes, and a decision on it costs more for being a decision than for its
numbers. So all last boards after one board make a *bundle*: on it a row of a player has the lanes of all of them, board by
board. Hands that a permutation of suits maps to each other on their board share a lane, as on earlier boards: a lane's CFVs
are those of all its hands together.

On such a board a showdown is a product with a small matrix, the number of pairs of hands that win less that of pairs that
lose, by the lanes of both players; how many boards one stands for is a factor of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations
from math import comb
from typing import Any

import numpy as np

from counterplay.arrays import F64, I32, I64, AnyArray
from counterplay.poker.betting.tree import BettingTree
from counterplay.poker.cards.deck import compatible_weight
from counterplay.poker.showdown.terminals import RankedBoard, lay_board, scratch_of
from counterplay.treeplex.treeplex import LANES

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
        """Return whether the lanes of a layer are its places."""
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


SUITS = 4
Maps = tuple[dict[int, int], ...]
"""Permutations of the cards of a deck; the first changes nothing."""


def isomorphic_suits(cards: Cards) -> Maps:
    """All permutations of the suits that leave deck, board and both ranges unchanged. Cards are numbered 4 · rank +
    suit, the dummies of one-card hands too; suits must be interchangeable in the ranking."""
    own = dict.fromkeys([*cards.deck, *cards.hands.ravel().tolist()])
    found, shown = [{card: card for card in own}], set(cards.board)
    for suits in list(permutations(range(SUITS)))[1:]:
        if {_moved_card(card, suits) for card in shown} != shown:
            continue
        card = {old: _moved_card(old, suits) for old in own}
        if set(card.values()) != own.keys():
            continue
        moved = _moved(cards, card)
        if (moved >= 0).all() and (cards.weights[:, moved] == cards.weights).all():
            found.append(card)
    return tuple(found)


class IsomorphicBoards(Boards):
    """One board of each class of isomorphic boards; the card permutations `group` leave everything unchanged."""

    def __init__(self, cards: Cards, deals: int, group: Maps) -> None:
        self.cards, self.group = cards, group
        self._up: dict[tuple[int, int], I64] = {}
        self._moved = [_moved(cards, card) for card in group]
        self.layers = [layer_of(cards, None, [cards.board], [0], last=deals == 0)]
        self.fixed = [[list(range(len(group)))]]  # per layer and board, the permutations that leave all its cards
        for k in range(deals):
            boards, parent, times, fixed = _dealt_once(
                cards, group, self.layers[-1].boards, self.layers[-1].times, self.fixed[-1]
            )
            self.layers.append(layer_of(cards, self.layers[-1], boards, parent, times, last=k == deals - 1))
            self.fixed.append(fixed)
        self._shared = [self.merged(k) for k in range(deals)]

    def merged(self, layer: int) -> tuple[I64, I64, I64]:
        """(places,) the set of each hand, (sets,) a place of each set, (boards + 1,) sets before each board, as of `Boards`;
        on a layer before the last these sets are the lanes."""
        here, lane, kept, first = self.layers[layer], [], [], [0]
        for fixed, begin, end in zip(self.fixed[layer], here.first, here.first[1:], strict=False):
            least = _least(self._moved, fixed, here.hand[begin:end])
            _, place, number = np.unique(least, return_index=True, return_inverse=True)
            lane.append(first[-1] + number)
            kept.append(begin + place)
            first.append(first[-1] + len(place))
        return np.concatenate(lane), np.concatenate(kept), np.array(first)

    def lanes(self, layer: int) -> int:
        return super().lanes(layer) if self.is_direct(layer) else len(self._shared[layer][1])

    def first(self, layer: int) -> I64:
        return super().first(layer) if self.is_direct(layer) else self._shared[layer][2]

    def kept(self, layer: int) -> I64:
        return super().kept(layer) if self.is_direct(layer) else self._shared[layer][1]

    def is_direct(self, layer: int) -> bool:
        return layer == len(self.layers) - 1

    def _lane(self, layer: int, places: I64) -> I64:
        return places if self.is_direct(layer) else self._shared[layer][0][places]

    def lane_of_all(self, every: Boards, layer: int) -> I64:
        """(places,) for each hand of a layer of all boards, the lane here that represents it."""
        if not hasattr(self, "_maps"):
            # Per board of each layer of all boards, the board here that represents it and a permutation that leads there.
            self._maps = [([0], [0])]
            product = {tuple(card.values()): k for k, card in enumerate(self.group)}
            for k in range(1, len(self.layers)):
                (before, moves), found = self._maps[-1], list[tuple[int, int]]()
                names = {board: number for number, board in enumerate(self.layers[k].boards)}
                for board, parent in zip(every.layers[k].boards, every.layers[k].parent.tolist(), strict=True):
                    # The board above is represented by `start`; maps that keep it may map the new card to a dealt one.
                    start, move = before[parent], self.group[moves[parent]]
                    above = self.layers[k - 1].boards[start]
                    kept = [self.group[number] for number in self.fixed[k - 1][start]]
                    kept_to = ((card, names.get((*above, card[move[board[-1]]]))) for card in kept)
                    card, to = next((card, to) for card, to in kept_to if to is not None)
                    found.append((to, product[tuple(card[one] for one in move.values())]))
                self._maps.append(([to for to, _ in found], [move for _, move in found]))
        boards, moves = self._maps[layer]
        here, there = every.layers[layer], self.layers[layer]
        number = np.full((len(there.boards), len(self.cards.hands)), -1, np.int64)
        number[np.repeat(np.arange(len(there.boards)), np.diff(there.first)), there.hand] = np.arange(there.places)
        found = [
            number[board, self._moved[move][here.hand[begin:end]]]
            for board, move, begin, end in zip(boards, moves, here.first, here.first[1:], strict=False)
        ]
        return self._lane(layer, np.concatenate(found))


def count_isomorphic(cards: Cards, deals: int, group: Maps) -> list[tuple[int, int, int]]:
    """The numbers of boards, places and lanes of each layer of `IsomorphicBoards`, without constructing them."""
    moved = [_moved(cards, card) for card in group]
    boards, times, fixed, found = [cards.board], np.ones(1, np.int64), [list(range(len(group)))], []
    for layer in range(deals + 1):
        if layer:
            boards, _, many, fixed = _dealt_once(cards, group, boards, times, fixed)
            times = np.array(many)
        places = lanes = 0
        for board, maps in zip(boards, fixed, strict=True):
            dealt = [card for card in board if card not in cards.board]
            hands = np.flatnonzero(~np.isin(cards.hands, dealt).any(axis=1))
            places += len(hands)
            lanes += len(hands) if layer == deals else len(np.unique(_least(moved, maps, hands)))
        found.append((len(boards), places, lanes))
    return found


def _least(moved: list[I64], fixed: list[int], hands: I64) -> I64:
    """The representative of isomorphic hands: the least of their images."""
    return np.min([moved[k][hands] for k in fixed], axis=0)  # type: ignore[no-any-return]


def _dealt_once(
    cards: Cards, group: Maps, before: list[tuple[int, ...]], times: I64, fixed: list[list[int]]
) -> tuple[list[tuple[int, ...]], list[int], list[int], list[list[int]]]:
    """The boards with one more card: each with its parent, its multiplicity, and its stabiliser."""
    boards, parent, many, kept = [], [], [], []
    for k, board in enumerate(before):
        maps = [group[number] for number in fixed[k]]
        for card in cards.deck:
            orbit = {move[card] for move in maps}
            if card not in board and card == min(orbit):
                boards.append((*board, card))
                parent.append(k)
                many.append(int(times[k]) * len(orbit))
                kept.append([number for number in fixed[k] if group[number][card] == card])
    return boards, parent, many, kept


def _moved_card(card: int, suits: tuple[int, ...]) -> int:
    return card // SUITS * SUITS + suits[card % SUITS]


def _moved(cards: Cards, card: dict[int, int]) -> I64:
    """(n,) the image of each hand under a permutation, -1 for one that is not among the hands."""
    low, high = np.sort(cards.hands, axis=1).T
    size = int(high.max()) + 1
    names, image = np.full((size, size), -1, np.int64), np.arange(size)
    names[low, high] = np.arange(len(cards.hands))
    for old, new in card.items():
        if old < size:
            image[old] = new
    first, second = image[low], image[high]
    inside = np.maximum(first, second) < size
    return np.where(inside, names[np.minimum(first, second) % size, np.maximum(first, second) % size], -1)


FROM, COUNT, MATRIX = range(3)
"""Columns of the boards of bundles: the first lane of a board in its bundle, its lanes, and where its matrix begins; after
the matrix stands the number of hands of each lane, filled up to whole vectors."""
SMALL = 3
_MOST = 64


def may_bundle(betting: BettingTree, boards: Boards) -> bool:
    """Return whether last boards can be bundled: after two earlier ones at least, with few hands of one card that both
    players hold, where what is won is lost."""
    last, cards = boards.layers[-1], boards.cards
    return (
        len(boards.layers) > 2
        and cards.held == 1
        and betting.rules.rake == 0.0
        and bool((cards.weights > 0.0).all())
        and int(np.diff(last.first).max()) <= _MOST
    )


def bundles_of(boards: Boards) -> I64:
    """(bundles + 1,) the last boards before each bundle."""
    before = len(boards.layers[-2].boards)
    return np.searchsorted(boards.layers[-1].parent, np.arange(before + 1))


def vectors_of(lanes: Any) -> Any:
    """Vectors of so many lanes."""
    return -(-lanes // LANES)


def widths_of(first: I64, ends: I64) -> I64:
    """(bundles,) lanes of a row of each bundle in whole vectors: the vectors of its last board end in it. first: (boards +
    1,) lanes before each last board; ends: of `bundles_of`."""
    last = ends[1:] - 1
    used = first[last] - first[ends[:-1]] + LANES * vectors_of(first[last + 1] - first[last])
    return np.asarray(LANES * vectors_of(used), np.int64)


def bundle_matrices(boards: Boards, dtype: Any) -> tuple[I64, AnyArray]:
    """(last boards, SMALL) the boards of bundles, and their matrices: by vectors of the lanes of the player whose CFVs they
    give, and then by lane of the other one."""
    last, before = boards.layers[-1], boards.layers[-2]
    lane, _, first = boards.merged(len(boards.layers) - 1)
    ends = bundles_of(boards)
    rows, parts, end = np.zeros((len(last.boards), SMALL), np.int64), list[AnyArray](), 0
    rows[:, FROM] = first[:-1] - np.repeat(first[ends[:-1]], np.diff(ends))
    rows[:, COUNT] = np.diff(first)
    stands_for = last.times / before.times[last.parent]
    for k, row in enumerate(rows):
        places = slice(last.first[k], last.first[k + 1])
        count, wide = int(row[COUNT]), LANES * int(vectors_of(row[COUNT]))
        here = np.zeros((wide, last.first[k + 1] - last.first[k]))
        here[lane[places] - first[k], np.arange(here.shape[1])] = 1.0  # the hands of each lane
        wins = here @ np.sign(np.subtract.outer(last.rank[places], last.rank[places])) @ here[:count].T
        row[MATRIX] = end
        parts += [wins.reshape(-1, LANES, count).transpose(0, 2, 1).ravel() * stands_for[k], here.sum(axis=1)]
        parts.append(here.sum(axis=1) * stands_for[k])
        end += sum(len(part) for part in parts[-3:])
    return rows, np.concatenate([np.zeros(0), *parts]).astype(dtype)
