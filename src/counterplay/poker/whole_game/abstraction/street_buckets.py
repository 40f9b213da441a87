"""Buckets of every street of a deck whose boards can all be listed: k-means over distributions of strength.

Hands are alike on the last street when they do alike against each of a few groups of opposing hands (OCHS), on the streets
before when their strength there is distributed alike over the boards to come; the distance is the earth mover's distance of
the distributions (Johanson et al. 2013). Lanes are shared by all boards of a street: imperfect recall.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.errors import InputError
from counterplay.poker.cards.deck import Ints
from counterplay.poker.whole_game.abstraction.equity_features import BINS, EquitySweep
from counterplay.poker.whole_game.abstraction.k_means import k_means
from counterplay.poker.whole_game.boards.board import Board, Small, even_out
from counterplay.poker.whole_game.boards.street_boards import StreetBoards

Floats = NDArray[np.float32]
Lanes = dict[tuple[int, ...], Small]
_GROUPS, MOST_LISTED = 4, 10_000_000
"""Groups of opposing hands; hands on all boards together that are listed at most."""


@dataclass(frozen=True, eq=False)
class StreetBuckets:
    """Lanes that all boards of a street share.

    Attributes:
        preflop: (classes,) lane of each class of hand.
        lanes: of each later street, by the cards of the board, (n,) the lane of the hand at each place.
        sizes: of each later street, how many lanes there are.
        name: how they were made.
    """

    preflop: Small
    lanes: tuple[Lanes, ...]
    sizes: tuple[int, ...]
    name: str

    def sizes_on(self, street: int) -> Ints:
        return np.array([self.sizes[street - 1] if street else int(self.preflop.max()) + 1])

    def lanes_on(self, board: Board) -> tuple[int, Small]:
        return 0, self.lanes[board.street - 1][board.cards]

    def __str__(self) -> str:
        counts = " / ".join(f"{count:,}" for count in (int(self.preflop.max()) + 1, *self.sizes))
        return f"{self.name}: {counts} buckets by street"


def cluster_streets(boards: StreetBoards, counts: tuple[int, ...], *, seed: int = 0) -> StreetBuckets:
    """Buckets of every street after the first; before the flop every class stands for itself.

    Args:
        counts: of each street after the first.
        seed: of k-means; the same seed gives the same buckets.

    Raises:
        InputError: a deck with too many boards to list.
    """
    check_deck(boards)
    random = np.random.default_rng(seed)
    listed = _Features(boards, random)
    lanes = []
    for street, count in enumerate(counts, 1):
        points, weights = (np.concatenate(part) for part in (listed.points[street], listed.weights[street]))
        labels = k_means(points, weights, count, random).astype(np.uint32)
        ends = np.cumsum([len(part) for part in listed.points[street]])[:-1]
        parts = np.split(labels, ends)
        lanes.append({b.cards: part[b.lane] for b, part in zip(listed.boards[street], parts, strict=True)})
    sizes = tuple(max(int(part.max()) for part in one.values()) + 1 for one in lanes)
    name = f"k-means {'/'.join(map(str, counts))} buckets, {_GROUPS} groups, seed {seed}"
    return StreetBuckets(np.arange(boards.classes, dtype=np.uint32), tuple(lanes), sizes, name)


def check_deck(boards: StreetBoards) -> None:
    """Refuse a deck with too many boards to list.

    Raises:
        InputError: saying so.
    """
    if boards.most_hands(boards.last) > MOST_LISTED:
        raise InputError(
            f"buckets of a deck of {len(boards.deck.cards)} cards need more than {MOST_LISTED:,} hands on all boards, "
            "which are too many to list; take a shorter deck or fewer streets"
        )


class _Features:
    """What is known of the hands that differ, on every board of every street.

    Attributes:
        boards, points, weights: by street; of each board (lanes, features) and how often each hand comes.
    """

    def __init__(self, boards: StreetBoards, random: np.random.Generator) -> None:
        self._all, last = boards, boards.last
        self.boards: list[list[Board]] = [[] for _ in range(last + 1)]
        self.points: list[list[Floats]] = [[] for _ in range(last + 1)]
        self.weights: list[list[NDArray[Any]]] = [[] for _ in range(last + 1)]
        some = boards.root
        for _ in range(last):
            some = boards.child(some, 0)
        assert some.layout is not None
        self._strength = EquitySweep(some.layout, np.ones((1, boards.classes)))
        shape = self._add(boards.root, 1.0)
        mean = shape / shape[:, -1:]
        self._rivals = k_means(mean, boards.sizes.astype(float), _GROUPS, random)
        self._sweep_last(some)

    def _add(self, board: Board, times: float) -> NDArray[np.float64]:
        """(n, bins) of each hand, over the boards to come, how often its strength is at most that of a bin."""
        if board.street == self._all.last:
            assert board.layout is not None
            share = self._strength.on(board.layout, self._all.group[board.hand])[:, 0]
            column = np.minimum((share * BINS).astype(np.int64), BINS - 1)
            self.boards[board.street].append(board)
            self.weights[board.street].append(times * np.bincount(board.lane))
            return np.asarray(column[:, None] <= np.arange(BINS), np.float64)
        found = np.zeros((len(board.hand), BINS))
        for child in self._all.after(board):
            below = self._add(child, times * child.count)
            np.add.at(found, child.up, child.count * below)
        found = even_out(board, found.T).T
        if board.cards:
            _, first = np.unique(board.lane, return_index=True)
            self.boards[board.street].append(board)
            self.points[board.street].append((found / found[:, -1:])[first].astype(np.float32))
            self.weights[board.street].append(times * np.bincount(board.lane))
        return found

    def _sweep_last(self, some: Board) -> None:
        """On the last street, shares of the pot against each group."""
        assert some.layout is not None
        sweep = EquitySweep(some.layout, np.eye(int(self._rivals.max()) + 1)[self._rivals].T)
        for board in self.boards[-1]:
            assert board.layout is not None
            _, first = np.unique(board.lane, return_index=True)
            self.points[-1].append(sweep.on(board.layout, self._all.group[board.hand])[first])
