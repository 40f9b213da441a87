"""All-in equity as a value function: no more betting from the next card on. For poker spots only."""

from __future__ import annotations

from dataclasses import dataclass

from counterplay.arrays import F64
from counterplay.errors import InputError
from counterplay.subgames.cut_shape import Border
from counterplay.value_functions.leaf_value import LeafValue


@dataclass(frozen=True)
class Equity(LeafValue):
    """The pot is split by the chance of winning it over all cards to come."""

    HEAD = "equity"

    def chips(self, border: Border) -> F64:
        """(histories,) unavailable: only spots of hold'em, whose look-aheads end before a card, have equity.

        Raises:
            InputError: the game is not a spot.
        """
        raise InputError(f"equity is a value function for spots of hold'em, not for {border.game.name}")
