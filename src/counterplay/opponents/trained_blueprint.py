"""A blueprint of a whole game of hold'em that is computed at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from counterplay.errors import InputError
from counterplay.opponents.model import AnyGame, OpponentModel
from counterplay.poker.whole_game.blueprints.blueprint import EXTERNAL, PUBLIC
from counterplay.texts.readers import OneOf, Whole
from counterplay.treeplex.strategy import Strategy

METHODS = (PUBLIC, EXTERNAL, "cfr", "cfr+", "dcfr")


@dataclass(frozen=True, kw_only=True)
class TrainedBlueprint(OpponentModel):
    """An equilibrium of the game with hands in buckets, as far as it was trained.

    Attributes:
        buckets: of each street after the first.
        iterations: of the method.
        method: one of `METHODS`.
        seed: of what the method samples.
    """

    HEAD = "blueprint"
    buckets: Annotated[int, Whole(least=1, digits=9)] = 200
    iterations: Annotated[int, Whole(least=1, digits=9)] = 4000
    method: Annotated[str, OneOf(words=METHODS)] = PUBLIC
    seed: Annotated[int, Whole(digits=9)] = 0

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:  # noqa: ARG002
        raise InputError(f"{self} plays a whole game of hold'em, not {game.name}")
