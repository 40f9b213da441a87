"""When to look at the exploitability of a running solve, and how many iterations to run before Ctrl-C and the clock are
checked."""

from __future__ import annotations

from math import exp, log
from typing import Protocol

from counterplay.budget import time_left
from counterplay.jit.clock import run_time


class Advancing(Protocol):
    @property
    def done(self) -> int:
        """Iterations so far."""

    def advance(self, iterations: int) -> None:
        """Run more."""


_LEAST, _SHARE = 16, 20
"""Least iterations between two evaluations of exploitability; also a twentieth of those done."""
_LARGE, _FEW, _FURTHER = 500_000, 2, 1.01
"""Number of sequences from which an evaluation costs about an iteration; least iterations between two evaluations
there; factor by which the target is overshot."""
_USUAL, _SLOW, _FAST = 1.75, 0.8, 2.5
"""Powers of the iterations of which NashConv is the inverse: as assumed after a single evaluation, and the least and
largest that are believed of two, between which it falls unevenly."""
_FAR = 10
"""Iterations to the target from which NashConv may fall by ever higher powers before it is reached."""
_PATIENCE = 0.1
"""Target duration in seconds of one call of the compiled loop: Ctrl-C and the clock are checked between calls."""


class Looks:
    """The schedule of evaluations of exploitability; none before the first iteration. In a large problem (by the
    sequences of both players) it aims slightly beyond the target: NashConv falls like a power of the iterations, or
    faster, by the same factor in as many iterations. Far from the target it aims midway between what both say after the
    last two evaluations; after a rise it aims as after a single one."""

    def __init__(self, sequences: int, exploitability: float) -> None:
        self._goal, self.aims = 2.0 * exploitability, sequences >= _LARGE
        self._seen: list[tuple[int, float]] = []

    def saw(self, done: int, nash_conv: float) -> None:
        self._seen = [*(one for one in self._seen[-1:] if one[0] < done), (done, nash_conv)]

    def after(self, done: int) -> int:
        """The number of iterations before the next evaluation."""
        usual = done + max(_LEAST, done // _SHARE)
        if not self.aims or not self._goal > 0.0:
            return usual
        if not self._seen:
            return _LEAST if done < _LEAST else usual
        if not self._seen[-1][1] > self._goal:
            return usual
        return min(max(int(_FURTHER * self._wanted()) + 1, done + _FEW), done + max(_LEAST, done))

    def _wanted(self) -> float:
        """The number of iterations after which the target is likely to be reached."""
        late, low = self._seen[-1]
        left = log(low / self._goal)
        early, high = self._seen[0]
        if not high > low:  # a single one, or one after a rise, which soon ends
            return late * exp(left / _USUAL)
        fallen = log(high / low)
        by_power = late * exp(left / min(max(fallen / log(late / early), _SLOW), _FAST))
        evenly = late + left * (late - early) / fallen
        return by_power if by_power <= late + _FAR else 0.5 * (by_power + min(by_power, evenly))


class Pace:
    """Splits the iterations up to the next evaluation into short calls. end: the deadline."""

    def __init__(self, end: float, most: int = 1) -> None:
        self._end, self._most = end, most

    @property
    def late(self) -> bool:
        """Whether time is up, here or in the budget that is held."""
        return run_time() > self._end or not time_left()

    def advance(self, iterates: Advancing, goal: int) -> None:
        """Run towards `goal`, and adapt the number of iterations per call."""
        begin, count = run_time(), min(self._most, goal - iterates.done)
        iterates.advance(count)
        per_second = count / max(run_time() - begin, 1e-9)
        left = min(_PATIENCE, max(self._end - run_time(), 0.0), time_left())
        self._most = max(1, min(4 * self._most, int(per_second * left)))
