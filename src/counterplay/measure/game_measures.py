"""Measures of games of any kind for `evaluate`: the value, best responses and values of strategies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from counterplay.errors import InputError
from counterplay.poker.betting.stakes import NO_BOUND, Stakes
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


class GameMeasure(Protocol):
    """Values of a game, in the given player's chips.

    Attributes:
        name: name of the game.
        stakes: stakes of the game; pot and big blind are None without them.
        note: a caveat about the numbers; None without one.
    """

    @property
    def name(self) -> str: ...
    @property
    def stakes(self) -> Stakes: ...
    @property
    def note(self) -> str | None: ...

    def check(self, strategy: Any) -> None:
        """Reject a strategy of another game.

        Raises:
            InputError: a strategy of another game.
        """

    def game_value(self, seat: int) -> float:
        """The baseline of a seat's gains: the value of the game, an upper bound where it is iterated."""

    def value_gap(self, seat: int) -> float | None:
        """The most by which the value of the game is below `game_value`; None where there is none, or it is not known."""

    def worst_case(self, strategy: Any) -> tuple[float, float]:
        """The value of a strategy against a best responder, and its exploitability."""

    def value(self, strategy: Any, against: Any) -> float:
        """The value of a strategy against another."""

    def best_response_gain(self, against: Any) -> float:
        """The gain of a best responder against a strategy, above the game's value."""


@dataclass(frozen=True)
class CompiledMeasure:
    """The measure of a compiled game."""

    game: Any

    @property
    def name(self) -> str:
        return str(self.game.name)

    @property
    def stakes(self) -> Stakes:
        return Stakes(None, None)

    @property
    def note(self) -> str | None:
        return None

    def check(self, strategy: Any) -> None:
        if not isinstance(strategy, Strategy) or not strategy.is_of(self.game):
            raise InputError(f"a strategy of another game cannot be evaluated in {self.name}")

    def game_value(self, seat: int) -> float:
        return equilibrium(self.game.subgame).bound(seat)

    def value_gap(self, seat: int) -> float | None:
        if getattr(self.game, "rake", 0.0):
            return None
        exact = equilibrium_of(self.game).method == "lp"
        return 0.0 if exact else max(0.0, self.game_value(seat) + self.game_value(1 - seat))

    def worst_case(self, strategy: Strategy) -> tuple[float, float]:
        worst = -best_response(self.game.subgame, 1 - strategy.player, strategy.plan).value
        return worst, max(0.0, self.game_value(strategy.player) - worst)

    def value(self, strategy: Strategy, against: Strategy) -> float:
        return float(self.game.payoff.product(strategy.player, against.plan) @ strategy.plan)

    def best_response_gain(self, against: Strategy) -> float:
        return max(
            0.0,
            best_response(self.game.subgame, 1 - against.player, against.plan).value - self._responder_value(against),
        )

    def _responder_value(self, against: Any) -> float:
        """The value for the best responder to a strategy: a lower bound where it is iterated, so that their gain is not
        understated; with a rake, their value in the computed equilibrium."""
        rake: float = getattr(self.game, "rake", 0.0)
        return self.game_value(1 - against.player) if rake else -self.game_value(against.player)


class SpotMeasure(CompiledMeasure):
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

    def worst_case(self, strategy: Strategy) -> tuple[float, float]:
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
        mine, seat = self.game.kept(strategy), strategy.player
        best = float(mine.plans.best_value(1 - seat))
        if not self.game.rake:
            return -best, max(0.0, self.game_value(seat) + best)
        worst = float(mine.plans.best_response(1 - seat).value(seat))
        return worst, max(0.0, best - self.game_value(1 - seat))

    def value(self, strategy: Any, against: Any) -> float:
        mine, other = self.game.kept(strategy), self.game.kept(against)
        return float(mine.plans.facing(against.player, other.plans).value(strategy.player))

    def best_response_gain(self, against: Any) -> float:
        return max(
            0.0, float(self.game.kept(against).plans.best_value(1 - against.player)) - self._responder_value(against)
        )


@dataclass(frozen=True)
class HoldemMeasure:
    """The measure of a whole game of hold'em, whose value is not known. Its blueprint's worst case is a lower bound, and
    what a best responder wins from the blueprint an upper one: exploitabilities are upper bounds."""

    game: Holdem
    note = NOTE

    @property
    def name(self) -> str:
        return self.game.name

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
        worst, base = -best_response_value(self.game.game, strategy.play, 1 - strategy.player), blueprint_of(self.game)
        return worst, best_response_value(self.game.game, base.play, strategy.player) - worst

    def value(self, strategy: HoldemStrategy, against: HoldemStrategy) -> float:
        return HoldemMatchup(self.game, against).value_against_model(strategy.play)

    def blueprint_value(self, against: HoldemStrategy) -> float:
        """Value of the blueprint against a strategy."""
        return HoldemMatchup(self.game, against).value_against_model(blueprint_of(self.game).play)

    def best_value(self, against: HoldemStrategy) -> float:
        """Value of a best response to a strategy."""
        return best_response_value(self.game.game, against.play, 1 - against.player)

    def best_response_gain(self, against: HoldemStrategy) -> float:
        return self.best_value(against) - self.game_value(1 - against.player)


MEASURES: dict[type, Callable[[Any], GameMeasure]] = {
    Holdem: HoldemMeasure,
    StoredSpotGame: StoredSpotMeasure,
    SpotGame: SpotMeasure,
}
"""Measures by the kind of game; `CompiledMeasure` for all others."""


def measure_of(source: Any) -> GameMeasure:
    """The measure of a game.

    Raises:
        InputError: the game is not in memory.
    """
    known = by_kind(MEASURES, source, None)
    if known is not None:
        return known(source)
    game = as_compiled(source)
    return by_kind(MEASURES, game, CompiledMeasure)(game)
