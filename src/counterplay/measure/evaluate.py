"""How good a strategy is: against a best responder, and against a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from counterplay.display import brief, told
from counterplay.errors import InputError
from counterplay.poker.ranged import Ranged
from counterplay.solvers.best_response import best_response
from counterplay.solvers.equilibrium import equilibrium
from counterplay.subgames.compiled import as_compiled
from counterplay.treeplex.strategy import Strategy


@dataclass(frozen=True)
class Evaluation:
    """Values are chips of the strategy's player.

    Attributes:
        game: name of the game.
        seat: whose strategy was evaluated.
        game_value: what the seat is guaranteed in equilibrium.
        worst_case: what the strategy wins against a best responder.
        exploitability: game_value - worst_case.
        value_against_model: what it wins against the model; None without a model.
        gain: value_against_model - game_value.
        model_exploitability: what a best responder wins from the model beyond the game's value.
        nash_conv: exploitability of strategy and model together.
    """

    game: str
    seat: int
    game_value: float
    worst_case: float
    exploitability: float
    value_against_model: float | None = None
    gain: float | None = None
    model_exploitability: float | None = None
    nash_conv: float | None = None

    def __repr__(self) -> str:
        return brief(
            self, self.game, f"seat {self.seat}", told("exploitability", self.exploitability), told("gain", self.gain),
            told("nash conv", self.nash_conv),
        )  # fmt: skip

    def facts(self) -> dict[str, Any]:
        """As plain numbers and texts; what was not asked for is left out."""
        return {name: value for name, value in vars(self).items() if value is not None}


def evaluate(game: Any, strategy: Strategy, against: Strategy | None = None) -> Evaluation:
    """Measure a strategy exactly.

    Args:
        game: from `load`; or a spot of hold'em.
        strategy: of either seat.
        against: a model of the other seat.

    Raises:
        InputError: a strategy of another game, or both of the same seat.
    """
    game, seat = as_compiled(game), strategy.player
    for one in (strategy, against):
        if one is not None and one.tree is not game.trees[one.player]:
            raise InputError(f"a strategy of another game cannot be evaluated in {game.name}")
    exact = game.equilibrium() if isinstance(game, Ranged) else equilibrium(game.subgame)
    value = exact.value * (1.0 if seat == 0 else -1.0)
    worst_case = -best_response(game.subgame, 1 - seat, strategy.plan).value
    exploitability = max(0.0, value - worst_case)
    if against is None:
        return Evaluation(game.name, seat, value, worst_case, exploitability)
    if against.player == seat:
        raise InputError(f"both strategies are of seat {seat}; the model must have the other seat")
    won = float(game.payoff.product(seat, against.plan) @ strategy.plan)
    best = best_response(game.subgame, seat, against.plan).value
    model_exploitability = max(0.0, best - value)
    return Evaluation(
        game.name, seat, value, worst_case, exploitability, won, won - value, model_exploitability,
        exploitability + model_exploitability,
    )  # fmt: skip
