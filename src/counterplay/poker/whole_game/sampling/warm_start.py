"""A solve by public chance sampling that begins where another one is, instead of at nothing.

A response in a large abstraction needs about as many iterations as its blueprint before it plays rare rows well. Begun from
the regrets and the average of the blueprint, which count as some iterations, it has to learn only what the model changes;
rows that its own boards never meet are played as the blueprint plays them, and not uniformly. What the start adds to the
average loses its weight as iterations go on, so that the limit is the same (cf. Brown and Sandholm 2016, who start from a
strategy alone).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from counterplay.poker.whole_game.sampling.public_sampling import PublicSampling


@dataclass(frozen=True, eq=False)
class WarmStart:
    """Where a solve begins.

    Attributes:
        state: regrets and averages by name, as of `PublicSampling.state`.
        iterations: that made them.
        keep: as how many they count.
    """

    state: Mapping[str, NDArray[Any]]
    iterations: int
    keep: int

    def begin(self, solver: PublicSampling) -> None:
        """Bring a solve of the same game and buckets there."""
        solver.begin_from(self.state, self.iterations, self.keep)
