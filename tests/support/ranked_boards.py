"""Boards of hands that are checked before they are laid out for the showdown kernels."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from counterplay import InputError
from counterplay.arrays import I64, AnyArray
from counterplay.poker.showdown.terminals import RankedBoard, lay_board


def board_of(cards: ArrayLike, rank: ArrayLike) -> RankedBoard:
    """Lay out hands, `cards` (hands, 2) whole numbers, in ascending order of `rank` (hands,), equal for ties.

    Raises:
        InputError: unsorted hands, or a duplicate card or hand.
    """
    hands, strength = np.asarray(cards), np.asarray(rank)
    if hands.ndim != 2 or hands.shape[1] != 2 or strength.shape != hands.shape[:1] or not len(hands):
        raise InputError(
            f"hands need two cards and a rank each, not arrays of shapes {hands.shape} and {strength.shape}"
        )
    if not (np.issubdtype(hands.dtype, np.integer) and np.issubdtype(strength.dtype, np.integer)):
        raise InputError(f"cards and ranks must be whole numbers, not {hands.dtype} and {strength.dtype}")
    worse = strength[1:] < strength[:-1]
    if worse.any():
        raise InputError(f"hands must be sorted by rank, but hand {int(worse.argmax()) + 1} is below the one before")
    twice = hands[:, 0] == hands[:, 1]
    if twice.any():
        raise InputError(f"hand {int(twice.argmax())} holds one card twice")
    used, numbers = _numbered(hands)
    low, high = np.minimum(*numbers.T), np.maximum(*numbers.T)
    if len(_numbered(low.astype(np.int64) * len(used) + high)[0]) < len(hands):
        raise InputError("the same two cards are listed as two hands")
    return lay_board(numbers, strength.astype(np.int64), len(used))


def _numbered(cards: AnyArray) -> tuple[AnyArray, I64]:
    """The different whole numbers, ascending, and all as their places among these."""
    low = int(cards.min())
    if int(cards.max()) - low > 4 * cards.size:
        used, numbers = np.unique(cards, return_inverse=True)
        return used, numbers.reshape(cards.shape)
    there = np.zeros(int(cards.max()) - low + 1, np.bool_)
    there[cards - low] = True
    return np.flatnonzero(there) + low, (np.cumsum(there) - 1)[cards - low]
