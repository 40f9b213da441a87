"""Matrix-valued states: at the limit each player chooses a strategy for the rest (Milec et al. 2025, definition 2)."""

from __future__ import annotations

from dataclasses import dataclass

from counterplay.arrays import F64


@dataclass(frozen=True, eq=False)
class MatrixValued:
    """The values of the continuations at the n histories of a limit.

    Attributes:
        chips: (n, K0, K1) chips of player 0, if player 0 continues by strategy k and player 1 by strategy l.
        model: (n, K) chips of player 0, if the resolver continues by strategy k and the opponent as the model; None
            without a model.
        error: (n, K0, K1) standard errors of `chips`; None if they are exact.
        model_error: (n, K) standard errors of `model`.
    """

    chips: F64
    model: F64 | None = None
    error: F64 | None = None
    model_error: F64 | None = None

    def count(self, player: int) -> int:
        """The number of a player's continuation strategies."""
        return int(self.chips.shape[1 + player])
