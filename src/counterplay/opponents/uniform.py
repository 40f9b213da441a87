"""The uniform opponent."""

from __future__ import annotations

from dataclasses import dataclass

from counterplay.games.kernel_rules import FastGame
from counterplay.games.policy import Policy, policy_of
from counterplay.opponents.model import AnyGame, OpponentModel
from counterplay.strategies.strategy_makers import strategies_of
from counterplay.treeplex.strategy import Strategy


@dataclass(frozen=True)
class Uniform(OpponentModel):
    """Every legal action with equal probability."""

    HEAD = "uniform"

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:  # noqa: ARG002
        return strategies_of(game).uniform(player)  # type: ignore[no-any-return]

    def policy(self, game: FastGame) -> Policy | None:
        return policy_of(game, self.HEAD)
