"""What hands are told apart by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterplay.poker.whole_game.abstraction.tables.k_means import Points

Watch = Callable[[str, int, int], None]
"""Called now and then with what is made, how many boards are done, and of how many."""


@dataclass(frozen=True)
class HandFeatures:
    """Features of hands, on the last street and before it.

    Attributes:
        columns: into how many shares of the pot from 0 to 1 are sorted on the streets before the last.
        points: of counts (n, columns) of last boards, features (n, d): whole numbers, small enough for exact sums.
        absolute: the distance before the last street is a sum of absolute differences, not of squares.
        rivals: on the last street hands are told apart by what they win from groups of opposing hands, not from all alone.
        scale: what a share of the pot of 1 is on the last street.
    """

    columns: int
    points: Callable[[NDArray[np.uint16]], Points]
    absolute: bool
    rivals: bool
    scale: int
