"""The two interfaces of responses: a method, a record with a dial, and the match-up of responder and model that it asks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from math import isnan
from numbers import Real
from typing import Annotated, Any, ClassVar, Self, TypeVar

from counterplay.arrays import F64
from counterplay.display import by_fields
from counterplay.errors import InputError
from counterplay.gadgets import Gadget, gadget_of
from counterplay.lookahead.search import JOINT, PER_STATE, LookAhead
from counterplay.lookahead.tremble import Tremble, check_share
from counterplay.poker.betting.stakes import CHIPS, read_amount, stakes_of
from counterplay.solvers.bisection import largest_weight
from counterplay.solvers.cfr import Progress, Solution, Stop
from counterplay.solvers.equilibrium import equilibrium_of
from counterplay.solvers.minimiser import Solver, minimiser
from counterplay.texts.arguments import shown
from counterplay.texts.readers import Flat, Parsed, Share, number_text
from counterplay.texts.record import Record, RecordKind
from counterplay.treeplex.restriction import check_p
from counterplay.treeplex.strategy import Strategy
from counterplay.work.processes import WorkSettings

P, ALPHA, RISK = "p", "alpha", "max_exploitability"


def read_risk(text: str) -> float | str:
    """A largest exploitability: chips, or a text with a unit that depends on the game, such as "1%"."""
    amount = read_amount(text, CHIPS, RISK)
    return amount.number if amount.unit == CHIPS else text


def risk_in_chips(most: float | str, game: Any) -> float:
    """A largest exploitability in chips of a game (see `poker.betting.stakes.read_amount`): per cent are of a spot's
    pot, in other games of the span of payoffs."""
    return read_amount(most, CHIPS, RISK).chips(stakes_of(game), RISK)


def risk_text(most: float | str) -> str:
    return most if isinstance(most, str) else number_text(most)


USUAL = LookAhead()
Trust = Annotated[float | None, Share(keyed=True)]
Risk = Annotated[float | str | None, Parsed(parse=read_risk, text=risk_text, example="0.05", keyed=True)]
Look = Annotated[LookAhead, Flat(record=LookAhead)]
Plan = Any
"""A responder's plan: (size,) of a game in memory, a plan store of a large spot, a strategy of a whole game of hold'em."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """The result of a method.

    Attributes:
        gap: distance from the optimum of the objective, in chips; NaN if unknown.
        interrupted: whether Ctrl-C stopped it.
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


