"""The opponent that best responds to another one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from counterplay.opponents.model import MODELS, AnyGame, OpponentModel
from counterplay.solvers.best_response import best_response
from counterplay.treeplex.strategy import Strategy


@dataclass(frozen=True)
class BestResponseTo(OpponentModel):
    """A best response to `to`, which plays the other seat."""

    HEAD = "br"
    to: Annotated[OpponentModel, MODELS.nested("the opponent that it responds to")]

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:
        other = self.to.strategy(game, 1 - player, seed)
        return Strategy(game.trees[player], best_response(game.subgame, player, other.plan).behaviour)
