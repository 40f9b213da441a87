"""Estimated size of a game before it is in memory, by Knuth's estimator from random walks down the tree; and the watch on
its memory and progress while its histories are listed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from counterplay.errors import InputError
from counterplay.games.game import Game
from counterplay.gametree.build.histories import TooLargeError
from counterplay.gametree.build.preorder import ACTORS
from counterplay.memory_limit import default_memory

BYTES_PER_HISTORY = 75
"""Peak memory of compiling, per history, where rules are kernels: the table of histories, the payoff, and scratch. Measured
50 to 77 in games of cards and dice; where next to nothing is hidden, infosets add up to 80 more."""
BYTES_PER_WALKED_HISTORY = 400
"""Peak memory per history where rules are plain Python: states and labels are objects."""
_WALKS = 60
_STEPS = 100_000
"""The most states that an undecided estimate visits: about a second."""
_MANY = 1e12  # sizes from here on are written with an exponent
_SEED = 20
_DEEPEST = 10_000
_ENDLESS = 1e100  # a size beyond all memory; larger guesses are cut to it, so that means stay finite


@dataclass(frozen=True)
class SizeEstimate:
    """Expected number of histories, its standard error, and the cost of compilation. memory: bytes."""

    histories: float
    error: float
    memory: float
    seconds: float

    @property
    def least(self) -> float:
        """The estimate less two standard errors: a game does not fit if its limit is smaller."""
        return self.histories - 2.0 * self.error

    def __str__(self) -> str:
        histories, error = (f"{n:,.0f}" if n < _MANY else f"{n:.1e}" for n in (self.histories, self.error))
        return (
            f"about {histories} histories (±{error}), {self.memory / 2**30:.2g} GiB and {self.seconds:.2g} s to compile"
        )


def estimate_size(
    game: Game,
    per_second: float,
    per_history: float = BYTES_PER_HISTORY,
    walks: int = _WALKS,
    limit: float = float("inf"),
) -> SizeEstimate:
    """The size of a game from random descents (Knuth 1975), compiled at `per_second` histories of `per_history` bytes.
    If the estimate exceeds `limit`, the histories that fit, by less than two standard errors, more descents follow."""
    rng = np.random.default_rng(_SEED)
    sizes: list[float] = []
    steps = 0
    while True:
        for _ in range(walks):
            size, depth = _walk(game, rng)
            sizes.append(size)
            steps += depth
        mean, error = float(np.mean(sizes)), float(np.std(sizes) / np.sqrt(len(sizes)))
        found = SizeEstimate(mean, error, mean * per_history, mean / per_second)
        if mean <= limit or found.least > limit or steps > _STEPS:
            return found
        walks = len(sizes)


def _walk(game: Game, rng: np.random.Generator) -> tuple[float, int]:
    """An unbiased estimate of the number of histories, from the branching factors of a walk; and its steps."""
    state, total, product = game.root(), 1.0, 1.0
    for depth in range(_DEEPEST):
        who = game.player(state)
        actions = game.actions(state) if who in ACTORS else ()
        if not len(actions):
            return total, depth  # the end, or an error of the game, which the listing will name
        product = min(product * len(actions), _ENDLESS)
        total = min(total + product, _ENDLESS)
        state = game.child(state, actions[int(rng.integers(len(actions)))])
    raise InputError(f"{game.name} does not end: a random game took {_DEEPEST:,} moves")


def check_memory(what: str, needed: float, limit: float | None, advice: str) -> None:
    """Raise an InputError for what does not fit in memory: its description, such as "the spot has 93 betting nodes,
    ...; 1.5 GiB", the bytes needed, the limit in bytes (by default `default_memory`), and as advice a smaller
    alternative."""
    most = default_memory() if limit is None else limit
    if needed > most:
        raise InputError(f"{what}, and {most / 2**30:.3g} GiB is the limit; {advice}")


Watch = Callable[[int, float], None]
"""Called with how many histories are listed so far, and about how many there are; 0 if that is not known."""
Count = Callable[[int], None]
"""Called with how many histories are listed so far; may raise."""
_NOISE = 64 * 2**20  # bytes that a process grows by for other reasons
_PATIENCE = 1.0  # seconds of silence
_STATM = Path("/proc/self/statm")


def resident() -> float | None:
    """Resident memory of this process in bytes; None where the system does not report it."""
    try:
        return float(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None


@dataclass
class Listing:
    """The enumeration of one game, as a `Count`.

    Attributes:
        budget: memory limit in bytes.
        later: bytes per history that the arrays will take afterwards.
        expected: estimated number of histories; 0 if unknown.
        say: called with one line if a second passes without output.
    """

    name: str
    budget: float
    later: float
    say: Callable[[str], None]
    watch: Watch | None = None
    expected: float = 0.0
    announced: bool = False
    _began: float = 0.0
    _before: float | None = field(default_factory=resident)

    def __call__(self, histories: int) -> None:
        """Record the number of histories so far; a TooLargeError if they exceed the memory limit, whatever the estimate
        was."""
        now = resident()
        if now is not None and self._before is not None:
            taken = now - self._before + self.later * histories
            if taken > self.budget + _NOISE:
                raise TooLargeError(
                    f"{self.name}: {histories:,} histories already take {taken / 2**30:.3g} GiB, "
                    f"more than the memory limit of {self.budget / 2**30:.3g} GiB"
                )
        self._began = self._began or time.perf_counter()  # at the first call: kernels are compiled before
        if not self.announced and time.perf_counter() - self._began > _PATIENCE:
            self.announced = True
            about = f" of about {self.expected:,.0f}" if self.expected else ""
            self.say(f"{self.name}: {histories:,}{about} histories listed so far")
        if self.watch:
            self.watch(histories, self.expected)
