"""Ranges: a weight from 0 to 1 for every hand of a deck, read from and written in players' notation (`notation.py`)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from counterplay.arrays import F64
from counterplay.display import brief, labelled
from counterplay.errors import InputError, quoted
from counterplay.poker.cards.deck import FULL, Deck, cards_of, cards_text, hand_text
from counterplay.poker.ranges.grid import SIDE, cells
from counterplay.poker.ranges.notation import format_range, read_range, write_range


@dataclass(frozen=True, eq=False)
class Range:
    """Weights of the hands of a deck. weights: (n,) from 0 to 1, not all 0, in the order of `deck.hands`; read-only.
    deck: the deck of the hands."""

    weights: F64
    deck: Deck = FULL

    def __post_init__(self) -> None:
        weights = np.array(self.weights, np.float64) + 0.0  # + 0.0 makes -0.0 plain
        if weights.shape != (len(self.deck.hands),):
            raise InputError(f"a range of this deck has {len(self.deck.hands)} weights, not {weights.shape}")
        wrong = ~((weights >= 0) & (weights <= 1))
        if wrong.any():
            at = int(wrong.argmax())
            raise InputError(f"the weight of {hand_text(self.deck.hands[at])} must be from 0 to 1, not {weights[at]}")
        if not weights.any():
            raise InputError("the range is empty: no hand has a weight above 0")
        weights.setflags(write=False)
        object.__setattr__(self, "weights", weights)

    def __repr__(self) -> str:
        return brief(
            self, "", f"{int((self.weights > 0.0).sum())} hands", labelled("weight", float(self.weights.sum()))
        )

    @classmethod
    def parse(cls, text: str, deck: Deck = FULL) -> Range:
        """The range that a text describes, in players' notation or in one of another program.

        Raises:
            InputError: an invalid term, which the message names.
        """
        weights = read_range(text, deck)
        if not weights.any():
            raise InputError(f"the range {quoted(text)} is empty: no hand has a weight above 0")
        return cls(weights, deck)

    @classmethod
    def full(cls, deck: Deck = FULL) -> Range:
        """All hands, with weight 1."""
        return cls(np.ones(len(deck.hands)), deck)

    @classmethod
    def from_grid(cls, grid: ArrayLike, deck: Deck = FULL) -> Range:
        """The range with one weight per class of the 13×13 grid (aces first, suited hands above the diagonal), from numbers
        or a text.

        Raises:
            InputError: not a grid of weights.
        """
        try:
            table = np.array(_rows(grid) if isinstance(grid, str) else grid, np.float64)
        except ValueError:
            raise InputError("the grid of a range must be 13 rows of 13 numbers") from None
        if table.shape != (SIDE, SIDE):
            raise InputError(f"the grid of a range must be 13 rows of 13 numbers, not an array of shape {table.shape}")
        return cls(table.ravel()[cells(deck)], deck)

    def without(self, board: str | Iterable[int]) -> Range:
        """The range without the hands that hold a card of the board.

        Raises:
            InputError: no hand is left, or the board is outside the deck.
        """
        shown = cards_of(board)
        weights = np.where(self.deck.live(shown), self.weights, 0.0)
        if not weights.any():
            raise InputError(f"the board {cards_text(shown)} blocks every hand of the range {quoted(self)}")
        return Range(weights, self.deck)

    def text(self, notation: str = "plain") -> str:
        """The range as other programs read it: "plain", "percent", "gto+" or "pio" (see `notation`).

        Raises:
            InputError: an unknown notation.
        """
        return write_range(self.weights, self.deck, notation)

    def __str__(self) -> str:
        """Notation that reads back to the same weights: classes first, then the hands that differ from their class."""
        return format_range(self.weights, self.deck)


def _rows(grid: str) -> list[list[str]]:
    """The words of a grid, line by line; blanks or commas between them."""
    return [line.replace(",", " ").split() for line in grid.splitlines() if line.strip()]
