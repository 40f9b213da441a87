"""Estimated size of a game before it is in memory: Knuth's estimator from random walks down the tree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from counterplay.errors import InputError
from counterplay.games.game import Game
from counterplay.gametree.build.game_errors import ACTORS
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
    """An unbiased estimate of the number of histories: the sum over depths of the product of the branching factors so
    far; and the number of steps."""
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
