"""Equilibrium play as an opponent."""

from __future__ import annotations

from dataclasses import dataclass

from counterplay.opponents.model import AnyGame, OpponentModel
from counterplay.solvers.equilibrium import equilibrium_of
from counterplay.treeplex.strategy import Strategy


@dataclass(frozen=True)
class Nash(OpponentModel):
    """An equilibrium strategy, always the same one."""

    HEAD = "nash"

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:  # noqa: ARG002
        return Strategy.from_plan(game.trees[player], equilibrium_of(game).plans[player])
