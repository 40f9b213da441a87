"""Responses in whole games of hold'em: best responses exactly, restricted Nash and data-biased responses by public chance
sampling, and what is found from those two and a blueprint: mixtures, and the p that keeps within an exploitability.

The value of such a game is not known. The risk of a response is therefore measured from a blueprint of the game, in its
buckets: exploitability is the blueprint's worst-case value less the response's, against a best responder who sees every
card; inside the betting tree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
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
from counterplay.poker.whole_game.sampling.public_sampling import PublicSampling
from counterplay.poker.whole_game.seat_strategy import HoldemStrategy
from counterplay.poker.whole_game.strategy import BlueprintStrategy, ModelMixture
from counterplay.poker.whole_game.strategy_mixture import blend
from counterplay.responses.br import BR
from counterplay.responses.dbr import DBR
from counterplay.responses.matchup.matchup import Outcome
from counterplay.responses.method import Method
from counterplay.responses.mix import Mix
from counterplay.responses.rnr import RNR
from counterplay.solvers.cfr import Progress, Stop
from counterplay.solvers.minimiser import Solver
from counterplay.treeplex.strategy import Strategy

ITERATIONS = 4000
"""The default number of iterations of public chance sampling."""
_FAR = 1 << 32
WHOLE_GAME_METHODS = (BR.HEAD, RNR.HEAD, DBR.HEAD, Mix.HEAD)
"""Names of the methods of whole games. `safe` claims the largest gain of all, which takes exact solves."""
_SLACK = 1e-9
"""Share of the span of payoffs that counts as rounding."""
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

    def guarantee(self, play: BlueprintStrategy) -> float:
        """Chips of the responder with a strategy against a best responder."""
        return -best_response_value(self.game.game, play, 1 - self.seat)

    def within(self, play: BlueprintStrategy, epsilon: float) -> bool:
        """Whether exploitability is at most epsilon, up to rounding."""
        return self.exploitability(play) <= epsilon + _SLACK * self.game.span

    def mixed_plan(self, safe: BlueprintStrategy, greedy: BlueprintStrategy, weight: float) -> BlueprintStrategy:
        """The strategy of a player who draws `greedy` with probability `weight`, else `safe`, before the hand."""
        return blend(self.game.game, self.seat, greedy, safe, weight)

    def equilibrium(self) -> Outcome:
        """The blueprint of the game, in its buckets: what exploitability is counted from."""
        return Outcome(blueprint_of(self.game).play, nan, solver="public chance sampling")

    def best_response(self) -> Outcome:
        """The strategy of both players with the largest value against the model."""
        return Outcome(best_response(self.game.game, self.model.play), solver="sweep")

    def restricted_nash(self, p: float, accuracy: float = 1.0) -> Outcome:  # noqa: ARG002 - the stop says how long
        """The restricted Nash response to the model with probability p, in the buckets of the game; the blueprint for 0."""
        if p in (0.0, 1.0):
            return self.best_response() if p else self.equilibrium()
        return self._sampled(ModelMixture(self.model.player, self.model.play, p))

    def data_biased(self, p: float) -> Outcome:
        """The data-biased response (Johanson and Bowling 2009), in the buckets of the game: the model is trusted at each row
        with probability p, not at all where it says that it never was there, and less where it says that it knows little;
        the blueprint for 0.
        """
        return (
            self._sampled(ModelMixture(self.model.player, self.model.play, p, by_row=True)) if p else self.equilibrium()
        )

    def _sampled(self, trust: ModelMixture) -> Outcome:
        """The response to an opponent who is bound to the model, as long as the stop says."""
        solver, step = self._solver(trust)
        most, begin, interrupted = iterations_of(self.stop), run_time(), False
        try:
            while solver.iterations < most and run_time() - begin < self.stop.seconds:
                step()
        except KeyboardInterrupt:
            if not solver.iterations:
                raise
            interrupted = True
        by = "cfr+" if isinstance(solver, BoardSolver) else "linear cfr"
        return Outcome(solver.average(), nan, interrupted, f"{by} by public chance sampling")

    def _solver(self, trust: ModelMixture) -> tuple[PublicSampling | BoardSolver, Callable[[], None]]:
        """A solver of responses, and what makes it do one more iteration. A game that ends on the flop is solved with each
        board's own tables."""
        game, lanes = self.game.game, lanes_of(self.game)
        if not isinstance(game.boards, Flops):
            sampling = PublicSampling(game, lanes, seed=self.seed or 0, trust=trust)
            return sampling, partial(sampling.sample, 1)
        drawing = BoardSolver(game, lanes, trust=trust)
        return drawing, partial(drawing.sample, 1, np.random.default_rng(self.seed or 0))


def check_whole_game(method: Method | type[Method]) -> None:
    """Reject a method that whole games do not support.

    Raises:
        InputError: the message names the supported ones.
    """
    if method.HEAD not in WHOLE_GAME_METHODS:
        raise InputError(f"a whole game of hold'em supports {', '.join(WHOLE_GAME_METHODS)}, not {method.HEAD}")


def _boards(game: Holdem) -> float:
    """About how many different last boards a game has."""
    left = len(game.deck.cards)
    every = comb(left, DEALT[1]) * prod(left - out for out in range(DEALT[1], DEALT[game.game.last]))
    return every / len(game.game.boards.turns)


def guarantee_of_blueprint(game: Holdem, seat: int) -> float:
    """The worst-case value of the game's blueprint in a seat, in chips of that player."""
    if game.game.places(game.game.last) * _boards(game) > _MOST:
        raise InputError(
            f"{game.name} has too many boards to see all of them at once: give --flops to respond, or --boards to evaluate"
        )
    return -best_response_value(game.game, blueprint_of(game).play, 1 - seat)


def blueprint_of(game: Holdem) -> Blueprint:
    """The blueprint of a game in its buckets, cached for the game."""
    if game not in _BASES:
        _BASES[game] = blueprint(game.game, lanes_of(game), method=PUBLIC, iterations=ITERATIONS)
    return _BASES[game]


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
