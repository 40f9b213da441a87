"""The opponent that best responds to another one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from counterplay.opponents.model import MODELS, AnyGame, OpponentModel
from counterplay.strategies.strategy_makers import strategies_of
from counterplay.treeplex.strategy import Strategy


@dataclass(frozen=True)
class BestResponseTo(OpponentModel):
    """A best response to `to`, which plays the other seat."""

    HEAD = "br"
    to: Annotated[OpponentModel, MODELS.nested("the opponent that it responds to")]

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:
        other = self.to.strategy(game, 1 - player, seed)
        return strategies_of(game).best_response(player, other)  # type: ignore[no-any-return]
