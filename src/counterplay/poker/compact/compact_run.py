"""The running state of a solve on the compact engine: advance it, measure it, read its averages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import product
from math import inf, nan
from tempfile import SpooledTemporaryFile

import numpy as np

from counterplay.arrays import U8
from counterplay.cache_folder import cache_folder
from counterplay.errors import InputError
from counterplay.jit.clock import interrupts_held, run_time
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
        method, least, steps = self.method, _LEAST[self.precision], list[RegretStep]()
        for t in range(self.done + 1, self.done + 1 + iterations):
            grow, shrink = discount(t, method.alpha), discount(t, method.beta)
            low, decay = 0.0 if method.floor else _LOWEST, ((t - 1) / t) ** method.gamma
            steps.append(RegretStep(grow, shrink, low, decay, least))
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
    """Return whether the engine has a method: players update in turn, without predictions, which take an array more."""
    return method.alternating and not method.predictive


_SHORT = 2.0
"""Seconds up to which a solve that can be repeated is not copied."""
_IN_MEMORY, _CHUNK = 1 << 20, 64 << 20
"""Bytes of a copy that stands in memory; those that are written or read at a time."""


class BestAverages:
    """The averages of a run with the least NashConv that was measured. They are copied only where the run continues
    from them, to a file without a name, which the system removes however the process ends: the memory of a solve is
    what was estimated. Those of the first seconds are computed again by `repeat`, if given, should later ones be
    worse.

    Attributes:
        done: iterations after which they were reached; -1 before the first measurement.
        nash_conv, value: as of `CompactRun.gap`; infinite and NaN before the first measurement.
    """

    _file: SpooledTemporaryFile[bytes] | None

    def __init__(self, run: CompactRun, repeat: Callable[[int], None] | None = None) -> None:
        self._run, self._repeat, self._begin = run, repeat, run_time()
        self.done, self.nash_conv, self.value = -1, inf, nan
        self._last = (-1, inf, nan)
        self._file, self._copied, self._exchanged = None, -1, False

    @property
    def bytes(self) -> int:
        """Memory of the copy."""
        return 0 if self._file is None else min(_IN_MEMORY, sum(array.nbytes for array in self._arrays))

    def measure(self) -> tuple[float, float]:
        """NashConv and value of the run's present averages, as of `CompactRun.gap`."""
        if self._last[0] != self._run.done:
            self._last = (self._run.done, *self._run.gap())
        done, nash_conv, value = self._last
        if nash_conv < self.nash_conv or self.done < 0:
            self.done, self.nash_conv, self.value = done, nash_conv, value
        return nash_conv, value

    def before_advance(self) -> None:
        """Put the latest averages back, or copy the present ones if they are the best: the run goes on from them."""
        if self._exchanged:
            self._exchange()
        elif self.done == self._run.done != self._copied and (
            self._repeat is None or run_time() - self._begin > _SHORT
        ):
            try:
                self._copy()
            except OSError:  # a full disk: what the solve ends with is the answer, unless a later copy succeeds
                self._file, self._repeat = None, None

    def take(self) -> tuple[float, float]:
        """Let the run have the best averages, until `before_advance`; their NashConv and value."""
        self.measure()
        if self.done == self._run.done or self._exchanged:
            return self.nash_conv, self.value
        if self._copied == self.done:
            self._exchange()
        elif self._repeat:
            self._repeat(self.done)
            self._run.done = self._last[0]  # as many iterations were run
        else:
            return self._last[1:]
        return self.nash_conv, self.value

    @property
    def _arrays(self) -> list[U8]:
        ways = [way.memory for side in self._run.sides for way in side]
        return [array.view(np.uint8) for one in ways if not one.fixed for array in (one.total, one.total_scale)]

    def _chunks(self) -> Iterator[U8]:
        for array in self._arrays:
            for begin in range(0, len(array), _CHUNK):
                yield array[begin : begin + _CHUNK]

    def _copy(self) -> None:
        self._copied = -1
        self._file = self._file or _nameless_file()
        self._file.seek(0)
        for chunk in self._chunks():
            self._file.write(chunk.data)
        self._file.flush()
        self._copied = self.done

    def _exchange(self) -> None:
        assert self._file is not None
        with interrupts_held():
            at = 0
            for chunk in self._chunks():
                self._file.seek(at)
                copy = np.frombuffer(self._file.read(len(chunk)), np.uint8)
                self._file.seek(at)
                self._file.write(chunk.data)
                chunk[:] = copy
                at += len(chunk)
            self._file.flush()
            self._exchanged = not self._exchanged


def _nameless_file() -> SpooledTemporaryFile[bytes]:
    """A file in the cache folder, or where temporary files stand if there is none."""
    folder = cache_folder()
    if folder is not None:
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            return SpooledTemporaryFile(_IN_MEMORY, dir=str(folder))
    return SpooledTemporaryFile(_IN_MEMORY)
