"""Reference opponents: uniform and random play, an equilibrium, and the best response to another opponent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from counterplay.games.kernel_rules import FastGame
from counterplay.games.policy import Policy, policy_of
from counterplay.opponents.model import MODELS, AnyGame, OpponentModel
from counterplay.poker.whole_game.blueprints.blueprint import usual_blueprint, usual_lanes
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategies.row_models import random_strategy
from counterplay.poker.whole_game.strategy import BlueprintStrategy, uniform
from counterplay.poker.whole_game.walks.make_rule import best_response
from counterplay.strategies.strategy_makers import strategies_of
from counterplay.texts.readers import Positive, Whole
from counterplay.treeplex.strategy import Strategy

_LARGEST = 1e9
"""The largest alpha of a Dirichlet distribution; beyond it sums overflow."""


@dataclass(frozen=True)
class Uniform(OpponentModel):
    """Every legal action with equal probability."""

    HEAD = "uniform"

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:  # noqa: ARG002
        return strategies_of(game).uniform(player)  # type: ignore[no-any-return]

    def make_blueprint(self, game: HoldemGame, seed: int) -> BlueprintStrategy:  # noqa: ARG002
        return uniform(game)

    def policy(self, game: FastGame) -> Policy | None:
        return policy_of(game, self.HEAD)


@dataclass(frozen=True)
class Random(OpponentModel):
    """Every infoset's probabilities drawn from a symmetric Dirichlet distribution.

    Attributes:
        seed: seed of the draws; None takes the caller's.
        alpha: 1 is uniform over strategies; smaller values give purer ones.
    """

    HEAD = "random"
    seed: Annotated[int | None, Whole(what="the seed")] = None
    alpha: Annotated[float, Positive(most=_LARGEST)] = 1.0

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:
        seed = seed if self.seed is None else self.seed
        return strategies_of(game).random(player, seed, self.alpha)  # type: ignore[no-any-return]

    def make_blueprint(self, game: HoldemGame, seed: int) -> BlueprintStrategy:
        return random_strategy(game, usual_lanes(game), seed if self.seed is None else self.seed, self.alpha)


@dataclass(frozen=True)
class Nash(OpponentModel):
    """An equilibrium strategy, always the same one."""

    HEAD = "nash"

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:  # noqa: ARG002
        return strategies_of(game).equilibrium(player)  # type: ignore[no-any-return]

    def make_blueprint(self, game: HoldemGame, seed: int) -> BlueprintStrategy:  # noqa: ARG002
        return usual_blueprint(game).play


@dataclass(frozen=True)
class BestResponseTo(OpponentModel):
    """A best response to `to`, which plays the other seat."""

    HEAD = "br"
    to: Annotated[OpponentModel, MODELS.nested("the opponent that it responds to")]

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:
        other = self.to.strategy(game, 1 - player, seed)
        return strategies_of(game).best_response(player, other)  # type: ignore[no-any-return]

    def make_blueprint(self, game: HoldemGame, seed: int) -> BlueprintStrategy:
        return best_response(game, self.to.blueprint(game, seed))
