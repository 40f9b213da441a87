"""Noisy opponents: another opponent that sometimes plays uniformly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from counterplay.games.kernel_rules import FastGame
from counterplay.games.policy import Policy
from counterplay.opponents.model import CHANGED, MODELS, AnyGame, OpponentModel
from counterplay.strategies.strategy_makers import strategies_of
from counterplay.texts.readers import Share
from counterplay.treeplex.strategy import Strategy


@dataclass(frozen=True)
class Noise(OpponentModel):
    """At every infoset uniform with probability `weight`, else as `to`."""

    HEAD = "noise"
    weight: Annotated[float, Share(what="the weight", example="0.2")]
    to: Annotated[OpponentModel, MODELS.nested(CHANGED)]

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:
        return strategies_of(game).noisy(self.to.strategy(game, player, seed), self.weight)  # type: ignore[no-any-return]

    def policy(self, game: FastGame) -> Policy | None:
        inner = self.to.policy(game)
        if inner is None:
            return None
        return Policy(str(self), inner.record, 1.0 - (1.0 - self.weight) * (1.0 - inner.noise))
