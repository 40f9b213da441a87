"""Equilibrium play as an opponent."""

from __future__ import annotations

from dataclasses import dataclass

from counterplay.opponents.model import AnyGame, OpponentModel
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.solvers.equilibrium import equilibrium
from counterplay.treeplex.strategy import Strategy


@dataclass(frozen=True)
class Nash(OpponentModel):
    """An equilibrium strategy, always the same one."""

    HEAD = "nash"

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:  # noqa: ARG002
        solution = game.equilibrium() if isinstance(game, SpotGame) else equilibrium(game.subgame)
        return Strategy.from_plan(game.trees[player], solution.plans[player])
