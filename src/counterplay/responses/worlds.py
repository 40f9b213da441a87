"""Kinds of games for `respond` and `frontier`, each with its match-up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from counterplay.poker.betting.stakes import RISK, check_zero_sum
from counterplay.poker.spots.solution import SolvedSpot
from counterplay.poker.spots.spot import Spot
from counterplay.poker.spots.spot_game import SpotGame, StoredSpotGame, as_spot_game
from counterplay.poker.whole_game.rules import Holdem
from counterplay.problem.solvable_game import as_compiled, by_kind
from counterplay.responses.matchup.any_matchup import AnyMatchup
from counterplay.responses.matchup.matchup import Matchup
from counterplay.responses.matchup.spot_matchups import SpotMatchup, StoredSpotMatchup
from counterplay.responses.method import METHOD, Method
from counterplay.responses.whole_game import HoldemMatchup, check_whole_game


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
    """Reject a method that needs a zero-sum game, or a largest exploitability, in a spot with a rake."""
    asks = isinstance(method, Method) and method.most is not None
    raked = [name for name, known in METHOD.registry.items() if known.RAKED]
    if not method.RAKED:
        risk = "no bound on the risk holds: " if asks else ""
        check_zero_sum(rake, f"{risk}{method.HEAD} counts on that; with a rake there are {', '.join(raked)}, and locks")
    if asks:
        check_zero_sum(rake, RISK)


def _spot_matchup(game: SpotGame, *args: Any, **more: Any) -> AnyMatchup:
    kind: Callable[..., AnyMatchup] = by_kind(SPOTS, game, SpotMatchup)
    return kind(game, *args, **more)


SPOTS: dict[type, Callable[..., AnyMatchup]] = {StoredSpotGame: StoredSpotMatchup}
"""Match-ups of spots by the kind of their game, if their plans are not arrays."""
COMPILED = World(as_compiled, Matchup, lambda game, method: None)  # noqa: ARG005
SPOT = World(as_spot_game, _spot_matchup, lambda game, method: check_raked(method, game.rake))
WORLDS: dict[type, World] = {
    **dict.fromkeys((Spot, SolvedSpot, SpotGame), SPOT),
    Holdem: World(lambda game: game, HoldemMatchup, check_whole_game),
}
"""Kinds of games with match-ups of their own; all others are `COMPILED`."""
