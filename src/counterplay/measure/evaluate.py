"""Evaluation of a strategy: against a best responder, and against a model; the values of a game, by its kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from counterplay.display import brief, labelled
from counterplay.errors import InputError
from counterplay.poker.betting.rake import NO_BOUND
from counterplay.poker.betting.stakes import Stakes
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.poker.spots.stored_spot_game import StoredSpotGame
from counterplay.poker.whole_game.lookup import HoldemStrategy
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.values.measure import best_response_value
from counterplay.problem.solvable_game import as_compiled, by_kind
from counterplay.responses.whole_game import NOTE, HoldemMatchup, blueprint_of, guarantee_of_blueprint
from counterplay.solvers.best_response import best_response, played_plan
from counterplay.solvers.equilibrium import equilibrium, equilibrium_of
from counterplay.strategies.strategy_makers import strategies_of
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
        names = ("exploitability", "gain", "edge", "nash_conv")
        shown = (labelled(name.replace("_", " "), getattr(self, name)) for name in names)
        return brief(self, self.game, f"seat {self.seat}", *shown)

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
    measure, seat = measure_of(game), strategy.player
    for one in [strategy] if against is None else [strategy, against]:
        measure.check(one)
    if against is not None and against.player == seat:
        raise InputError(f"both strategies are of seat {seat}; the model must have the other seat")
    value, (worst_case, exploitability), stakes = measure.game_value(seat), measure.worst_case(strategy), measure.stakes
    found = Evaluation(
        measure.name, seat, value, worst_case, exploitability, pot=stakes.pot, big_blind=stakes.big_blind,
        note=measure.note, game_value_gap=measure.value_gap(seat),
    )  # fmt: skip
    if isinstance(measure, HoldemMeasure):
        found = replace(found, game_value=None, risk=value - worst_case)
    if against is None:
        return found
    won, best = measure.value(strategy, against), measure.best_response_gain(against)
    found = replace(found, value_against_model=won, model_exploitability=best)
    if not isinstance(measure, HoldemMeasure):
        return replace(found, gain=won - value, nash_conv=exploitability + best)
    before = measure.blueprint_value(against)
    return replace(found, blueprint_value=before, edge=won - before, nash_conv=measure.best_value(against) - worst_case)


@dataclass(frozen=True)
class GameMeasure:
    """Values of a compiled game, in chips of the player who is named; those of other kinds of games differ in what they
    override."""

    game: Any

    @property
    def name(self) -> str:
        return str(self.game.name)

    @property
    def stakes(self) -> Stakes:
        """Pot and big blind are None without them."""
        return Stakes(None, None)

    @property
    def note(self) -> str | None:
        """A caveat about the numbers; None without one."""
        return None

    def check(self, strategy: Any) -> None:
        """Reject a strategy of another game."""
        if not isinstance(strategy, Strategy) or not strategy.is_of(self.game):
            raise InputError(f"a strategy of another game cannot be evaluated in {self.name}")

    def game_value(self, seat: int) -> float:
        """The baseline of a seat's gains: the value of the game, an upper bound where it is iterated."""
        return equilibrium(self.game.subgame).bound(seat)

    def value_gap(self, seat: int) -> float | None:
        """The most by which the value of the game is below `game_value`; None where there is none, or it is not known."""
        if getattr(self.game, "rake", 0.0):
            return None
        exact = equilibrium_of(self.game).method == "lp"
        return 0.0 if exact else max(0.0, self.game_value(seat) + self.game_value(1 - seat))

    def worst_case(self, strategy: Any) -> tuple[float, float]:
        """The value of a strategy against a best responder, and its exploitability."""
        worst = -best_response(self.game.subgame, 1 - strategy.player, strategy.plan).value
        return worst, max(0.0, self.game_value(strategy.player) - worst)

    def value(self, strategy: Any, against: Any) -> float:
        """The value of a strategy against another."""
        return float(self.game.payoff.product(strategy.player, against.plan) @ strategy.plan)

    def best_value(self, against: Any) -> float:
        """The value of a best response to a strategy."""
        return best_response(self.game.subgame, 1 - against.player, against.plan).value

    def best_response_gain(self, against: Any) -> float:
        """The gain of a best responder against a strategy above the responder's value: a lower bound where it is iterated,
        so that the gain is not understated; with a rake, the value in the computed equilibrium."""
        rake: float = getattr(self.game, "rake", 0.0)
        value = self.game_value(1 - against.player) if rake else -self.game_value(against.player)
        return max(0.0, self.best_value(against) - value)


