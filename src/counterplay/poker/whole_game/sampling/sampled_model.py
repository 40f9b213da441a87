"""A model of a player in public chance sampling, which the kernels take in the place of regrets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

import numpy as np

from counterplay.card_abstraction.card_abstraction import CardAbstraction
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.sampling.sampled_street import SampledStreet
from counterplay.poker.whole_game.strategy import (
    BlueprintStrategy,
    BucketedStrategy,
    ModelMixture,
    reaches,
)


class SampledModel:
    """A model in the buckets of the response, as the kernels take regrets: matching turns its probabilities into
    themselves.

    Attributes:
        plan: (sequences, classes) its reach before the flop.
        tables: of every street after the first, flat.
    """

    def __init__(self, game: HoldemGame, trust: ModelMixture, streets: Sequence[SampledStreet]) -> None:
        play = trust.model
        assert isinstance(play, BucketedStrategy)
        self.plan = reaches(game.sides[trust.player], play.preflop[trust.player])
        tables = zip(streets, play.tables, strict=True)
        self.tables = [street.flat_table(trust.player, pair[trust.player]) for street, pair in tables]


def shares_lanes(play: BlueprintStrategy, buckets: CardAbstraction, game: HoldemGame) -> TypeGuard[BucketedStrategy]:
    """Whether a strategy has the buckets of a card abstraction."""
    if not isinstance(play, BucketedStrategy):
        return False
    if play.buckets is buckets:
        return True
    sizes = [(play.buckets.sizes_on(street), buckets.sizes_on(street)) for street in range(1, game.last + 1)]
    return play.buckets.name == buckets.name and all(np.array_equal(*pair) for pair in sizes)
