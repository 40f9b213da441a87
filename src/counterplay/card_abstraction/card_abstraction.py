"""Card abstractions as lanes: hands with the same lane on a street are played alike."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, overload

import numpy as np

from counterplay.arrays import I64
from counterplay.poker.whole_game.boards.board import Board, Small
from counterplay.poker.whole_game.boards.flops import Flops
from counterplay.poker.whole_game.boards.street_boards import StreetBoards


class CardAbstraction(Protocol):
    """Lanes of hands; a *block* of lanes belongs to one board of a street, or to all of them.

    Isomorphic hands must share a lane. If hands on other boards share it too, a player may forget what they knew:
    imperfect recall.
    """

    @property
    def name(self) -> str:
        """The text of the abstraction."""

    @property
    def preflop(self) -> Small:
        """(classes,) lane of each class of hand before the flop."""

    def sizes_on(self, street: int) -> I64:
        """(blocks,) lanes of each block of a street."""

    def lanes_on(self, board: Board) -> tuple[int, Small]:
        """The block of a board of three cards or more, and (n,) the lane in it of the hand at each place."""


@dataclass(frozen=True, eq=False)
class Buckets:
    """Lanes of all flops of a game that ends on the flop.

    Attributes:
        preflop: (classes,) bucket of each class of hand.
        lane: (F, n) lane of the hand at each place of a flop.
        block: (F,) the block that a flop uses.
        sizes: (blocks,) lanes of each block.
        name: how they were made.
    """

    preflop: Small
    lane: Small
    block: I64
    sizes: I64
    name: str

    @property
    def shared(self) -> bool:
        """Whether flops share lanes, so that a player may forget the flop."""
        return len(self.sizes) < len(self.block)

    def sizes_on(self, street: int) -> I64:
        return self.sizes if street else np.array([int(self.preflop.max()) + 1])

    def lanes_on(self, board: Board) -> tuple[int, Small]:
        return int(self.block[board.number]), self.lane[board.number]

    def __str__(self) -> str:
        return f"{self.name}: {int(self.preflop.max()) + 1} buckets before the flop, {int(self.sizes.sum()):,} on it"


class EveryHand:
    """Lossless lanes: only isomorphic hands share one, and each board has lanes of its own."""

    name = "lossless"

    def __init__(self, boards: StreetBoards) -> None:
        self._boards = boards
        self.preflop = np.arange(boards.classes, dtype=np.uint32)

    def sizes_on(self, street: int) -> I64:
        return np.array([self._boards.classes]) if street == 0 else self._listed[street - 1][1]

    def lanes_on(self, board: Board) -> tuple[int, Small]:
        return self._listed[board.street - 1][0][board.cards], board.lane

    def __str__(self) -> str:
        counts = (f"{int(self.sizes_on(street).sum()):,}" for street in range(self._boards.last + 1))
        return f"lossless: {' / '.join(counts)} hands by street"

    @cached_property
    def _listed(self) -> list[tuple[dict[tuple[int, ...], int], I64]]:
        """For each street after the first, the number of each board, and its number of hands up to isomorphism."""
        found = []
        boards = [self._boards.root]
        for _ in range(self._boards.last):
            boards = [child for board in boards for child in self._boards.after(board)]
            numbers = {board.cards: k for k, board in enumerate(boards)}
            found.append((numbers, np.array([board.lanes for board in boards])))
        return found


class OneLane:
    """One lane on every street: all hands are played alike."""

    name = "blind"

    def __init__(self, classes: int) -> None:
        self.preflop = np.zeros(classes, np.uint32)

    def sizes_on(self, street: int) -> I64:  # noqa: ARG002 - the same on all
        return np.ones(1, np.int64)

    def lanes_on(self, board: Board) -> tuple[int, Small]:
        return 0, np.zeros(len(board.hand), np.uint32)

    def __str__(self) -> str:
        return "blind: one bucket on every street"


@overload
def lossless(boards: Flops) -> Buckets: ...
@overload
def lossless(boards: Flops | StreetBoards) -> Buckets | EveryHand: ...
def lossless(boards: Flops | StreetBoards) -> Buckets | EveryHand:
    """The lossless abstraction of some boards: the game itself."""
    if isinstance(boards, StreetBoards):
        return EveryHand(boards)
    every = np.arange(boards.classes, dtype=np.uint32)
    return Buckets(every, boards.lane, np.arange(boards.flops), boards.lanes, "lossless")
