"""What `evaluate` asks of a game: its value, best responses and values of strategies, in games of any kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from counterplay.errors import InputError
from counterplay.poker.betting.rake import NO_BOUND
from counterplay.poker.betting.stakes import Stakes
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.poker.whole_game.measure import best_response_value
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.seat_strategy import HoldemStrategy
from counterplay.problem.solvable_game import as_compiled, by_kind
from counterplay.responses.whole_game import NOTE, HoldemMatchup, guarantee_of_blueprint
from counterplay.solvers.best_response import best_response, played_plan
from counterplay.solvers.equilibrium import equilibrium
from counterplay.treeplex.strategy import Strategy


class GameMeasure(Protocol):
    """Values of a game, in chips of the player that is meant.

    Attributes:
        name: of the game.
        stakes: what chips are worth; pot and big blind are None where the game has none.
        note: what must be known to read the numbers rightly; None if nothing.
    """

    @property
    def name(self) -> str: ...
    @property
    def stakes(self) -> Stakes: ...
    @property
    def note(self) -> str | None: ...

    def check(self, strategy: Any) -> None:
        """Refuse a strategy of another game.

        Raises:
            InputError: saying so.
        """

    def game_value(self, seat: int) -> float:
        """What gains of a seat are counted from."""

    def worst_case(self, strategy: Any) -> tuple[float, float]:
        """What a strategy has against a best responder, and what that costs it: its exploitability."""

    def value(self, strategy: Any, against: Any) -> float:
        """What a strategy has against another."""

    def best_response_gain(self, against: Any) -> float:
        """What a best responder has against a strategy, above the game's value."""


@dataclass(frozen=True)
class CompiledMeasure:
    """In a game that is in memory as a whole."""

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

    def check(self, strategy: Strategy) -> None:
        if strategy.tree is not self.game.trees[strategy.player]:
            raise InputError(f"a strategy of another game cannot be evaluated in {self.name}")

    def game_value(self, seat: int) -> float:
        return equilibrium(self.game.subgame).value * (1.0 if seat == 0 else -1.0)

    def worst_case(self, strategy: Strategy) -> tuple[float, float]:
        worst = -best_response(self.game.subgame, 1 - strategy.player, strategy.plan).value
        return worst, max(0.0, self.game_value(strategy.player) - worst)

    def value(self, strategy: Strategy, against: Strategy) -> float:
        return float(self.game.payoff.product(strategy.player, against.plan) @ strategy.plan)

    def best_response_gain(self, against: Strategy) -> float:
        seat = 1 - against.player
        return max(0.0, best_response(self.game.subgame, seat, against.plan).value - self.game_value(seat))


class SpotMeasure(CompiledMeasure):
    """In a spot, which may have a rake: then the best responder wins something else than the strategy loses."""

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


@dataclass(frozen=True)
class HoldemMeasure:
    """In a whole game of hold'em, whose value is not known: counted from what its blueprint is sure of."""

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

    def worst_case(self, strategy: HoldemStrategy) -> tuple[float, float]:
        worst = -best_response_value(self.game.game, strategy.play, 1 - strategy.player)
        return worst, self.game_value(strategy.player) - worst

    def value(self, strategy: HoldemStrategy, against: HoldemStrategy) -> float:
        return HoldemMatchup(self.game, against).value_against_model(strategy.play)

    def best_response_gain(self, against: HoldemStrategy) -> float:
        seat = 1 - against.player
        return best_response_value(self.game.game, against.play, seat) - self.game_value(seat)


MEASURES: dict[type, Callable[[Any], GameMeasure]] = {Holdem: HoldemMeasure, SpotGame: SpotMeasure}
"""Measures by the kind of game; of all others `CompiledMeasure`."""


def measure_of(source: Any) -> GameMeasure:
    """The measure of a game.

    Raises:
        InputError: it is not in memory.
    """
    known = by_kind(MEASURES, source, None)
    if known is not None:
        return known(source)
    game = as_compiled(source)
    return by_kind(MEASURES, game, CompiledMeasure)(game)
