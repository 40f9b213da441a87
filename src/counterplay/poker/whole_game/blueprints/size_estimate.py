"""How large a blueprint of Flop Hold'em is, before anything large is allocated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from counterplay.gametree.build.size_estimate import check_memory
from counterplay.poker.whole_game.blueprints.blueprint import EXTERNAL
from counterplay.poker.whole_game.blueprints.street_regrets import memory_of
from counterplay.poker.whole_game.card_abstraction import Buckets, lossless
from counterplay.poker.whole_game.holdem import HoldemGame

_GIB = 2**30
_PLACE = 120
"""Bytes at the peak for each hand on each of the different flops: ranks, lanes, steps of showdowns, features of buckets."""


@dataclass(frozen=True)
class BlueprintSize:
    """What a blueprint takes.

    Attributes:
        betting: betting nodes of both streets.
        flops: different flops.
        infosets: of both players, with buckets.
        memory: bytes at the peak.
    """

    betting: int
    flops: int
    infosets: int
    memory: float

    def __str__(self) -> str:
        return (
            f"{self.betting:,} betting nodes, {self.flops:,} different flops; {self.infosets:,} infosets; "
            f"{self.memory / _GIB:.3g} GiB"
        )

    def check(self, limit: float | None = None) -> None:
        """Refuse what does not fit.

        Args:
            limit: bytes; by default half of the machine's memory.

        Raises:
            InputError: with the estimate.
        """
        check_memory(f"the blueprint has {self}", self.memory, limit, "ask for fewer buckets")


def size_of(game: HoldemGame, buckets: int | None, method: str) -> BlueprintSize:
    """The size of a blueprint.

    Args:
        buckets: on the flop; None for none, the game itself.
        method: of `blueprint`.
    """
    flops, sides = game.flops, game.sides
    made = lossless(flops) if buckets is None else _shared(game, buckets)
    lanes = int(made.sizes.sum())
    infosets = sum(len(side.preflop) * flops.classes + len(side.flop) * lanes for side in sides)
    memory = memory_of(game, made)
    if method == EXTERNAL:
        memory = 2.5 * (4 if buckets is None else 8) * lanes * sum(side.sizes[1] for side in sides)
    return BlueprintSize(game.betting.nodes, flops.flops, infosets, memory + _PLACE * flops.flops * flops.places)


def _shared(game: HoldemGame, buckets: int) -> Buckets:
    """So many buckets that all flops share, for their number only."""
    nothing = np.zeros((1, 1), np.uint32)
    return Buckets(nothing[0], nothing, np.zeros(game.flops.flops, np.int64), np.array([buckets]), "")
