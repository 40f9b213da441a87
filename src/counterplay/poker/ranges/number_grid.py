"""A number for each class of the 13×13 grid, as a picture for the terminal."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from counterplay.poker.cards.deck import FULL, Deck
from counterplay.poker.ranges.grid import SIDE, cell_name, to_grid

_WIDTH = 6


def number_lines(values: ArrayLike, weights: ArrayLike, *, deck: Deck = FULL) -> list[str]:
    """Means of the hands of each class, rounded to the width of a cell; blank for classes without weight. values: (n,)
    numbers of the hands of the deck; NaN where there is none. weights: (n,) non-negative weights of the hands."""
    numbers = np.asarray(values, np.float64)
    held = np.where(np.isfinite(numbers), np.asarray(weights, np.float64), 0.0)
    table = to_grid(np.nan_to_num(numbers), held, deck=deck)
    names = [cell_name(k * (SIDE + 1))[0] for k in range(SIDE)]
    head = "  " + "".join(f"{name:>{_WIDTH}}" for name in names)
    rows = zip(names, table.tolist(), strict=True)
    return [head, *(f"{name} {''.join(map(_cell, row))}".rstrip() for name, row in rows)]


def _cell(number: float) -> str:
    """A number in the width of a cell: as many decimals as there is room for, at most two."""
    if not np.isfinite(number):
        return " " * _WIDTH
    places = (f"{number:z.{digits}f}" for digits in (2, 1, 0))
    return f"{next((text for text in places if len(text) < _WIDTH), f'{number:.0e}'):>{_WIDTH}}"
