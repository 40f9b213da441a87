"""Responses in whole games of hold'em: best responses exactly, restricted Nash and data-biased responses by public chance
sampling, and what is found from those two and a blueprint: mixtures, and the p that keeps within an exploitability.

The value of such a game is not known. The risk of a response is therefore measured from a blueprint of the game, in its
buckets: exploitability is the blueprint's worst-case value less the response's, against a best responder who sees every
card; inside the betting tree.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import comb, nan, prod
from typing import Any, ClassVar, Protocol
from weakref import WeakKeyDictionary

from counterplay.card_abstraction.card_abstraction import CardAbstraction
from counterplay.card_abstraction.make_buckets import make_buckets
from counterplay.errors import InputError
from counterplay.poker.whole_game.blueprints.blueprint import PUBLIC, Blueprint, blueprint
from counterplay.poker.whole_game.boards.board import DEALT
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategies.seat_strategy import HoldemStrategy
from counterplay.poker.whole_game.strategies.strategy_mixture import blend
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.poker.whole_game.values.best_response import best_response
from counterplay.poker.whole_game.values.measure import best_response_value, value
from counterplay.responses.bne import BNE
from counterplay.responses.br import BR
from counterplay.responses.dbr import DBR
from counterplay.responses.matchup.matchup import Outcome
from counterplay.responses.matchup.pairing import Pairing
from counterplay.responses.matchup.sampled_responses import ITERATIONS, SampledResponses
from counterplay.responses.method import Method
from counterplay.responses.mix import Mix
from counterplay.responses.rnr import RNR
from counterplay.responses.safe import Safe
from counterplay.treeplex.strategy import Strategy

WHOLE_GAME_METHODS = (BR.HEAD, RNR.HEAD, DBR.HEAD, Mix.HEAD, Safe.HEAD)
"""Names of the methods of whole games."""
_SLACK = 1e-9
"""Share of the span of payoffs that counts as rounding."""
_MOST = 100_000_000
"""Hands on all different last boards together, beyond which they are not all seen without being asked for."""
NOTE = (
    "The value of this game is not known: exploitability is how much less than a blueprint of the game, in its buckets, the "
    "strategy is sure of, inside the betting tree. Responses but br are sampled: others may gain more."
)
_BASES: WeakKeyDictionary[Holdem, Blueprint] = WeakKeyDictionary()
_LANES: WeakKeyDictionary[Holdem, CardAbstraction] = WeakKeyDictionary()


class MatchValues(Protocol):
    """A measure of a responder's strategies over a sample of boards, in chips a hand."""

    def value(self, play: BlueprintStrategy) -> float:
        """Against the model."""

    def guarantee(self, play: BlueprintStrategy) -> float:
        """Against a best responder."""


@dataclass(eq=False)
class HoldemMatchup(Pairing):
    """A responder against a model in a whole game. Methods have solvers of their own, and report no progress.

    Attributes:
        values: what measures strategies; over all boards unless given.
        blueprint: from which exploitability is counted; one of the game in its buckets, computed at once, unless given.
        halvings_of_p, halvings_of_mixture: as of `Matchup`; sampled responses do not tell finer steps apart.
    """

    halvings_of_p: ClassVar[int] = 8
    halvings_of_mixture: ClassVar[int] = 12

    game: Holdem
    model: HoldemStrategy
    values: MatchValues | None = None
    blueprint: BlueprintStrategy | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.model, HoldemStrategy) or self.model.rules is not self.game:
            raise InputError(f"the model is a strategy of another game than {self.game.name}")

    @cached_property
    def game_value(self) -> float:
        """The worst-case value of a blueprint of the game, in chips of the responder."""
        if self.values is None and self.blueprint is None:
            return guarantee_of_blueprint(self.game, self.seat)
        return self.guarantee(self.base)

    @property
    def base(self) -> BlueprintStrategy:
        """The strategy from which exploitability is counted."""
        return blueprint_of(self.game).play if self.blueprint is None else self.blueprint

    def value_against_model(self, play: BlueprintStrategy) -> float:
        """Chips of the responder with a strategy against the model."""
        if self.values is not None:
            return self.values.value(play)
        one, two = (play, self.model.play) if self.seat == 0 else (self.model.play, play)
        return value(self.game.game, one, two) * (1 if self.seat == 0 else -1)

    def guarantee(self, play: BlueprintStrategy) -> float:
        """Chips of the responder with a strategy against a best responder."""
        if self.values is not None:
            return self.values.guarantee(play)
        return -best_response_value(self.game.game, play, 1 - self.seat)

    def exploitability(self, play: BlueprintStrategy) -> float:
        """The blueprint's worst-case value less that of a strategy."""
        return self.game_value - self.guarantee(play)

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

    def within(self, play: BlueprintStrategy, epsilon: float) -> bool:
        """Whether exploitability is at most epsilon, up to rounding."""
        return self.exploitability(play) <= epsilon + _SLACK * self.game.span

    def mixed_plan(self, safe: BlueprintStrategy, greedy: BlueprintStrategy, weight: float) -> BlueprintStrategy:
        """The strategy of a player who draws `greedy` with probability `weight`, else `safe`, before the hand."""
        return blend(self.game.game, self.seat, greedy, safe, weight)

    def equilibrium(self) -> Outcome:
        """The blueprint, from which exploitability is counted."""
        return Outcome(self.base, nan, solver="public chance sampling")

    def best_response(self) -> Outcome:
        """The strategy of both players with the largest value against the model; in the buckets of the game where not all
        boards are seen."""
        if self.values is not None:
            return self._sampled.response(1.0)
        return Outcome(best_response(self.game.game, self.model.play), solver="sweep")

    def restricted_nash(self, p: float, accuracy: float = 1.0) -> Outcome:  # noqa: ARG002 - the stop says how long
        """The restricted Nash response to the model with probability p, in the buckets of the game; the blueprint for 0."""
        if p in (0.0, 1.0):
            return self.best_response() if p else self.equilibrium()
        return self._sampled.response(p)

    def data_biased(self, p: float) -> Outcome:
        """The data-biased response (Johanson and Bowling 2009), in the buckets of the game: the model is trusted at each row
        with probability p, not at all where it says that it never was there, and less where it says that it knows little;
        the blueprint for 0.
        """
        return self._sampled.response(p, by_row=True) if p else self.equilibrium()

    def forget_solves(self) -> None:
        """See `worlds.AnyMatchup`."""
        self.__dict__.pop("_sampled", None)

    @cached_property
    def _sampled(self) -> SampledResponses:
        """Solves of the model, which go on from each other."""
        game, model = self.game, self.model
        return SampledResponses(game.game, lanes_of(game), model.player, model.play, self.stop, self.seed or 0)


def check_whole_game(method: Method | type[Method]) -> None:
    """Reject a method that whole games do not support.

    Raises:
        InputError: the message names the supported ones.
    """
    if method.HEAD == BNE.HEAD:
        raise InputError(
            "bne needs the exact value of the game, which is not known in whole games of hold'em; safe with "
            "--max-exploitability 0 keeps the worst case of a blueprint"
        )
    if method.HEAD not in WHOLE_GAME_METHODS:
        known = ", ".join(WHOLE_GAME_METHODS)
        raise InputError(
            f"a whole game of hold'em supports {known}, not {method.HEAD}; --flops measure cdbr and lbr, too"
        )


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
