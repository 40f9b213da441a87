"""Evaluation of a strategy: against a best responder, and against a model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from counterplay.display import brief, labelled
from counterplay.errors import InputError
from counterplay.poker.betting.rake import NO_BOUND
from counterplay.poker.betting.stakes import Stakes
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.poker.whole_game.measure import best_response_value
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.seat_strategy import HoldemStrategy
from counterplay.problem.solvable_game import as_compiled
from counterplay.responses.whole_game import NOTE, HoldemMatchup
from counterplay.solvers.best_response import best_response, played_plan
from counterplay.solvers.equilibrium import equilibrium
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
        pot, big_blind: of a spot of hold'em, in chips.
        note: what must be known to read the numbers rightly, such as that the spot has a rake.
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
    pot: float | None = None
    big_blind: float | None = None
    note: str | None = None

    def __repr__(self) -> str:
        return brief(
            self, self.game, f"seat {self.seat}", labelled("exploitability", self.exploitability),
            labelled("gain", self.gain),
            labelled("nash conv", self.nash_conv),
        )  # fmt: skip

    def facts(self) -> dict[str, Any]:
        """As plain numbers and texts; what was not asked for is left out."""
        told = {name: value for name, value in vars(self).items() if value is not None}
        if self.pot is not None:
            evs = {
                "game_ev": self.game_value,
                "worst_case_ev": self.worst_case,
                "ev_against_model": self.value_against_model,
            }
            told |= {name: 0.5 * self.pot + value for name, value in evs.items() if value is not None}
        rates: dict[str, float] = {name: told[name] for name in ("gain", "exploitability") if name in told}
        return told | Stakes(self.pot, self.big_blind).facts(rates)


def evaluate(game: Any, strategy: Strategy, against: Strategy | None = None) -> Evaluation:
    """Measure a strategy exactly.

    Args:
        game: from `load`; or a spot of hold'em.
        strategy: of either seat.
        against: a model of the other seat.

    Raises:
        InputError: a strategy of another game, or both of the same seat.
    """
    if isinstance(game, Holdem):
        return _of_whole_game(game, strategy, against)
    game, seat = as_compiled(game), strategy.player
    for one in (strategy, against):
        if one is not None and one.tree is not game.trees[one.player]:
            raise InputError(f"a strategy of another game cannot be evaluated in {game.name}")
    if against is not None and against.player == seat:
        raise InputError(f"both strategies are of seat {seat}; the model must have the other seat")
    if isinstance(game, SpotGame):
        return _of_spot(game, strategy, against)
    exact = equilibrium(game.subgame)
    value = exact.value * (1.0 if seat == 0 else -1.0)
    worst_case = -best_response(game.subgame, 1 - seat, strategy.plan).value
    return _against(
        game, strategy, against, Evaluation(game.name, seat, value, worst_case, max(0.0, value - worst_case))
    )


def _of_whole_game(game: Holdem, strategy: Any, against: Any) -> Evaluation:
    """In a whole game, whose value is not known: counted from what its blueprint is sure of."""
    seat = strategy.player
    match = HoldemMatchup(game, against or HoldemStrategy(game, 1 - seat, strategy.play))
    value, lost = match.game_value, match.exploitability(strategy.play)
    found = Evaluation(game.name, seat, value, value - lost, lost, big_blind=game.stakes.big_blind, note=NOTE)
    if against is None:
        return found
    won = match.value_against_model(strategy.play)
    best = best_response_value(game.game, against.play, seat) - value
    return replace(found, value_against_model=won, gain=won - value, model_exploitability=best, nash_conv=lost + best)


def _of_spot(game: SpotGame, strategy: Strategy, against: Strategy | None) -> Evaluation:
    """In a spot, which may have a rake: then the best responder wins something else than the strategy loses."""
    exact, seat = game.equilibrium(), strategy.player
    values = [game.value_of(player, exact) for player in (seat, 1 - seat)]
    best = best_response(game.subgame, 1 - seat, strategy.plan)
    worst_case = -best.value
    if game.rake:
        worst_case = float(
            strategy.plan @ game.payoff.product(seat, played_plan(game.subgame, 1 - seat, best.behaviour))
        )
    spoiled = best.value - values[1] if game.rake else values[0] - worst_case
    so_far = Evaluation(
        game.name, seat, values[0], worst_case, max(0.0, spoiled), pot=game.pot, big_blind=game.stakes.big_blind,
        note=NO_BOUND if game.rake else None,
    )  # fmt: skip
    return _against(game, strategy, against, so_far)


def _against(game: Any, strategy: Strategy, against: Strategy | None, so_far: Evaluation) -> Evaluation:
    """The same with what the strategy wins from a model, and what a best responder wins from the model."""
    if against is None:
        return so_far
    seat = strategy.player
    won = float(game.payoff.product(seat, against.plan) @ strategy.plan)
    model_exploitability = max(0.0, best_response(game.subgame, seat, against.plan).value - so_far.game_value)
    return replace(
        so_far, value_against_model=won, gain=won - so_far.game_value, model_exploitability=model_exploitability,
        nash_conv=so_far.exploitability + model_exploitability,
    )  # fmt: skip
