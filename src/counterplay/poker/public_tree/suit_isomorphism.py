"""Suit isomorphism: isomorphic suits dealt once, for a smaller public tree with equal values.

A permutation of the suits that leaves the board and both ranges unchanged maps every later board to an equivalent one
with permuted hands. One board of each class is dealt, with its amounts multiplied by the size of the class. Isomorphic
hands on a board share a lane there, hence a decision. Nothing else is needed: a hand on a later board has one lane
before it, and a lane collects the CFVs of all its hands on all the boards that are dealt, which is what its hands get
on all boards that may come. On the last board hands keep lanes of their own, so that showdowns are swept in place;
finer lanes than needed change no value.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np

from counterplay.arrays import I64
from counterplay.poker.public_tree.boards import Boards, Cards, layer_of

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
    least: I64 = np.min([moved[k][hands] for k in fixed], axis=0)
    return least


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
