"""Card abstractions as lanes: hands with the same lane on a street are played alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from counterplay.arrays import F32, I64, U16, U32
from counterplay.errors import InputError
from counterplay.poker.whole_game.boards.board import Board, GameBoards

MOST_LISTED = 10_000_000
"""The most hands on all boards of a street, together, that are listed."""


class CardAbstraction(Protocol):
    """Lanes of hands; a *block* of lanes belongs to one board of a street, or to all of them.

    Isomorphic hands must share a lane. If hands on other boards share it too, a player may forget what they knew:
    imperfect recall.
    """

    @property
    def name(self) -> str:
        """The text of the abstraction."""

    @property
    def preflop(self) -> U32:
        """(classes,) lane of each class of hand before the flop."""

    def sizes_on(self, street: int) -> I64:
        """(blocks,) lanes of each block of a street."""

    def lanes_on(self, board: Board) -> tuple[int, U32]:
        """The block of a board of three cards or more, and (n,) the lane in it of the hand at each place."""


@dataclass(frozen=True, eq=False)
class StreetBuckets:
    """Lanes shared by all boards of a street, listed board by board, as files of blueprints have them.

    Attributes:
        preflop: (classes,) lane of each class of hand.
        lanes: for each later street, by the cards of the board, (n,) the lane of the hand at each place.
        sizes: for each later street, its number of lanes.
    """

    preflop: U32
    lanes: tuple[dict[tuple[int, ...], U32], ...]
    sizes: tuple[int, ...]
    name: str

    def sizes_on(self, street: int) -> I64:
        return np.array([self.sizes[street - 1] if street else int(self.preflop.max()) + 1])

    def lanes_on(self, board: Board) -> tuple[int, U32]:
        return 0, self.lanes[board.street - 1][board.cards]

    def __str__(self) -> str:
        return _counts_text(self, len(self.sizes), "buckets")


class EveryHand:
    """Lossless lanes: only isomorphic hands share one, and each board has lanes of its own."""

    name = "lossless"

    def __init__(self, boards: GameBoards) -> None:
        self._boards = boards
        self.preflop = np.arange(boards.classes, dtype=np.uint32)

    def sizes_on(self, street: int) -> I64:
        return np.array([self._boards.classes]) if street == 0 else self._listed[street - 1][1]

    def lanes_on(self, board: Board) -> tuple[int, U32]:
        return self._listed[board.street - 1][0][board.cards], board.lane

    def __str__(self) -> str:
        return _counts_text(self, self._boards.last, "hands")

    @cached_property
    def _listed(self) -> list[tuple[dict[tuple[int, ...], int], I64]]:
        """For each street after the first, the number of each board, and its number of hands up to isomorphism."""
        listed = []
        for street in range(1, self._boards.last + 1):
            boards = boards_on(self._boards, street)
            numbers = {board.cards: k for k, board in enumerate(boards)}
            listed.append((numbers, np.array([board.lanes for board in boards])))
        return listed


class OneLane:
    """One lane on every street: all hands are played alike."""

    name = "blind"

    def __init__(self, classes: int) -> None:
        self.preflop = np.zeros(classes, np.uint32)

    def sizes_on(self, street: int) -> I64:  # noqa: ARG002 - the same on all
        return np.ones(1, np.int64)

    def lanes_on(self, board: Board) -> tuple[int, U32]:
        return 0, np.zeros(len(board.hand), np.uint32)

    def __str__(self) -> str:
        return "blind: one bucket on every street"


def lossless(boards: GameBoards) -> EveryHand:
    """The lossless abstraction of some boards: the game itself."""
    return EveryHand(boards)


def boards_on(boards: GameBoards, street: int) -> list[Board]:
    """All different boards of a street, those after an earlier board first."""
    listed = [boards.root]
    for _ in range(street):
        listed = [child for board in listed for child in boards.after(board)]
    return listed


def lanes_by_street(buckets: CardAbstraction, last: int) -> list[int]:
    """The number of lanes of each street, from the first to the last."""
    return [int(buckets.preflop.max()) + 1, *(int(buckets.sizes_on(street).sum()) for street in range(1, last + 1))]


def check_deck(boards: GameBoards) -> None:
    """Reject a deck with more than `MOST_LISTED` hands on the boards of a street."""
    if boards.most_hands(boards.last) > MOST_LISTED:
        raise InputError(
            f"a deck of {len(boards.deck.cards)} cards has more than {MOST_LISTED:,} hands on all boards, which are too "
            "many to list; take a shorter deck or fewer streets"
        )


def _counts_text(buckets: CardAbstraction, last: int, what: str) -> str:
    """Name and number of lanes, which players of flop games read as "169 buckets before the flop, 200 on it"."""
    early, *late = lanes_by_street(buckets, last)
    if last == 1:
        return f"{buckets.name}: {early} buckets before the flop, {late[0]:,} on it"
    return f"{buckets.name}: {' / '.join(f'{count:,}' for count in (early, *late))} {what} by street"


Watch = Callable[[str, int, int], None]
"""Called now and then with what is being made, the number of boards done, and the total."""


@dataclass(frozen=True)
class HandFeatures:
    """Features of hands, on the last street and before it.

    Attributes:
        columns: bins of equity from 0 to 1 on the streets before the last.
        points: maps counts (n, columns) of last boards to features (n, d): whole numbers, small enough for exact sums.
        absolute: whether distances before the last street are L1 distances, not squared ones.
        rivals: whether the features of the last street are equities against groups of hands, not against all hands.
        scale: the whole number for an equity of 1 on the last street.
    """

    columns: int
    points: Callable[[U16], F32]
    absolute: bool
    rivals: bool
    scale: int
