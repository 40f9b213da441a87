"""Size of a game before it is in memory: Knuth's estimate from random walks down the tree."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np

from counterplay.errors import InputError
from counterplay.games.game import TERMINAL, Game

BYTES_PER_HISTORY = 150
"""Peak memory of compiling, per history: the table of histories, the payoff twice, and scratch."""
BYTES_PER_WALKED_HISTORY = 400
"""The same where rules are plain Python: their states and labels are objects."""
_WALKS = 60
_STEPS = 100_000
"""States up to which an estimate goes on where it cannot tell yet whether the game fits: about a second."""
_MANY = 1e12  # sizes from here on are written with an exponent
_SEED = 20
_DEEPEST = 10_000
_ENDLESS = 1e100  # a size beyond all memory; larger guesses are cut to it, so that means stay finite


@dataclass(frozen=True)
class SizeEstimate:
    """Expected number of histories, its standard error, and what compiling will take. memory: bytes."""

    histories: float
    error: float
    memory: float
    seconds: float

    @property
    def least(self) -> float:
        """The histories less two standard errors: a game with a smaller limit than that does not fit."""
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
    """The size of a game from random descents (Knuth 1975).

    Args:
        game: the rules.
        per_second: the speed of its compilation.
        per_history: the bytes that it takes.
        walks: how many descents.
        limit: histories that fit. Where the estimate is above that, but not by two standard errors, more descents follow.
    """
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
    """An unbiased guess of the number of histories: the sum over depths of the product of the branchings so far; and how
    many steps it took."""
    state, total, product = game.root(), 1.0, 1.0
    for depth in range(_DEEPEST):
        if game.player(state) == TERMINAL:
            return total, depth
        actions = game.actions(state)
        if not len(actions):
            return total, depth  # an error of the game, which the compiler will name
        product = min(product * len(actions), _ENDLESS)
        total = min(total + product, _ENDLESS)
        state = game.child(state, actions[int(rng.integers(len(actions)))])
    raise InputError(f"{game.name} does not end: a random game went on for {_DEEPEST:,} moves")


def default_memory() -> float:
    """Half of the machine's memory, in bytes."""
    return 0.5 * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def check_memory(what: str, needed: float, limit: float | None, advice: str) -> None:
    """Refuse what does not fit.

    Args:
        what: its description, such as "the spot has 93 betting nodes, ...; 1.5 GiB".
        needed: bytes.
        limit: bytes; by default half of the machine's memory.
        advice: what to ask for instead.

    Raises:
        InputError: with all of these.
    """
    most = default_memory() if limit is None else limit
    if needed > most:
        raise InputError(f"{what}, and {most / 2**30:.3g} GiB is the limit; {advice}")
