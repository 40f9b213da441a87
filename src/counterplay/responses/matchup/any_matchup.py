"""A responder against a model: the interface against which every method is written, whatever the kind of game."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Protocol, TypeVar

from counterplay.arrays import F64
from counterplay.lookahead.search import LookAhead
from counterplay.solvers.cfr import Progress, Solution, Stop
from counterplay.solvers.equilibrium import equilibrium_of
from counterplay.solvers.minimiser import Solver, minimiser
from counterplay.treeplex.restriction import check_p
from counterplay.treeplex.strategy import Strategy
from counterplay.work.run_work import WorkSettings

Plan = Any
"""A responder's plan: (size,) of a game in memory, a plan store of a large spot, a strategy of a whole game of hold'em."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a method found.

    Attributes:
        plan: the responder's plan.
        gap: distance from the optimum of the objective, in chips; NaN if unknown.
        interrupted: whether Ctrl-C stopped it.
        solver: its solver.
        behaviour: (size,) the behaviour, also where the plan has no reach; None if unspecified.
        iterations: of a sampled solve; None of others.
        cut: the limit that ended a sampled solve before its iterations, "seconds" or "Ctrl-C"; None if none did.
    """

    plan: Plan
    gap: float = 0.0
    interrupted: bool = False
    solver: str = "lp"
    behaviour: F64 | None = None
    iterations: int | None = None
    cut: str | None = None


class MatchedMethod(Protocol):
    """A method, as match-ups read it: a `responses.method.Method`."""

    HEAD: ClassVar[str]
    DIAL: ClassVar[str | None]

    @property
    def look(self) -> LookAhead | None: ...
    @property
    def far(self) -> LookAhead: ...
    @property
    def trust(self) -> float | None: ...
    @property
    def most(self) -> float | str | None: ...
    def in_game(self, game: Any) -> Any: ...


M = TypeVar("M", bound=MatchedMethod)


@dataclass(eq=False)
class AnyMatchup(ABC):
    """One responder, one model. A world supplies values, an equilibrium, the restricted problem and its look-aheads.

    Attributes:
        halvings_of_p, halvings_of_mixture: steps of searches for the largest p, and the largest weight in a mixture.
        has_corners: whether the game's value is known, and restricted Nash responses are the frontier's corners; without,
            the solves of a method go on from each other.
        game: the game.
        model: the opponent's modelled strategy; the responder has the other seat.
        solver: `lp`, a regret minimiser, or `auto`.
        stop: stopping rule of iterative solvers.
        progress: called with iterations and exploitability of iterative solves.
        seed: seed of draws.
        pieces: how boards are computed in pieces.
    """

    halvings_of_p: ClassVar[int] = 14
    halvings_of_mixture: ClassVar[int] = 40
    has_corners: ClassVar[bool] = True

    game: Any
    model: Any
    solver: Solver = "auto"
    stop: Stop = field(default_factory=Stop)
    progress: Progress | None = None
    seed: int | None = None
    pieces: WorkSettings = field(default_factory=WorkSettings, kw_only=True)

    def __post_init__(self) -> None:
        self._check_model()
        if self.solver == "lp":
            self._check_lp()
        if self.solver == "auto":
            self.solver = self._usual_solver
        if self.solver not in ("auto", "lp"):
            minimiser(self.solver)  # refuses an unknown one, whether or not the method needs it
        if self.stop == Stop():
            self.stop = Stop(self.fine)

    @abstractmethod
    def _check_model(self) -> None:
        """Reject a model of another game."""

    def _check_lp(self) -> None:  # noqa: B027 - most worlds have one
        """Reject the linear program where a world has none."""

    @property
    def _usual_solver(self) -> Solver:
        return "auto"

    @property
    def seat(self) -> int:
        seat: int = 1 - self.model.player
        return seat

    @property
    def span(self) -> float:
        """The largest less the smallest payoff, in chips."""
        span: float = self.game.span
        return span

    @property
    def rake(self) -> float:
        """The share of the payoffs that the house takes; 0 where the game is zero-sum."""
        return 0.0

    @property
    def fine(self) -> float:
        """The default accuracy of iterative solves, in chips."""
        return 1e-5 * self.span

    @property
    def slack(self) -> float:
        """Rounding tolerance of exploitability, in chips."""
        return 1e-10 * self.span

    @property
    def about(self) -> Mapping[str, Any]:
        """Further facts of an answer: pot, big blind, and caveats about its numbers."""
        return {}

    @abstractmethod
    def identity(self) -> dict[str, Any]:
        """Game, model and solver, for records of work."""

    @abstractmethod
    def strategy_of(self, outcome: Outcome, facts: dict[str, Any]) -> Strategy:
        """The responder's strategy with its facts."""

    def in_game(self, method: M) -> M:
        """A method with its amounts in chips of the game, and with the look-ahead that it has there."""
        fitted: M = method.in_game(self.game)
        return fitted

    def is_in_pieces(self, method: MatchedMethod) -> bool:  # noqa: ARG002 - in whole games alone
        """Whether the response of a method is computed in pieces that a record keeps."""
        return False

    def refine_for(self, risk: float) -> None:  # noqa: B027 - in spots
        """Solve the game more finely, where it is iterated, for an answer whose exploitability is limited to some chips."""

    def forget_solves(self) -> None:  # noqa: B027 - in whole games
        """Begin the next iterative solve anew, where it would else go on from the one before."""

    # Values

    @property
    def solution(self) -> Solution:
        """The game's equilibrium, cached for the game."""
        return equilibrium_of(self.game, self.progress)

    def value_of(self, player: int) -> float:
        """A player's value in the equilibrium, in the player's own chips; an upper bound where it is iterated."""
        return self.solution.bound(player)

    @cached_property
    def game_value(self) -> float:
        """The baseline of gains in chips of the responder: the game's value, with a rake that in the equilibrium."""
        return self.value_of(self.seat)

    @property
    def least_value(self) -> float:
        """Lower bound on the value of a zero-sum game in chips of the responder."""
        return -self.value_of(1 - self.seat)

    @property
    def value_gap(self) -> float | None:
        """The most by which the game's value is below `game_value`, in chips; 0 where it is exact, None without a value."""
        if self.rake:
            return None
        return 0.0 if self.solution.method == "lp" else max(0.0, self.game_value - self.least_value)

    @abstractmethod
    def value_against_model(self, plan: Plan) -> float:
        """Chips of the responder with a plan against the model."""

    @abstractmethod
    def guarantee(self, plan: Plan) -> float:
        """Chips of the responder with a plan against a best responder."""

    def exploitability(self, plan: Plan) -> float:
        """The loss of a plan to a best responder below `game_value`."""
        if self.rake:  # what the opponent wins is not what the responder loses
            return -self.guarantee(plan) - self.value_of(1 - self.seat)
        return self.game_value - self.guarantee(plan)

    def within(self, plan: Plan, epsilon: float) -> bool:
        """Whether the exploitability of a plan is at most epsilon, up to rounding."""
        return self.exploitability(plan) <= epsilon + self.slack

    def measures(self, plan: Plan) -> dict[str, float | None]:
        """The numbers of an answer, by the names of `Answer`."""
        value, won, exploitability = self.game_value, self.value_against_model(plan), self.exploitability(plan)
        return {
            "game_value": value, "game_value_gap": self.value_gap, "value_against_model": won, "gain": won - value,
            "exploitability": max(0.0, exploitability),  # the value is known: less than nothing is rounding
        }  # fmt: skip

    def gap_of(self, method: MatchedMethod, trust: float | None, outcome: Outcome) -> float:  # noqa: ARG002
        """Upper bound on the distance of what a method found with trust in the model from its optimum; NaN if unknown."""
        return outcome.gap

    def why_blueprint(self, method: MatchedMethod, answer: Any) -> str | None:  # noqa: ARG002 - in whole games alone
        """The reason why a blueprint is played instead of an answer; None if the answer is."""
        return None

    # Responses

    @abstractmethod
    def equilibrium(self) -> Outcome:
        """An equilibrium, in whole hold'em the blueprint."""

    @abstractmethod
    def best_response(self) -> Outcome:
        """The plan with the largest value against the model."""

    @abstractmethod
    def restricted(self, p: float, *, by_infoset: bool, accuracy: float = 1.0) -> Outcome:
        """The equilibrium where the opponent is the model with probability p, below 1 as a whole, or infoset by infoset in
        proportion to the data there; an iterative solver stops at `accuracy` times its usual exploitability."""

    def restricted_nash(self, p: float, accuracy: float = 1.0) -> Outcome:
        """Restricted Nash response (Johanson, Zinkevich and Bowling 2007): the opponent is the model with probability p."""
        check_p(p)
        if p in (0.0, 1.0):
            return self.best_response() if p else self.equilibrium()
        return self.restricted(p, by_infoset=False, accuracy=accuracy)

    def data_biased(self, p: float) -> Outcome:
        """Data-biased response (Johanson and Bowling 2009): each infoset is trusted in proportion to its data."""
        check_p(p)
        return self.restricted(p, by_infoset=True) if p else self.equilibrium()

    def exactly_safe(self, epsilon: float) -> Outcome | None:  # noqa: ARG002 - by linear program alone
        """The largest value against the model with exploitability at most epsilon, by linear program; None without one."""
        return None

    @abstractmethod
    def best_equilibrium(self) -> Outcome:
        """The equilibrium plan with the largest value against the model."""

    @abstractmethod
    def mixed_plan(self, safe: Plan, greedy: Plan, weight: float) -> Plan:
        """The plan of a player who draws `greedy` with probability `weight`, else `safe`, before the game."""

    # Look-aheads

    def check_look(self, look: LookAhead, alpha: float = 0.0) -> None:  # noqa: B027
        """Reject, before any long computation, a look-ahead that does not fit the game."""

    def check_local(self) -> None:  # noqa: B027 - every hold'em game is a poker game
        """Reject a game in which not every decision offers a call."""

    @abstractmethod
    def depth_limited(self, method: MatchedMethod, p: float, alpha: float = 0.0) -> Outcome:
        """The response of a player who searches every decision, with trust p in the model and alpha at the entries."""

    @abstractmethod
    def local_best_response(self) -> Outcome:
        """The best action at each decision if both sides only call from then on."""
