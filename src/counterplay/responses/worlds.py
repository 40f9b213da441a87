"""The protocol of match-ups for `respond` and `frontier`, for all kinds of games."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from counterplay.poker.betting.stakes import RISK, check_zero_sum
from counterplay.poker.spots.solution_record import SpotSolution
from counterplay.poker.spots.spot import Spot
from counterplay.poker.spots.spot_conversion import as_spot_game
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.poker.spots.stored_spot_game import StoredSpotGame
from counterplay.poker.whole_game.rules import Holdem
from counterplay.problem.solvable_game import as_compiled, by_kind
from counterplay.responses.matchup.matchup import Matchup
from counterplay.responses.matchup.outcome import Outcome
from counterplay.responses.matchup.pairing import Fitting
from counterplay.responses.matchup.spot_matchup import SpotMatchup
from counterplay.responses.matchup.stored_spot_matchup import StoredSpotMatchup
from counterplay.responses.method import METHOD, Method
from counterplay.responses.whole_game import HoldemMatchup, check_whole_game
from counterplay.solvers.cfr import Progress
from counterplay.treeplex.strategy import Strategy
from counterplay.work.work_settings import WorkSettings

T = TypeVar("T", bound=Fitting)


class AnyMatchup(Protocol):
    """A responder against a model. Methods use further members, such as `best_response()` and `restricted_nash(p)`.

    Attributes:
        game: the game.
        model: the opponent's strategy; the responder has the other seat.
        progress: called with iterations and exploitability of iterative solves.
        pieces: how what is computed in pieces is.
    """

    game: Any
    model: Any
    progress: Progress | None
    pieces: WorkSettings

    def is_in_pieces(self, method: Any) -> bool:
        """Whether the response of a method is computed in pieces that a record keeps."""

    @property
    def seat(self) -> int:
        """The responder's seat."""

    @property
    def game_value(self) -> float:
        """The baseline of gains, in chips of the responder."""

    @property
    def value_gap(self) -> float | None:
        """The most by which the value of the game is below `game_value`, in chips; 0 where it is exact, None where no value
        is known."""

    @property
    def has_corners(self) -> bool:
        """Whether the game's value is exact, and restricted Nash responses are known at the frontier's corners; without,
        the solves of a method go on from each other."""

    @property
    def about(self) -> Mapping[str, Any]:
        """Further facts of an answer: pot, big blind, and caveats about its numbers."""

    def refine_for(self, risk: float) -> None:
        """Solve the game more finely, where it is iterated, for an answer whose exploitability is limited to some chips."""

    def in_game(self, method: T) -> T:
        """A method with its amounts in chips of the game, and with the look-ahead that it has there."""

    def forget_solves(self) -> None:
        """Begin the next iterative solve anew, where it would else go on from the one before."""

    def value_against_model(self, plan: Any) -> float:
        """Chips of the responder with a plan against the model."""

    def measures(self, plan: Any) -> Mapping[str, float]:
        """What an answer says of a plan, by the names of `Answer`: value against the model, and what it is compared with."""

    def gap_of(self, method: Any, trust: float | None, outcome: Outcome) -> float:
        """Upper bound on the distance of what a method found with trust in the model from its optimum; NaN if unknown."""

    def why_blueprint(self, method: Any, answer: Any) -> str | None:
        """The reason why the equilibrium, in whole hold'em a blueprint, is played instead of an answer; None if the answer
        is."""

    def equilibrium(self) -> Outcome:
        """An equilibrium, in whole hold'em the blueprint."""

    def exploitability(self, plan: Any) -> float:
        """The loss of a plan to a best responder, below `game_value`."""

    def strategy_of(self, outcome: Outcome, facts: dict[str, Any]) -> Strategy:
        """The responder's strategy with its facts."""

    def identity(self) -> dict[str, Any]:
        """Game, model and solver, for records of work."""


@dataclass(frozen=True)
class World:
    """A kind of game.

    Attributes:
        convert: from a user's object, such as a spot, to the game.
        matchup: constructs the matchup of game, model, solver, stop, progress and seed (see `respond`).
        check: rejects a method that a game does not support; it gets the game and the method, or its class.
    """

    convert: Callable[[Any], Any]
    matchup: Callable[..., AnyMatchup]
    check: Callable[[Any, Any], None]


def world_of(game: Any) -> World:
    """The kind of a game."""
    return by_kind(WORLDS, game, COMPILED)


def check_raked(method: Method | type[Method], rake: float) -> None:
    """Reject what a spot with a rake does not support.

    Raises:
        InputError: a method that needs a zero-sum game, or a largest exploitability.
    """
    asks = isinstance(method, Method) and method.most is not None
    raked = [name for name, known in METHOD.registry.items() if known.RAKED]
    if not method.RAKED:
        risk = "no bound on the risk holds: " if asks else ""
        check_zero_sum(rake, f"{risk}{method.HEAD} counts on that; with a rake there are {', '.join(raked)}, and locks")
    if asks:
        check_zero_sum(rake, RISK)


COMPILED = World(as_compiled, Matchup, lambda game, method: None)  # noqa: ARG005


def _spot_matchup(game: Any, *args: Any, **more: Any) -> AnyMatchup:
    """With plans as arrays, or of a large spot in a store."""
    kind: Callable[..., AnyMatchup] = by_kind(SPOTS, game, SpotMatchup)
    return kind(game, *args, **more)


def _check_spot(game: Any, method: Method | type[Method]) -> None:
    check_raked(method, game.rake)


SPOTS: dict[type, Callable[..., AnyMatchup]] = {StoredSpotGame: StoredSpotMatchup}
"""Match-ups of spots by the kind of their game, if their plans are not arrays."""
SPOT = World(as_spot_game, _spot_matchup, _check_spot)
WORLDS: dict[type, World] = {
    **dict.fromkeys((Spot, SpotSolution, SpotGame), SPOT),
    Holdem: World(lambda game: game, HoldemMatchup, check_whole_game),
}
"""Kinds of games with match-ups of their own; all others are `COMPILED`."""