class Method(Record):
    """A method of `respond`, a frozen dataclass.

    Its fields are its dial, and `look` if it looks ahead. A method whose dial is `p` or `alpha` takes the field
    `max_exploitability` instead, and then finds the largest value of the dial within it. With neither it is what
    `frontier` takes, which turns the dial.

    Attributes:
        DIAL: name of the field that sets the trust in the model; None without one.
        GADGET: the default gadget of its look-aheads; None if the opponent is always the model.
        MIXED: whether the dial is the weight of the response in a mixture with an equilibrium, drawn before the game.
        RAKED: whether it is meaningful in general-sum games.
        VARIANT: which of several algorithms of its name it is; None where there is one.
        BOUND: what is known of its exploitability beforehand, where that is less than its name suggests; else None.
        look: its look-ahead; None if it sees the whole game.
        max_exploitability: the largest exploitability; None if not given.
    """

    DIAL: ClassVar[str | None] = None
    GADGET: ClassVar[Gadget | None] = None
    MIXED: ClassVar[bool] = False
    RAKED: ClassVar[bool] = False
    VARIANT: ClassVar[str | None] = None
    BOUND: ClassVar[str | None] = None

    look: LookAhead | None = None
    max_exploitability: float | str | None = None

    def __post_init__(self) -> None:
        for name in filter(None, (self.DIAL, RISK)):
            number = getattr(self, name)
            if isinstance(number, Real) and not isinstance(number, int | float):  # of NumPy's own
                object.__setattr__(self, name, float(number))
        most = self.max_exploitability
        if self.DIAL in (P, ALPHA) and self.trust is not None:
            if most is not None:
                raise InputError(f"{self.HEAD} needs either {self.DIAL} or {RISK}, as in {self.HEAD}:{self.DIAL}=0.5")
            check_p(self.trust) if self.DIAL == P else check_share(ALPHA, self.trust)
        if isinstance(most, str):
            object.__setattr__(self, RISK, read_risk(most))
        elif most is not None and not (isinstance(most, Real) and 0.0 <= most < float("inf")):
            raise InputError(
                f"{RISK} must be a non-negative number of chips, or a text such as '1%', not {shown(most)}"
            )
        if self.look is not None:
            if not isinstance(self.look, LookAhead):
                raise InputError(
                    f"{self.HEAD}: look must be a LookAhead, as LookAhead(depth=1) is, not {shown(self.look)}"
                )
            self._check_look(self.look)

    def __repr__(self) -> str:
        return by_fields(self)

    @classmethod
    def looks_ahead(cls) -> bool:
        """Return whether it decides by look-aheads, and has a `look`."""
        return cls.look is not None

    @property
    def far(self) -> LookAhead:
        """Its look-ahead, of a method that has one."""
        assert self.look is not None
        return self.look

    @property
    def trust(self) -> float | None:
        """The value of its dial; None without one, or if a largest exploitability is given instead."""
        return None if self.DIAL is None else getattr(self, self.DIAL)

    @property
    def risk(self) -> float:
        """The largest exploitability in chips, after `in_game`; 0 if not given."""
        return float(self.max_exploitability or 0.0)

    @property
    def is_set(self) -> bool:
        """Return whether it has all that it needs: no dial, or a number for it."""
        return self.DIAL is None or self.trust is not None or self.max_exploitability is not None

    def check_set(self) -> None:
        """Refuse a method whose dial is open."""
        if not self.is_set and self.DIAL == RISK:
            raise InputError(f"{self.HEAD} needs a largest exploitability")
        if not self.is_set:
            raise InputError(f"{self.HEAD} needs either {self.DIAL} or {RISK}, as in {self.HEAD}:{self.DIAL}=0.5")

    def at(self, number: float) -> Self:
        """The method with its dial at a number."""
        return replace(self, **{self.DIAL: number}) if self.DIAL else self  # type: ignore[type-var]

    def in_game(self, game: Any) -> Self:
        """The method with the largest exploitability in chips, and with this game's look-ahead."""
        changes: dict[str, Any] = {}
        if isinstance(self.max_exploitability, str):
            changes[RISK] = risk_in_chips(self.max_exploitability, game)
        if self.look is not None:
            gadget = self._gadget(self.look)
            alone = game.enters_boards_alone and gadget is not None and not gadget.keeps_path
            solve = PER_STATE if alone else self.look.solve or JOINT
            changes["look"] = replace(self.look.in_game(game), gadget=gadget, solve=solve)
        return replace(self, **changes) if changes else self  # type: ignore[type-var]

    def outcome(self, match: AnyMatchup) -> tuple[Outcome, float | None]:
        """The plan, and its value of the dial, if it has one; after `in_game`."""
        if self.DIAL in (None, RISK):
            return self.response(match, self.risk), None
        if self.MIXED:
            greedy, safe = self.response(match, 1.0), match.equilibrium()
            if self.trust is None:
                return match.mixture_within(safe, greedy, self.risk)
            return match.mixture(safe, greedy, self.trust), self.trust
        if self.trust is None:
            return match.largest_p(partial(self.response, match), self.risk)
        return self.response(match, self.trust), self.trust

    @abstractmethod
    def response(self, match: AnyMatchup, trust: float) -> Outcome:
        """The response at a value of the dial (0 without one)."""

    def _gadget(self, look: LookAhead) -> Gadget | None:
        return self.GADGET if look.gadget is None else gadget_of(look.gadget)

    def _check_look(self, look: LookAhead) -> None:
        """Reject a gadget or refinement that it does not use."""
        if self.GADGET is not None:
            alpha = self.trust if self.DIAL == ALPHA else 0.0
            Tremble(alpha or 0.0, look.prior, look.epsilon).check(self._gadget(look) or self.GADGET)
            return
        for what, given in {"gadget": look.gadget, "prior": look.prior != "none", "epsilon": look.epsilon}.items():
            if given:
                raise InputError(f"{self.HEAD} faces the model alone and takes no {what}")


METHOD: RecordKind[Method] = RecordKind("method", Method)  # type: ignore[type-abstract]
"""All methods by name; `responses` binds its registry."""
M = TypeVar("M", bound=Method)


