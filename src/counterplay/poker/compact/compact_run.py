"""The running state of a solve on the compact engine: advance it, measure it, read its averages."""

from __future__ import annotations

from functools import cached_property
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.errors import InputError
from counterplay.jit.threads import run_whole
from counterplay.poker.betting.tree import BettingTree
from counterplay.poker.compact.compact_layout import CompactLayout
from counterplay.poker.compact.compact_sweeps import Sweeps
from counterplay.poker.compact.street_kernels import BEST, UPDATE, VALUE, Memory, RegretStep
from counterplay.poker.public_tree.board_tables import Tables
from counterplay.poker.public_tree.size_estimate import DOUBLE, HALF, SINGLE
from counterplay.solvers.minimiser import Minimiser
from counterplay.treeplex.memory import zeros_of

Floats = NDArray[np.float64]
_LOWEST = -1e30
"""Below all regrets."""
_LEAST = {DOUBLE: 1e-12, SINGLE: 1e-10, HALF: 0.5}
"""Regrets up to this count as 0: in chips as in `solvers.kernels`; as whole numbers of 16 bits."""
_KINDS: dict[str, tuple[Any, Any]] = {
    DOUBLE: (np.float64, np.float64), SINGLE: (np.float32, np.float32), HALF: (np.int16, np.uint16)
}  # fmt: skip
STILL = RegretStep(0.0, 0.0, 0.0, 0.0, 0.0)
"""For sweeps that update nothing."""


class CompactRun:
    """A public tree under solution by alternating updates, both players dealt from their ranges.

    Args:
        betting: the betting.
        tables: the boards.
        method: a minimiser that `has_compact_form`.
        precision: regrets and averages in float32 (SINGLE), in 16 bits (HALF), or in float64 (DOUBLE), for proofs.

    Attributes:
        layout: the tree.
        done: iterations so far.
        memories: both players' regrets and averages.
    """

    def __init__(self, betting: BettingTree, tables: Tables, method: Minimiser, precision: str = SINGLE) -> None:
        if not has_compact_form(method):
            raise InputError(
                f"the compact engine updates players in turn and without predictions, and {method.name} does not"
            )
        self.layout, self.method, self.precision, self.done = CompactLayout(betting, tables), method, precision, 0
        self.memories = self._memory(0), self._memory(1)
        self._sweeps = Sweeps(self.layout)

    def _memory(self, player: int) -> Memory:
        size, blocks = self.layout.stored[player], self.layout.scales[player] if self.precision == HALF else 0
        regret, total = (zeros_of((size,), np.dtype(kind)) for kind in _KINDS[self.precision])
        return Memory(regret, total, np.zeros(blocks, np.float32), np.zeros(blocks, np.float32))

    def advance(self, iterations: int) -> None:
        """Run more iterations; Ctrl-C ends them after a whole one."""
        run_whole(self._advance, iterations)

    def _advance(self, iterations: int) -> None:
        for _ in range(iterations):
            step, dtype = self._step(self.done + 1), np.float64 if self.precision == DOUBLE else np.float32
            for player in (0, 1):
                self._sweeps(player, UPDATE, self.memories, step, (0, 0), self.ranges, dtype)
            self.done += 1

    def _step(self, t: int) -> RegretStep:
        """The numbers of iteration t, from 1."""
        method = self.method
        low, least = 0.0 if method.floor else _LOWEST, _LEAST[self.precision]
        return RegretStep(
            _discount(t, method.alpha), _discount(t, method.beta), low, ((t - 1) / t) ** method.gamma, least
        )

    def value_of(self, player: int, *, best: bool) -> float:
        """Chips of a player against the other's average: by a best response, or by their own average; in float64."""
        what = BEST if best else VALUE
        level = self._sweeps(player, what, self.memories, STILL, (0, 0), self.ranges, np.float64)
        return float(self.ranges[player] @ level.cfv[: len(self.ranges[player])])

    def gap(self) -> tuple[float, float]:
        """NashConv of the averages, and the value of player 0, midway between its bounds; in float64."""
        high, low = self.value_of(0, best=True), self.value_of(1, best=True)
        paid = 0.0
        if self.layout.betting.rules.rake:
            paid = -self.value_of(0, best=False) - self.value_of(1, best=False)
        return max(high + low + paid, 0.0), 0.5 * (high - low - paid)

    def forget_regrets(self) -> None:
        """Give their memory back: the averages are the answer, and no further iteration is possible."""
        none = np.zeros(0, self.memories[0].regret.dtype)
        first, second = (memory._replace(regret=none) for memory in self.memories)
        self.memories = first, second

    @cached_property
    def ranges(self) -> tuple[Floats, Floats]:
        """Per player (lanes of the first board,) the range."""
        boards = self.layout.boards
        hands = boards.layers[0].hand[boards.kept(0)]
        first, second = (np.ascontiguousarray(one[hands]) for one in boards.cards.weights)
        return first, second


def has_compact_form(method: Minimiser) -> bool:
    """Whether the engine has a method: players update in turn, and there are no predictions, which take an array more."""
    return method.alternating and not method.predictive


def _discount(t: int, exponent: float) -> float:
    """The factor of regrets after iteration t."""
    power = float(t) ** exponent if exponent < inf else inf
    return power / (power + 1.0) if power < inf else 1.0
