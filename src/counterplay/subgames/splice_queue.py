"""Changes of strategies that wait to be put into a plan store together."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.subgames.plan_store import GamePlans

Plans = TypeVar("Plans", bound=GamePlans)
_MOST_WAITING = 1 << 21


class SpliceQueue:
    """Changes of a strategy that are put in together: each time a store is copied, in part or as a whole."""

    def __init__(self) -> None:
        self._changes: dict[int, list[tuple[I64, F64]]] = {}
        self._size = 0

    @property
    def is_full(self) -> bool:
        """Whether it is time to put them in."""
        return self._size >= _MOST_WAITING

    def add(self, player: int, sequences: I64, behaviour: F64) -> None:
        """(n,) probabilities at these (n,) sequences of a player; of one that comes twice the last counts."""
        self._changes.setdefault(player, []).append((sequences, behaviour))
        self._size += len(sequences)

    def put_into(self, plans: Plans) -> Plans:
        """Plans with the changes, which are forgotten."""
        for player, changes in self._changes.items():
            sequences, behaviour = (np.concatenate(each) for each in zip(*changes, strict=True))
            plans = plans.put(player, sequences, behaviour)
        self._changes, self._size = {}, 0
        return plans
