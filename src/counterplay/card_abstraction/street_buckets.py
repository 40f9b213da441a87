"""Lanes listed board by board, as stored in files of blueprints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from counterplay.arrays import I64
from counterplay.errors import InputError
from counterplay.poker.whole_game.boards.board import Board, Small
from counterplay.poker.whole_game.boards.street_boards import StreetBoards

Lanes = dict[tuple[int, ...], Small]
MOST_LISTED = 10_000_000
"""The most hands on all boards of a street, together, that are listed."""


@dataclass(frozen=True, eq=False)
class StreetBuckets:
    """Lanes shared by all boards of a street.

    Attributes:
        preflop: (classes,) lane of each class of hand.
        lanes: for each later street, by the cards of the board, (n,) the lane of the hand at each place.
        sizes: for each later street, its number of lanes.
        name: text of the abstraction.
    """

    preflop: Small
    lanes: tuple[Lanes, ...]
    sizes: tuple[int, ...]
    name: str

    def sizes_on(self, street: int) -> I64:
        return np.array([self.sizes[street - 1] if street else int(self.preflop.max()) + 1])

    def lanes_on(self, board: Board) -> tuple[int, Small]:
        return 0, self.lanes[board.street - 1][board.cards]

    def __str__(self) -> str:
        counts = " / ".join(f"{count:,}" for count in (int(self.preflop.max()) + 1, *self.sizes))
        return f"{self.name}: {counts} buckets by street"


def check_deck(boards: StreetBoards) -> None:
    """Reject a deck with too many boards to list.

    Raises:
        InputError: more than `MOST_LISTED` hands on the boards of a street.
    """
    if boards.most_hands(boards.last) > MOST_LISTED:
        raise InputError(
            f"a deck of {len(boards.deck.cards)} cards has more than {MOST_LISTED:,} hands on all boards, which are too "
            "many to list; take a shorter deck or fewer streets"
        )
