"""Rollouts as a value function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from counterplay.arrays import F64
from counterplay.errors import InputError
from counterplay.games.kernel_rules import FastGame
from counterplay.subgames.cut_shape import Border
from counterplay.texts.readers import Whole
from counterplay.value_functions.leaf_value import LeafValue


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
