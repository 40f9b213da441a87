"""Blueprints of a whole game of hold'em, computed on the spot, as opponents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from counterplay.errors import InputError
from counterplay.opponents.model import AnyGame, OpponentModel
from counterplay.poker.whole_game.blueprints.board_split import PUBLIC
from counterplay.texts.readers import OneOf, Whole
from counterplay.treeplex.strategy import Strategy

METHODS = (PUBLIC, "cfr", "cfr+", "dcfr")


@dataclass(frozen=True, kw_only=True)
class TrainedBlueprint(OpponentModel):
    """A blueprint: an approximate equilibrium of the bucketed game after some iterations.

    Attributes:
        buckets: number of buckets of each street after the first.
        iterations: number of iterations.
        method: one of `METHODS`.
        seed: seed of a sampling method.
    """

    HEAD = "blueprint"
    buckets: Annotated[int, Whole(least=1, digits=9)] = 200
    iterations: Annotated[int, Whole(least=1, digits=9)] = 4000
    method: Annotated[str, OneOf(words=METHODS)] = PUBLIC
    seed: Annotated[int, Whole(digits=9)] = 0

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:  # noqa: ARG002
        raise InputError(f"{self} is an opponent in a whole game of hold'em, not in {game.name}")
