"""A value function of the user's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from counterplay.errors import InputError, reason
from counterplay.leaf_values.leaf_value import Floats
from counterplay.subgames.cut_shape import Border


@dataclass(frozen=True, eq=False)
class Heuristic:
    """A function of the user's from a state to chips of player 0."""

    function: Callable[[Any], float]
    name: str = "heuristic"

    def chips(self, border: Border) -> Floats:
        """Asks the function for each history.

        Raises:
            InputError: it fails, or returns no number.
        """
        out = np.zeros(len(border.histories))
        for i, history in enumerate(border.histories.tolist()):
            try:
                out[i] = float(self.function(border.game.state(history)))
            except Exception as error:
                raise InputError(f"the value function {self.name} failed: {reason(error)}") from None
        if not np.isfinite(out).all():
            raise InputError(f"the value function {self.name} returned something that is no number")
        return out
