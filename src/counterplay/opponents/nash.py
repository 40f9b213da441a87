"""Equilibrium play as an opponent."""

from __future__ import annotations

from dataclasses import dataclass

from counterplay.opponents.model import AnyGame, OpponentModel
from counterplay.strategies.strategy_makers import strategies_of
from counterplay.treeplex.strategy import Strategy


@dataclass(frozen=True)
class Nash(OpponentModel):
    """An equilibrium strategy, always the same one."""

    HEAD = "nash"

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:  # noqa: ARG002
        return strategies_of(game).equilibrium(player)  # type: ignore[no-any-return]
