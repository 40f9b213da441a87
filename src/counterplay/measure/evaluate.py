"""Evaluation of a strategy: against a best responder, and against a model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from counterplay.display import brief, labelled
from counterplay.errors import InputError
from counterplay.measure.game_measures import HoldemMeasure, measure_of
from counterplay.poker.betting.stakes import Stakes
from counterplay.treeplex.strategy import Strategy

_RATES = ("gain", "exploitability", "edge", "risk")


@dataclass(frozen=True)
class Evaluation:
    """Values are chips of the strategy's player.

    Attributes:
        game: name of the game.
        seat: the strategy's seat.
        game_value: equilibrium value of the seat, an upper bound where it is iterated; None in a whole game of hold'em, the
            value of which is not known.
        game_value_gap: the most by which the value is below that; 0 where it is exact. None where there is no value, as with
            a rake, or it is not known.
        worst_case: value of the strategy against a best responder.
        exploitability: game_value - worst_case; in a whole game an upper bound.
        value_against_model: value against the model; None without a model.
        gain: value_against_model - game_value; None in a whole game.
        model_exploitability: exploitability of the model; in a whole game an upper bound.
        nash_conv: what best responders win from strategy and model together.
        blueprint_value, edge: in a whole game, what the blueprint wins from the model, and the value beyond it.
        risk: in a whole game, what a best responder wins beyond what one wins from the blueprint.
        pot, big_blind: of a spot of hold'em, in chips.
        note: a caveat about the numbers, such as that the spot has a rake.
    """

    game: str
    seat: int
    game_value: float | None
    worst_case: float
    exploitability: float
    value_against_model: float | None = None
    gain: float | None = None
    model_exploitability: float | None = None
    nash_conv: float | None = None
    game_value_gap: float | None = None
    pot: float | None = None
    big_blind: float | None = None
    note: str | None = None
    blueprint_value: float | None = None
    edge: float | None = None
    risk: float | None = None

    def __repr__(self) -> str:
        return brief(
            self, self.game, f"seat {self.seat}", labelled("exploitability", self.exploitability),
            labelled("gain", self.gain), labelled("edge", self.edge),
            labelled("nash conv", self.nash_conv),
        )  # fmt: skip

    def facts(self) -> dict[str, Any]:
        """The fields as plain numbers and texts, without those not requested."""
        told = {name: value for name, value in vars(self).items() if value is not None}
        if self.pot is not None:
            evs = {
                "game_ev": self.game_value,
                "worst_case_ev": self.worst_case,
                "ev_against_model": self.value_against_model,
            }
            told |= {name: 0.5 * self.pot + value for name, value in evs.items() if value is not None}
        rates: dict[str, float] = {name: told[name] for name in _RATES if name in told}
        return told | Stakes(self.pot, self.big_blind).facts(rates)


def evaluate(game: Any, strategy: Strategy, against: Strategy | None = None) -> Evaluation:
    """Measure a strategy exactly.

    Args:
        game: from `load`; or a spot of hold'em.
        strategy: a strategy of either seat.
        against: a model of the other seat.

    Raises:
        InputError: a strategy of another game, or both of the same seat.
    """
    measure = measure_of(game)
    for one in [strategy] if against is None else [strategy, against]:
        measure.check(one)
    seat = strategy.player
    if against is not None and against.player == seat:
        raise InputError(f"both strategies are of seat {seat}; the model must have the other seat")
    value, (worst_case, exploitability), stakes = measure.game_value(seat), measure.worst_case(strategy), measure.stakes
    found = Evaluation(
        measure.name, seat, value, worst_case, exploitability, pot=stakes.pot, big_blind=stakes.big_blind,
        note=measure.note, game_value_gap=measure.value_gap(seat),
    )  # fmt: skip
    if isinstance(measure, HoldemMeasure):
        return _beside_blueprint(measure, found, strategy, against)
    if against is None:
        return found
    won, best = measure.value(strategy, against), measure.best_response_gain(against)
    return replace(
        found, value_against_model=won, gain=won - value, model_exploitability=best, nash_conv=exploitability + best
    )


def _beside_blueprint(measure: HoldemMeasure, found: Evaluation, strategy: Any, against: Any) -> Evaluation:
    """An evaluation in a whole game, with the blueprint's numbers in the place of the value of the game."""
    seat = strategy.player
    found = replace(found, game_value=None, risk=measure.game_value(seat) - found.worst_case)
    if against is None:
        return found
    won, before, best = measure.value(strategy, against), measure.blueprint_value(against), measure.best_value(against)
    return replace(
        found, value_against_model=won, blueprint_value=before, edge=won - before, nash_conv=best - found.worst_case,
        model_exploitability=measure.best_response_gain(against),
    )  # fmt: skip
