"""Blueprints of a whole game of hold'em, computed on the spot, as opponents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from counterplay.card_abstraction.make_buckets import make_buckets, read_abstraction
from counterplay.errors import InputError
from counterplay.opponents.model import AnyGame, OpponentModel
from counterplay.poker.whole_game.blueprints.blueprint import blueprint
from counterplay.poker.whole_game.blueprints.sampling_solver import EXTERNAL, PUBLIC
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.texts.readers import OneOf, Whole
from counterplay.treeplex.strategy import Strategy

METHODS = (PUBLIC, EXTERNAL, "cfr", "cfr+", "dcfr")


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

    def make_blueprint(self, game: HoldemGame, seed: int) -> BlueprintStrategy:  # noqa: ARG002
        lanes = make_buckets(game.boards, read_abstraction(str(self.buckets), game.last))
        return blueprint(game, lanes, method=self.method, iterations=self.iterations, seed=self.seed).play
