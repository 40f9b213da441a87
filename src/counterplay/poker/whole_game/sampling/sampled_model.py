"""A model of a player in public chance sampling, which the kernels take in the place of regrets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

import numpy as np

from counterplay.card_abstraction.card_abstraction import CardAbstraction
from counterplay.errors import InputError
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

    def __init__(
        self, game: HoldemGame, play: BlueprintStrategy, player: int, streets: Sequence[SampledStreet]
    ) -> None:
        assert isinstance(play, BucketedStrategy)
        self.plan = reaches(game.sides[player], play.preflop[player])
        tables = zip(streets, play.tables, strict=True)
        self.tables = [street.flat_table(player, pair[player]) for street, pair in tables]


def sampled_models(
    game: HoldemGame, trust: ModelMixture | None, streets: Sequence[SampledStreet]
) -> tuple[SampledModel | None, SampledModel | None]:
    """A model and its reference, where there are any."""
    plays = (None, None) if trust is None else (trust.model, trust.reference)
    model, reference = (
        SampledModel(game, play, trust.player, streets) if trust is not None and play is not None else None
        for play in plays
    )
    return model, reference


def shares_buckets(trust: ModelMixture, buckets: CardAbstraction, game: HoldemGame) -> bool:
    """Whether a model takes the place of regrets: it has the buckets of the response and is not trusted row by row.

    Raises:
        InputError: a reference without these buckets, or beside a model without them.
    """
    shared = not trust.by_row and shares_lanes(trust.model, buckets, game)
    if trust.reference is not None and not (shared and shares_lanes(trust.reference, buckets, game)):
        raise InputError("a model and its reference must have the buckets of the response")
    return shared


def shares_lanes(play: BlueprintStrategy, buckets: CardAbstraction, game: HoldemGame) -> TypeGuard[BucketedStrategy]:
    """Whether a strategy has the buckets of a card abstraction."""
    if not isinstance(play, BucketedStrategy):
        return False
    if play.buckets is buckets:
        return True
    sizes = [(play.buckets.sizes_on(street), buckets.sizes_on(street)) for street in range(1, game.last + 1)]
    return play.buckets.name == buckets.name and all(np.array_equal(*pair) for pair in sizes)
