"""Estimates: value functions that give each history a value whatever the ranges, by user code or by rollouts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from counterplay.arrays import F64
from counterplay.errors import InputError, reason
from counterplay.games.kernel_rules import FastGame
from counterplay.subgames.cut_shape import Border
from counterplay.texts.readers import Whole
from counterplay.value_functions.leaf_value import LeafValue


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


@dataclass(frozen=True)
class Rollouts(LeafValue):
    """The mean of random continuations of each history, both players uniform; for games written as rules.

    Attributes:
        samples: continuations per history.
        seed: seed of the random numbers.
    """

    HEAD = "rollout"
    on_way: ClassVar[bool] = True
    samples: Annotated[int, Whole(least=1, digits=9)]
    seed: Annotated[int, Whole(digits=9)] = 0

    def chips(self, border: Border) -> F64:
        """(n,) means; equal seeds give equal means.

        Raises:
            InputError: the game is not written as rules.
        """
        from counterplay.gametree.build.partial_tree import rollouts, states_at

        rules = border.game.rules
        if not isinstance(rules, FastGame):
            raise InputError(f"{self.name} needs a game written as rules, not {border.game.name}")
        states = states_at(rules, border.game.histories, border.histories)
        return np.asarray(rollouts(rules, states, self.samples, self.seed)[0], np.float64)