class SpotMeasure(GameMeasure):
    """The measure of a spot; with a rake the best responder's gain differs from the strategy's loss."""

    game: SpotGame

    @property
    def stakes(self) -> Stakes:
        return Stakes(self.game.pot, self.game.stakes.big_blind)

    @property
    def note(self) -> str | None:
        return NO_BOUND if self.game.rake else None

    def game_value(self, seat: int) -> float:
        return self.game.value_of(seat, self.game.equilibrium())

    def worst_case(self, strategy: Any) -> tuple[float, float]:
        game, seat = self.game, strategy.player
        if not game.rake:
            return super().worst_case(strategy)
        best = best_response(game.subgame, 1 - seat, strategy.plan)
        played = played_plan(game.subgame, 1 - seat, best.behaviour)
        worst = float(strategy.plan @ game.payoff.product(seat, played))
        return worst, max(0.0, best.value - self.game_value(1 - seat))


class StoredSpotMeasure(SpotMeasure):
    """The measure of a large spot."""

    game: StoredSpotGame

    def check(self, strategy: Any) -> None:
        if not strategies_of(self.game).owns(strategy, getattr(strategy, "player", 0)):
            raise InputError(f"a strategy of another game cannot be evaluated in {self.name}")

    def worst_case(self, strategy: Any) -> tuple[float, float]:
        seat, best = strategy.player, self.best_value(strategy)
        if not self.game.rake:
            return -best, max(0.0, self.game_value(seat) + best)
        worst = float(self.game.kept(strategy).plans.best_response(1 - seat).value(seat))
        return worst, max(0.0, best - self.game_value(1 - seat))

    def value(self, strategy: Any, against: Any) -> float:
        mine, other = self.game.kept(strategy), self.game.kept(against)
        return float(mine.plans.facing(against.player, other.plans).value(strategy.player))

    def best_value(self, against: Any) -> float:
        return float(self.game.kept(against).plans.best_value(1 - against.player))


class HoldemMeasure(GameMeasure):
    """The measure of a whole game of hold'em, whose value is not known. Its blueprint's worst case is a lower bound, and
    what a best responder wins from the blueprint an upper one: exploitabilities are upper bounds."""

    game: Holdem
    note = NOTE

    @property
    def stakes(self) -> Stakes:
        return Stakes(None, self.game.stakes.big_blind)

    def check(self, strategy: HoldemStrategy) -> None:
        HoldemMatchup(self.game, strategy)

    def game_value(self, seat: int) -> float:
        return guarantee_of_blueprint(self.game, seat)

    def value_gap(self, seat: int) -> float | None:  # noqa: ARG002 - of no seat
        return None

    def worst_case(self, strategy: HoldemStrategy) -> tuple[float, float]:
        worst, base = -self.best_value(strategy), blueprint_of(self.game)
        return worst, best_response_value(self.game.game, base.play, strategy.player) - worst

    def value(self, strategy: HoldemStrategy, against: HoldemStrategy) -> float:
        return HoldemMatchup(self.game, against).value_against_model(strategy.play)

    def blueprint_value(self, against: Any) -> float:
        """Value of the blueprint against a strategy."""
        return HoldemMatchup(self.game, against).value_against_model(blueprint_of(self.game).play)

    def best_value(self, against: Any) -> float:
        return best_response_value(self.game.game, against.play, 1 - against.player)

    def best_response_gain(self, against: HoldemStrategy) -> float:
        return self.best_value(against) - self.game_value(1 - against.player)


MEASURES: dict[type, Callable[[Any], GameMeasure]] = {
    Holdem: HoldemMeasure,
    StoredSpotGame: StoredSpotMeasure,
    SpotGame: SpotMeasure,
}
"""Measures by the kind of game; `GameMeasure` for all others."""


def measure_of(source: Any) -> GameMeasure:
    """The measure of a game; one that is not in memory is refused."""
    known = by_kind(MEASURES, source, None)
    if known is not None:
        return known(source)
    game = as_compiled(source)
    return by_kind(MEASURES, game, GameMeasure)(game)
