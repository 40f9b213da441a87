"""Heuristics: value functions from user code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from counterplay.arrays import F64
from counterplay.errors import InputError, reason
from counterplay.subgames.cut_shape import Border


@dataclass(frozen=True, eq=False)
class Heuristic:
    """A user function from a state to chips of player 0."""

    function: Callable[[Any], float]
    name: str = "heuristic"

    def chips(self, border: Border) -> F64:
        """(n,) the function's value at each history."""
        out = np.zeros(len(border.histories))
        for i, history in enumerate(border.histories.tolist()):
            try:
                out[i] = float(self.function(border.game.state(history)))
            except Exception as error:
                raise InputError(f"the value function {self.name} failed: {reason(error)}") from None
        if not np.isfinite(out).all():
            raise InputError(f"the value function {self.name} returned something that is not a number")
        return out
