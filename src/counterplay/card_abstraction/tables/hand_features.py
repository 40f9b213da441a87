"""Features of hands, as card abstractions choose them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterplay.arrays import F32

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
    points: Callable[[NDArray[np.uint16]], F32]
    absolute: bool
    rivals: bool
    scale: int
