"""The running state of a solve on the compact engine: advance it, measure it, read its averages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np

from counterplay.errors import InputError
from counterplay.jit.threads import run_whole
from counterplay.poker.compact.compact_sweeps import AskedValue, Sweeps, Ways, dealt
from counterplay.poker.compact.kernels.sweep_records import BEST, UPDATE, VALUE, Memory, RegretStep
from counterplay.poker.compact.layout.compact_layout import CompactLayout
from counterplay.poker.compact.strategy_memory import WeightedMemory, new_memory, without_regrets
from counterplay.poker.public_tree.size_estimate import DOUBLE, HALF, SINGLE
from counterplay.solvers.minimiser import Minimiser, discount

Sides = tuple[Ways, Ways]
_LOWEST = -1e30
"""Below all regrets."""
_LEAST = {DOUBLE: 1e-12, SINGLE: 1e-10, HALF: 0.5}
"""Regrets up to this count as 0: in chips as in `solvers.kernels`; as whole numbers of 16 bits."""


class CompactRun:
    """A public tree under solution by alternating updates, both players dealt from their ranges.

    The method `has_compact_form`. Regrets and averages are in float32 (SINGLE), in 16 bits (HALF), or in float64
    (DOUBLE), for proofs. `sides` are the ways in which each player plays, which are solved unless their memory is
    fixed; by default one each. The work space of `sweeps` is used again."""

    def __init__(
        self,
        layout: CompactLayout,
        method: Minimiser,
        precision: str = SINGLE,
        sides: Sides | None = None,
        sweeps: Sweeps | None = None,
    ) -> None:
        if not has_compact_form(method):
            raise InputError(
                f"the compact engine updates players in turn and without predictions, and {method.name} does not"
            )
        self.layout, self.method, self.precision, self.done = layout, method, precision, 0
        self.sides = sides or (_alone(layout, 0, precision), _alone(layout, 1, precision))
        self.sweeps = sweeps or Sweeps(layout)

    @property
    def memories(self) -> tuple[Memory, Memory]:
        """Both players' regrets and averages, of the first way in which each plays."""
        return self.sides[0][0].memory, self.sides[1][0].memory

    def advance(self, iterations: int) -> None:
        """Run more iterations, to their end even if Ctrl-C comes: it is raised afterwards, and `Pace` keeps calls short."""
        run_whole(self._advance, iterations)

    def _advance(self, iterations: int) -> None:
        dtype = np.float64 if self.precision == DOUBLE else np.float32
        steps = [self._step(self.done + 1 + k) for k in range(iterations)]
        sweeps = [
            self.sweeps.sweep(player, UPDATE, way.memory, theirs, dealt(self.layout, player, theirs), dtype)
            for player, theirs in ((0, self.sides[1]), (1, self.sides[0]))
            for way in self.sides[player]
            if not way.memory.fixed
        ]
        if len(sweeps) == 2 and sweeps[0].ways == sweeps[1].ways:
            self.sweeps.run((sweeps[0], sweeps[1]), [step for step in steps for _ in sweeps], dtype)
        else:
            for step, sweep in product(steps, sweeps):
                self.sweeps.run((sweep, sweep), [step], dtype)
        self.done += iterations

    def _step(self, t: int) -> RegretStep:
        """The numbers of iteration t, from 1."""
        method = self.method
        low, least = 0.0 if method.floor else _LOWEST, _LEAST[self.precision]
        return RegretStep(
            discount(t, method.alpha), discount(t, method.beta), low, ((t - 1) / t) ** method.gamma, least
        )

    def values(self, best: bool) -> tuple[float, float]:
        """Chips of both players against the other's average, by a best response where they may choose, or by their own
        average; in float64."""
        ways = [(player, way) for player in (0, 1) for way in self.sides[player]]
        asked = [
            AskedValue(player, BEST if best and not way.memory.fixed else VALUE, way.memory, self.sides[1 - player])
            for player, way in ways
        ]
        worth, found = self.sweeps.worth(asked), [0.0, 0.0]
        for (player, way), chips in zip(ways, worth, strict=True):
            found[player] += way.weight * chips
        return found[0], found[1]

    def gap(self) -> tuple[float, float]:
        """NashConv of the averages, and the value of player 0, midway between its bounds; in float64."""
        return gap_of(self.values, raked=self.layout.betting.rules.rake > 0.0)

    def clear(self) -> None:
        for memory in (way.memory for side in self.sides for way in side if not way.memory.fixed):
            for array in (memory.regret, memory.total, memory.regret_scale, memory.total_scale):
                array[:] = 0
        self.done = 0

    def forget_regrets(self) -> None:
        """Give their memory back: the averages are the answer, and no further iteration is possible."""
        first, second = (tuple(way._replace(memory=without_regrets(way.memory)) for way in side) for side in self.sides)
        self.sides = first, second


def _alone(layout: CompactLayout, player: int, precision: str) -> Ways:
    return (WeightedMemory(1.0, new_memory(layout, player, precision)),)


def gap_of(values: Callable[[bool], Sequence[float]], *, raked: bool) -> tuple[float, float]:
    """NashConv, and the value of player 0 midway between its bounds. values: chips of both players, by best responses or
    not."""
    high, low = values(True)
    paid = -sum(values(False)) if raked else 0.0
    return max(high + low + paid, 0.0), 0.5 * (high - low - paid)


def has_compact_form(method: Minimiser) -> bool:
    """Whether the engine has a method: players update in turn, and there are no predictions, which take an array more."""
    return method.alternating and not method.predictive
