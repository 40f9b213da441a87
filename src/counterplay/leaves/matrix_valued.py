"""Matrix-valued states: at the limit each player chooses a strategy for the rest (Milec et al. 2025, definition 2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MatrixValued:
    """What the continuations are worth at the n histories of a limit.

    Attributes:
        chips: (n, K0, K1) chips of player 0, if player 0 goes on by its strategy k and player 1 by its strategy l.
        model: (n, K) chips of player 0, if the resolver goes on by its strategy k and the opponent is the model; None where
            there is no model.
        error: (n, K0, K1) standard errors of `chips`; None where they are exact.
        model_error: (n, K) standard errors of `model`.
    """

    chips: Floats
    model: Floats | None = None
    error: Floats | None = None
    model_error: Floats | None = None

    def count(self, player: int) -> int:
        """How many strategies a player has to choose from."""
        return int(self.chips.shape[1 + player])