@dataclass(eq=False)
class AnyMatchup(ABC):
    """One responder, one model. A world supplies values, an equilibrium, the restricted problem and its look-aheads.

    Attributes:
        halvings_of_p, halvings_of_mixture: steps of searches for the largest p, and the largest weight in a mixture.
        has_corners: whether the game's value is known, and restricted Nash responses are the frontier's corners; without,
            the solves of a method go on from each other.
        model: the opponent's modelled strategy; the responder has the other seat.
        solver: `lp`, a regret minimiser, or `auto`.
        stop: stopping rule of iterative solvers.
        progress: called with iterations and exploitability of iterative solves.
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
        solver, fine = self._check()
        if self.solver == "auto":
            self.solver = solver
        if self.solver not in ("auto", "lp"):
            minimiser(self.solver)  # refuses an unknown one, whether or not the method needs it
        if self.stop == Stop():
            self.stop = Stop(fine)

    @abstractmethod
    def _check(self) -> tuple[Solver, float]:
        """Reject a model of another game, and the linear program where a world has none; returns the solver of `auto`, and
        the default accuracy of iterative solves, in chips."""

    @property
    def seat(self) -> int:
        return 1 - self.model.player  # type: ignore[no-any-return]

    @property
    def span(self) -> float:
        """The largest less the smallest payoff, in chips."""
        return self.game.span  # type: ignore[no-any-return]

    @property
    def rake(self) -> float:
        """The share of the payoffs that the house takes; 0 where the game is zero-sum."""
        return 0.0

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
        return method.in_game(self.game)

    def is_in_pieces(self, method: Method) -> bool:  # noqa: ARG002 - in whole games alone
        """Return whether the response of a method is computed in pieces that a record keeps."""
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
        return self.lost(self.guarantee(plan))

    def lost(self, guarantee: float) -> float:
        """The exploitability of a plan, by its guarantee."""
        if self.rake:  # what the opponent wins is not what the responder loses
            return -guarantee - self.value_of(1 - self.seat)
        return self.game_value - guarantee

    def within(self, plan: Plan, epsilon: float) -> bool:
        """Return whether the exploitability of a plan is at most epsilon, up to rounding."""
        return self.exploitability(plan) <= epsilon + self.slack

    def measures(self, plan: Plan) -> dict[str, float | None]:
        """The numbers of an answer, by the names of `Answer`."""
        value, won, guarantee = self.game_value, self.value_against_model(plan), self.guarantee(plan)
        return {
            "game_value": value, "game_value_gap": self.value_gap, "value_against_model": won, "gain": won - value,
            "exploitability": max(0.0, self.lost(guarantee)),  # the value is known: less than nothing is rounding
        }  # fmt: skip

    def gap_of(self, method: Method, trust: float | None, outcome: Outcome) -> float:  # noqa: ARG002
        """Upper bound on the distance of what a method found with trust in the model from its optimum; NaN if unknown."""
        return outcome.gap

    def why_blueprint(self, method: Method, answer: Any) -> str | None:  # noqa: ARG002 - in whole games alone
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

    def best_equilibrium(self) -> Outcome | None:
        """The equilibrium plan with the largest value against the model, by linear program; None without one."""
        return None

    @abstractmethod
    def mixed_plan(self, safe: Plan, greedy: Plan, weight: float) -> Plan:
        """The plan of a player who draws `greedy` with probability `weight`, else `safe`, before the game."""

    def mixture(self, safe: Outcome, greedy: Outcome, weight: float) -> Outcome:
        """The mixture of `greedy` with probability `weight` and `safe`, drawn before the game. Gain is linear in the
        weight, exploitability convex."""
        solver = safe.solver if greedy.solver == "sweep" else greedy.solver
        plan = self.mixed_plan(safe.plan, greedy.plan, weight)
        return Outcome(plan, max(safe.gap, greedy.gap), safe.interrupted or greedy.interrupted, solver)

    def mixture_within(self, safe: Outcome, greedy: Outcome, epsilon: float) -> tuple[Outcome, float]:
        """The mixture with the largest weight on `greedy` whose exploitability is at most epsilon, and that weight."""
        if self.within(greedy.plan, epsilon):
            return greedy, 1.0

        def room(weight: float) -> float:
            return epsilon - self.exploitability(self.mixture(safe, greedy, weight).plan)

        ends = epsilon - self.exploitability(safe.plan), epsilon - self.exploitability(greedy.plan)
        weight = largest_weight(room, ends, self.halvings_of_mixture)
        return self.mixture(safe, greedy, weight), weight

    def largest_p(self, response: Callable[[float], Outcome], epsilon: float) -> tuple[Outcome, float]:
        """The response at the largest p whose exploitability is at most epsilon, and that p. Exploitability does not
        decrease in p (exactly so for RNR)."""
        high = response(1.0)
        if self.within(high.plan, epsilon):
            return high, 1.0
        low, reached, above = (response(0.0), 0.0), 0.0, 1.0
        for _ in range(self.halvings_of_p):
            if low[0].interrupted or high.interrupted:
                break
            p = 0.5 * (reached + above)
            outcome = response(p)
            if self.within(outcome.plan, epsilon):
                low, reached = (outcome, p) if self.gains(outcome, low[0]) else low, p
            else:
                high, above = outcome, p
        return low

    def gains(self, outcome: Outcome, known: Outcome) -> bool:
        """Return whether a response of more trust in the model gains at least as much: it does, unless it is sampled."""
        if not isnan(outcome.gap):
            return True
        return self.value_against_model(outcome.plan) >= self.value_against_model(known.plan)

    # Look-aheads

    def check_look(self, look: LookAhead, alpha: float = 0.0) -> None:  # noqa: B027
        """Reject, before any long computation, a look-ahead that does not fit the game."""

    def check_local(self) -> None:  # noqa: B027 - every hold'em game is a poker game
        """Reject a game in which not every decision offers a call."""

    @abstractmethod
    def depth_limited(self, method: Method, p: float, alpha: float = 0.0) -> Outcome:
        """The response of a player who searches every decision, with trust p in the model and alpha at the entries."""

    @abstractmethod
    def local_best_response(self) -> Outcome:
        """The best action at each decision if both sides only call from then on."""
