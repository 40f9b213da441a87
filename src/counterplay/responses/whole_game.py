"""Responses in whole games of hold'em: best responses exactly, restricted Nash responses by public chance sampling.

The value of such a game is not known. The risk of a response is therefore measured from a blueprint of the game, in its
buckets: exploitability is the blueprint's worst-case value less the response's, against a best responder who sees every
card; inside the betting tree.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import comb, nan, prod
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from counterplay.errors import InputError
from counterplay.jit.clock import run_time
from counterplay.poker.whole_game.abstraction.card_abstraction import CardAbstraction
from counterplay.poker.whole_game.abstraction.make_buckets import make_buckets
from counterplay.poker.whole_game.best_response import best_response
from counterplay.poker.whole_game.blueprints.blueprint import PUBLIC, Blueprint, blueprint
from counterplay.poker.whole_game.blueprints.vector_cfr import Solver as BoardSolver
from counterplay.poker.whole_game.boards.board import DEALT
from counterplay.poker.whole_game.boards.flops import Flops
from counterplay.poker.whole_game.measure import best_response_value, value
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.seat_strategy import HoldemStrategy
from counterplay.poker.whole_game.strategy import BlueprintStrategy, ModelMixture
from counterplay.responses.br import BR
from counterplay.responses.matchup.matchup import Outcome
from counterplay.responses.method import Method
from counterplay.responses.rnr import RNR
from counterplay.solvers.cfr import Progress, Stop
from counterplay.solvers.minimiser import Solver
from counterplay.treeplex.strategy import Strategy

ITERATIONS = 4000
"""The default number of iterations of public chance sampling."""
_FAR = 1 << 32
_MOST = 100_000_000
"""Hands on all different last boards together, beyond which they are not all seen without being asked for."""
NOTE = (
    "The value of this game is not known: exploitability is how much less than a blueprint of the game, in its buckets, the "
    "strategy is sure of, inside the betting tree."
)
_BASES: WeakKeyDictionary[Holdem, Blueprint] = WeakKeyDictionary()
_LANES: WeakKeyDictionary[Holdem, CardAbstraction] = WeakKeyDictionary()


@dataclass(eq=False)
class HoldemMatchup:
    """A responder against a model in a whole game.

    Attributes:
        game: the rules.
        model: the opponent's strategy; the responder has the other seat.
        solver: unused: methods have their own solvers.
        stop: iterations and seconds of a solve.
        progress: unused.
        seed: seed of the draws.
    """

    game: Holdem
    model: HoldemStrategy
    solver: Solver = "auto"
    stop: Stop = field(default_factory=Stop)
    progress: Progress | None = None
    seed: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.model, HoldemStrategy) or self.model.rules is not self.game:
            raise InputError(f"the model is a strategy of another game than {self.game.name}")

    @property
    def seat(self) -> int:
        """The responder's seat."""
        return 1 - self.model.player

    @cached_property
    def game_value(self) -> float:
        """The worst-case value of a blueprint of the game, in chips of the responder."""
        return guarantee_of_blueprint(self.game, self.seat)

    def value_against_model(self, play: BlueprintStrategy) -> float:
        """Chips of the responder with a strategy against the model."""
        one, two = (play, self.model.play) if self.seat == 0 else (self.model.play, play)
        return value(self.game.game, one, two) * (1 if self.seat == 0 else -1)

    def exploitability(self, play: BlueprintStrategy) -> float:
        """The blueprint's worst-case value less that of a strategy."""
        return self.game_value + best_response_value(self.game.game, play, 1 - self.seat)

    @property
    def has_corners(self) -> bool:
        """See `worlds.AnyMatchup`."""
        return False

    @property
    def about(self) -> dict[str, Any]:
        """See `worlds.AnyMatchup`."""
        return {"big_blind": self.game.stakes.big_blind, "note": NOTE}

    def identity(self) -> dict[str, Any]:
        """See `worlds.AnyMatchup`."""
        return {"game": self.game.name, "model": str(self.model.facts)}

    def strategy_of(self, outcome: Outcome, facts: dict[str, Any]) -> Strategy:
        """See `worlds.AnyMatchup`."""
        found: Any = HoldemStrategy(self.game, self.seat, outcome.plan, facts)
        return found  # type: ignore[no-any-return]

    def best_response(self) -> Outcome:
        """The strategy of both players with the largest value against the model."""
        return Outcome(best_response(self.game.game, self.model.play), solver="sweep")

    def restricted_nash(self, p: float) -> Outcome:
        """The restricted Nash response to the model with probability p, in the buckets of the game."""
        if p == 1.0:
            return self.best_response()
        trust = ModelMixture(self.model.player, self.model.play, p)
        game, random = self.game.game, np.random.default_rng(self.seed or 0)
        solver = BoardSolver(game, lanes_of(self.game), trust=trust, rows=not isinstance(game.boards, Flops))
        most, begin, interrupted = iterations_of(self.stop), run_time(), False
        try:
            while solver.iterations < most and run_time() - begin < self.stop.seconds:
                solver.sample(1, random)
        except KeyboardInterrupt:
            if not solver.iterations:
                raise
            interrupted = True
        return Outcome(solver.average(), nan, interrupted, "cfr+ by public chance sampling")


def check_whole_game(method: Method | type[Method]) -> None:
    """Reject a method that whole games do not support.

    Raises:
        InputError: the message names the supported ones.
    """
    most = isinstance(method, Method) and method.most is not None
    if method.HEAD not in (BR.HEAD, RNR.HEAD) or most:
        asked = "a largest exploitability" if most else method.HEAD
        raise InputError(f"a whole game of hold'em supports br, and rnr with p, not {asked}")


def _boards(game: Holdem) -> float:
    """About how many different last boards a game has."""
    left = len(game.deck.cards)
    every = comb(left, DEALT[1]) * prod(left - out for out in range(DEALT[1], DEALT[game.game.last]))
    return every / len(game.game.boards.turns)


def guarantee_of_blueprint(game: Holdem, seat: int) -> float:
    """The worst-case value of the game's blueprint in a seat, in chips of that player; cached for the game."""
    if game.game.places(game.game.last) * _boards(game) > _MOST:
        raise InputError(
            f"{game.name} has too many boards to see all of them at once: give --flops to respond, or --boards to evaluate"
        )
    base = _BASES.get(game)
    if base is None:
        base = _BASES[game] = blueprint(game.game, lanes_of(game), method=PUBLIC, iterations=ITERATIONS)
    return -best_response_value(game.game, base.play, 1 - seat)


def lanes_of(game: Holdem) -> CardAbstraction:
    """The lanes of a game's buckets, cached for the game."""
    if game not in _LANES:
        _LANES[game] = make_buckets(game.game.boards, game.buckets)
    return _LANES[game]


def iterations_of(stop: Stop) -> int:
    """The number of iterations of a stop, or the default."""
    if stop.iterations < _FAR:
        return stop.iterations
    return _FAR if stop.seconds < float("inf") else ITERATIONS
