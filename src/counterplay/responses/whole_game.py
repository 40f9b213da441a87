"""Responses in whole games of hold'em: best responses exactly, restricted Nash and data-biased responses by public chance
sampling, and what is found from those two and a blueprint: mixtures, and the p that keeps within an exploitability.

The value of such a game is not known, so that a response has no gain there. It has an edge over a blueprint of the game, in
its buckets, and a risk: the blueprint's worst-case value less the response's, against a best responder who sees every card;
inside the betting tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from math import comb, nan, prod
from typing import Any, ClassVar, Protocol

import numpy as np

from counterplay.card_abstraction.card_abstraction import CardAbstraction
from counterplay.errors import InputError
from counterplay.gadgets import gadget_of
from counterplay.jit.clock import run_time
from counterplay.lookahead.search import LookAhead
from counterplay.opponents.opponent import strategy_of
from counterplay.poker.whole_game.blueprints.blueprint import (
    ITERATIONS,
    Blueprint,
    begin_as,
    has_blueprint,
    usual_blueprint,
    usual_lanes,
)
from counterplay.poker.whole_game.blueprints.public_sampling import PublicSampling, SamplingProblem, shares_lanes
from counterplay.poker.whole_game.blueprints.street_regrets import WarmStart
from counterplay.poker.whole_game.blueprints.vector_cfr import VectorCFR
from counterplay.poker.whole_game.boards.board import DEALT
from counterplay.poker.whole_game.holdem import HoldemGame, is_walked
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategies.look_ahead_strategy import blend
from counterplay.poker.whole_game.strategies.row_models import ObservedStrategy
from counterplay.poker.whole_game.strategy import (
    BlueprintStrategy,
    BucketedStrategy,
    Deviation,
    HoldemStrategy,
    ModelMixture,
)
from counterplay.poker.whole_game.values.measure import best_response_value, value
from counterplay.poker.whole_game.walks.make_rule import ADAPTING, LOCAL, LOOK_AHEAD, RULES, RuleSettings, best_response
from counterplay.poker.whole_game.walks.response_on_flops import ALL, Interval, ResponseOnFlops, draw_flops
from counterplay.responses.board_search import TOGETHER, BoardResponse
from counterplay.responses.method import AnyMatchup, M, Method, Outcome, P
from counterplay.solvers.cfr import Stop
from counterplay.solvers.minimiser import Solver
from counterplay.value_functions.leaf_value import Equity, ExactLeaf
from counterplay.value_functions.portfolio import Portfolio

_FAR = 1 << 32
_REGRETS_KEPT = 0.5
"""Weight of earlier solves' regrets as a share of the last one's iterations: by Linear CFR a ninth of all in the next."""
SECONDS, INTERRUPT = "seconds", "Ctrl-C"
"""Limits that cut a solve."""
STARTED = 1000
"""Iterations as which a blueprint counts at which a solve begins."""


@dataclass(eq=False)
class SampledResponses:
    """Responses to a model.

    Attributes:
        game: of both players.
        lanes: those of the response.
        player: the modelled player.
        model: the strategy assumed of that player; of a `Deviation` only the change counts.
        stop: iterations and seconds of each solve.
        seed: of the draws.
        start: regrets and averages from which each solve begins, or a blueprint in the lanes without them; None for nothing,
            and then the end of the solve before.
    """

    game: HoldemGame
    lanes: CardAbstraction
    player: int
    model: BlueprintStrategy
    stop: Stop
    seed: int
    start: WarmStart | BucketedStrategy | None = None
    _solvers: dict[bool, tuple[PublicSampling | VectorCFR, Callable[[], None]]] = field(default_factory=dict)
    _last: int = 0

    def response(self, p: float, *, by_row: bool = False) -> Outcome:
        """The restricted Nash response for p; by rows of the model, the data-biased one. Its gap is not known. The plan has
        the average of the free opponent, too."""
        if isinstance(self.model, Deviation):  # beside its reference
            trust = ModelMixture(self.player, self.model.play, p, by_row, self.model.reference)
        else:
            trust = ModelMixture(self.player, self.model, p, by_row)
        solver, step = self._solver(trust)
        if isinstance(self.start, BucketedStrategy):
            begin_as(solver, self.start, STARTED)
        elif self.start is not None:
            if not isinstance(solver, PublicSampling):
                raise InputError("a game that ends on the flop is solved with each board's own tables, without a start")
            solver.begin_from(self.start.state, self.start.iterations, self.start.keep)
        if self.stop.iterations < _FAR:
            count = self.stop.iterations
        else:
            count = _FAR if self.stop.seconds < float("inf") else ITERATIONS
        most, begin, cut = solver.iterations + count, run_time(), None
        first = solver.iterations
        try:
            while solver.iterations < most and cut is None:
                step()
                cut = SECONDS if run_time() - begin >= self.stop.seconds else None
        except KeyboardInterrupt:
            if solver.iterations == first:
                raise
            cut = INTERRUPT
        self._last = solver.iterations - first
        cut = None if solver.iterations == most else cut
        by = "cfr+" if isinstance(solver, VectorCFR) else "linear cfr"
        solved = f"{by} by public chance sampling"
        return Outcome(solver.average(), nan, cut == INTERRUPT, solved, iterations=solver.iterations - first, cut=cut)

    def _solver(self, trust: ModelMixture) -> tuple[PublicSampling | VectorCFR, Callable[[], None]]:
        """A solver and its step of one iteration. A game that ends on the flop is solved with each board's own tables."""
        known = self._solvers.get(trust.by_row)
        if known is not None:
            known[0].restart(trust, int(_REGRETS_KEPT * self._last))
            return known
        if self.game.last == 1:
            drawing = VectorCFR(self.game, self.lanes, trust=trust)
            made: tuple[PublicSampling | VectorCFR, Callable[[], None]]
            made = drawing, partial(drawing.sample, 1, np.random.default_rng(self.seed))
        else:
            sampling = PublicSampling(SamplingProblem(self.game, self.lanes, seed=self.seed), trust=trust)
            made = sampling, partial(sampling.sample, 1)
        self._solvers[trust.by_row] = made
        return made


_ANSWER, _KEPT = "The answer is the blueprint:", "Kept although:"


def trust_of(method: Method, p: float | None) -> float | None:
    """The p of the bound below, of methods whose dial is the trust in the model: others mix strategies by it."""
    return p if method.DIAL == P and not method.MIXED else None


def is_of_hands(model: BlueprintStrategy) -> bool:
    """Return whether a model was learned from hands, and so errs where hands are few."""
    return isinstance(model, ObservedStrategy | Deviation)


def why_blueprint(edge: Interval, risk: Interval, p: float | None, known: Interval | None = None) -> str | None:
    """The sentence that says why the blueprint is played instead of a response; None where the response is.

    A response that maximises p · value against the model + (1 - p) · worst case has an edge of at least (1 - p) / p times
    its risk, for the blueprint has neither (cf. theorem 5.3 of Milec et al. 2024). One without is not the optimum.

    Neither speaks of the player, whom a model from hands misses: both hold of responses that lose to the player. Values are
    linear in the opponent's plan, so that a response with an edge against a player who plays as the blueprint, too, has one
    against every mixture of that player and the model, however little of the model is true. Beside an equilibrium nothing
    has such an edge, and the answer is always the blueprint.
    """
    if not edge.value - edge.error > 0.0:
        return f"{_ANSWER} the edge of the response is not above 0 by its interval."
    if p is not None and p * edge.value < (1.0 - p) * risk.value:
        return f"{_ANSWER} the edge of the response is below (1 - p) / p times its risk, p = {p:.3g}."
    if known is not None and known.value - known.error <= 0.0:
        return (
            f"{_ANSWER} the model is of hands, and against a player who plays as the blueprint the edge "
            "is not above 0 by its interval."
        )
    return None


def kept_although(why: str) -> str:
    """The sentence of a response that is kept although `why` (of `why_blueprint`) speaks for the blueprint."""
    return why.replace(_ANSWER, _KEPT)


def rule_settings(match: AnyMatchup, method: Method) -> RuleSettings:
    """How a method chooses on a walk over boards."""
    if method.HEAD not in RULES:
        known = ", ".join(RULES)
        raise InputError(f"over drawn flops there are {known}, and not {method.HEAD}")
    if method.look is None:
        return RuleSettings(method.HEAD)
    if method.HEAD == ADAPTING and method.trust != 1.0:
        raise InputError(f"over drawn flops {ADAPTING} trusts the model: p=1")
    return look_ahead_settings(match, method.HEAD, method.look)


def look_ahead_settings(match: AnyMatchup, name: str, look: LookAhead) -> RuleSettings:
    """How a look-ahead against the model alone chooses."""
    depth = look.extent
    streets = 1 if look.depth is None or str(depth) == "round" else depth.levels
    if not streets:
        raise InputError(f"on a walk over boards a look-ahead sees a number of streets, not {depth}")
    leaf, game, seed = look.leaf, match.game.game, match.seed or 0
    if name == ADAPTING:
        assert isinstance(leaf, Portfolio)
        plays = tuple(strategy_of(game, source, seed) for source in leaf.sources[match.seat])
        return RuleSettings(ADAPTING, streets, continuations=plays)
    if isinstance(leaf, Portfolio):
        one, two = leaf.sources
        if one != two or len(one) != 1:
            raise InputError("on a walk over boards a portfolio has one strategy, by which both players go on")
        return RuleSettings(LOOK_AHEAD, streets, strategy_of(game, one[0], seed))
    if not isinstance(leaf, Equity | ExactLeaf):
        raise InputError(
            f"on a walk over boards a look-ahead ends in equity or portfolio:FILE.cpb, not {look.leaf.name}"
        )
    return RuleSettings(LOOK_AHEAD, streets)


_MOST = 100_000_000
"""Hands on all different last boards together, beyond which they are not all seen without being asked for."""
NOTE = (
    "The value of this game is not known. Edge: what the strategy wins from the model beyond what a blueprint wins. Risk: "
    "what a best responder wins from it beyond what one wins from the blueprint. Exploitability is an upper bound. All is "
    "inside the betting tree."
)


class MatchValues(Protocol):
    """Values of a responder's strategies over a sample of boards in chips a hand: against the model or a best responder."""

    def value(self, play: BlueprintStrategy) -> float: ...
    def guarantee(self, play: BlueprintStrategy) -> float: ...


@dataclass(eq=False)
class HoldemMatchup(AnyMatchup):
    """A responder against a model in a whole game. Methods have solvers of their own, and report no progress. Sampled
    responses do not tell finer steps of searches apart.

    Attributes:
        values: measures strategies; over all boards unless given.
        blueprint: from which edge and risk are counted; one of the game in its buckets, computed at once, unless given.
    """

    halvings_of_p: ClassVar[int] = 8
    halvings_of_mixture: ClassVar[int] = 12
    has_corners: ClassVar[bool] = False

    game: Holdem
    model: HoldemStrategy
    values: MatchValues | None = None
    blueprint: BlueprintStrategy | None = None

    def __post_init__(self) -> None:
        self._check()

    def _check(self) -> tuple[Solver, float]:
        if not isinstance(self.model, HoldemStrategy) or self.model.rules is not self.game:
            raise InputError(f"the model is a strategy of another game than {self.game.name}")
        return "auto", nan

    @cached_property
    def game_value(self) -> float:
        """The worst-case value of a blueprint of the game, in chips of the responder; `exploitability` is then the risk."""
        if self.values is None and self.blueprint is None:
            return guarantee_of_blueprint(self.game, self.seat)
        return self.guarantee(self.base)

    @property
    def value_gap(self) -> None:
        return None

    @property
    def base(self) -> BlueprintStrategy:
        """The strategy from which edge and risk are counted."""
        return blueprint_of(self.game).play if self.blueprint is None else self.blueprint

    @property
    def slack(self) -> float:
        return 1e-9 * self.span

    @property
    def about(self) -> Mapping[str, Any]:
        return {"big_blind": self.game.stakes.big_blind, "note": NOTE}

    def identity(self) -> dict[str, Any]:
        return {"game": self.game.name, "model": str(self.model.facts)}

    def strategy_of(self, outcome: Outcome, facts: dict[str, Any]) -> Any:
        return HoldemStrategy(self.game, self.seat, outcome.plan, facts)

    def value_against_model(self, plan: BlueprintStrategy) -> float:
        if self.values is not None:
            return self.values.value(plan)
        one, two = (plan, self.model.play) if self.seat == 0 else (self.model.play, plan)
        return value(self.game.game, one, two) * (1 if self.seat == 0 else -1)

    def guarantee(self, plan: BlueprintStrategy) -> float:
        if self.values is not None:
            return self.values.guarantee(plan)
        return -best_response_value(self.game.game, plan, 1 - self.seat)

    def measures(self, plan: BlueprintStrategy) -> dict[str, float | None]:
        """Edge and risk; exploitability is known over all boards only."""
        won, base = self.value_against_model(plan), self.value_against_model(self.base)
        most = nan if self.values is not None else best_response_value(self.game.game, self.base, self.seat)
        return {
            "game_value": nan, "value_against_model": won, "gain": nan, "exploitability": most - self.guarantee(plan),
            "blueprint_value": base, "edge": won - base, "risk": self.exploitability(plan),
            "edge_against_blueprint": self.edge_against_blueprint(plan),
        }  # fmt: skip

    def edge_against_blueprint(self, play: BlueprintStrategy) -> float:
        """Edge against a player who plays as the blueprint; NaN unless the model is of hands and all boards are seen."""
        if self.values is not None or not is_of_hands(self.model.play):
            return nan
        other = HoldemStrategy(self.game, self.model.player, self.base, {"method": "blueprint"})
        match = HoldemMatchup(self.game, other, blueprint=self.base)
        return match.value_against_model(play) - match.value_against_model(self.base)

    def gap_of(self, method: Method, trust: float | None, outcome: Outcome) -> float:
        """In real cards, over all boards, what a best response to the opponent of a sampled response wins more. NaN of other
        methods, and where a deviation alone is answered."""
        if self.values is not None or not has_gap(method, trust, self.model.play):
            return nan
        assert trust is not None
        play: BlueprintStrategy = outcome.plan
        opponent = blend(self.game.game, self.model.player, self.model.play, play, trust)
        most = best_response_value(self.game.game, opponent, self.seat)
        return most - trust * self.value_against_model(play) - (1.0 - trust) * self.guarantee(play)

    def why_blueprint(self, method: Method, answer: Any) -> str | None:
        assert answer.edge is not None
        assert answer.risk is not None
        edge, risk, known = (Interval(one, 0.0) for one in (answer.edge, answer.risk, answer.edge_against_blueprint))
        return why_blueprint(edge, risk, trust_of(method, answer.p), known)

    def mixed_plan(self, safe: BlueprintStrategy, greedy: BlueprintStrategy, weight: float) -> BlueprintStrategy:
        return blend(self.game.game, self.seat, greedy, safe, weight)

    def equilibrium(self) -> Outcome:
        return Outcome(self.base, nan, solver="public chance sampling")

    def best_response(self) -> Outcome:
        """Exact where all boards are seen, else in the buckets of the game."""
        if self.values is not None:
            return self._sampled.response(1.0)
        return Outcome(best_response(self.game.game, self.model.play), solver="sweep")

    def restricted(self, p: float, *, by_infoset: bool, accuracy: float = 1.0) -> Outcome:  # noqa: ARG002 - see `stop`
        """In the buckets of the game; by rows a model is not trusted where it never was, and less where it knows little."""
        return self._sampled.response(p, by_row=by_infoset)

    def in_game(self, method: M) -> M:
        """See `AnyMatchup`; against the model alone hands are checked down behind a limit without a value."""
        fitted: Any = super().in_game(method)
        checked = fitted.look is not None and _is_of_model_alone(fitted) and isinstance(fitted.look.leaf, ExactLeaf)
        return replace(fitted, look=replace(fitted.look, leaf=Equity())) if checked else fitted  # type: ignore[no-any-return]

    def is_in_pieces(self, method: Method) -> bool:
        return self.in_game(method).look is not None and not solves_together(self.game, method)

    def depth_limited(self, method: Method, p: float, alpha: float = 0.0) -> Outcome:
        """Against the model alone by one walk, else board by board."""
        if p < 1.0:
            check_search(self.game, method)
            return BoardResponse(self, method, p, alpha).outcome()
        rule = ADAPTING if method.HEAD == ADAPTING else LOOK_AHEAD
        return self._by_rule(look_ahead_settings(self, rule, method.far))

    def local_best_response(self) -> Outcome:
        return self._by_rule(RuleSettings(LOCAL))

    def _by_rule(self, rule: RuleSettings) -> Outcome:
        """The response by a rule of the walk, with all flops before them."""
        game, draw = self.game.game, draw_flops(self.game.game.boards, ALL)
        response = ResponseOnFlops(game, self.seat, self.model.play, rule)
        play = response.strategy(draw, {flop: response.on(flop) for flop in draw.numbers})
        return Outcome(play, solver="sweep")

    def forget_solves(self) -> None:
        self.__dict__.pop("_sampled", None)

    @cached_property
    def _sampled(self) -> SampledResponses:
        """Solves of the model, which go on from each other."""
        game, model = self.game, self.model
        return SampledResponses(
            game.game, lanes_of(game), model.player, model.play, self.stop, self.seed or 0, start_of(game, self.base)
        )


def check_whole_game(game: Holdem, method: Method) -> None:
    """Reject a method that a whole game does not support, with the way out."""
    if method.look is not None and not _is_of_model_alone(method):
        check_search(game, method)


def _is_of_model_alone(method: Method) -> bool:
    """Return whether a method that looks ahead meets the model alone, which takes one walk over the boards."""
    return method.GADGET is None or (method.DIAL == P and method.trust == 1.0)


def check_search(game: Holdem, method: Method) -> None:
    """Reject a search of too many boards, or portfolios before a flop that is not the last street."""
    if not is_walked(game.game):
        raise InputError(
            f"{method.HEAD} would solve {_public_states(game):,.0f} public states of {game.name}; the agent "
            f"{method.HEAD} solves those that come"
        )
    if isinstance(method.far.leaf, Portfolio) and game.game.last > 1:
        raise InputError(
            f"{game.name} goes on after the flop: before it portfolios are valued where the flop is the last street, and "
            "on later ones at p = 1"
        )


def solves_together(game: Holdem, method: Method) -> bool:
    """Return whether a method that looks ahead solves all boards at once: behind the full gadget."""
    look = method.in_game(game).look
    return look is None or look.gadget is None or gadget_of(look.gadget).keeps_path


def cost_of_search(game: Holdem, method: Method) -> str | None:
    """The cost of a search of every board in words; None for other methods."""
    if method.look is None or _is_of_model_alone(method):
        return None
    if solves_together(game, method):
        return (
            f"{method.HEAD} solves all boards of {game.name} at once, {TOGETHER} iterations unless --seconds says "
            "otherwise; another --gadget solves board by board"
        )
    return f"{method.HEAD} solves about {_public_states(game):,.0f} public states of {game.name}"


def _public_states(game: Holdem) -> float:
    """About how many boards there are after all lines of betting that lead to them."""
    left, boards, found = len(game.deck.cards), 1.0, 0.0
    for street in range(1, game.game.last + 1):
        boards *= comb(left - DEALT[street - 1], DEALT[street] - DEALT[street - 1])
        lines = sum(bool(game.betting.children(int(node))) for node in game.game.roots[street])
        found += lines * boards / len(game.game.boards.turns)
    return found


def guarantee_of_blueprint(game: Holdem, seat: int) -> float:
    """The worst-case value of the game's blueprint in a seat, in chips of that player."""
    left = len(game.deck.cards)  # about how many different last boards there are
    boards = comb(left, DEALT[1]) * prod(left - out for out in range(DEALT[1], DEALT[game.game.last]))
    if game.game.places(game.game.last) * boards / len(game.game.boards.turns) > _MOST:
        raise InputError(
            f"{game.name} has too many boards to see all of them at once: give --flops to respond, or --boards to evaluate"
        )
    return -best_response_value(game.game, blueprint_of(game).play, 1 - seat)


def has_gap(method: Method, p: float | None, model: BlueprintStrategy) -> bool:
    """Return whether the opponent whom a response meets is a strategy, so that a best response bounds what is missed."""
    return method.HEAD == "rnr" and p not in (None, 0.0, 1.0) and not isinstance(model, Deviation)


def start_of(game: Holdem, base: BlueprintStrategy) -> WarmStart | BucketedStrategy | None:
    """The start of solves: regrets of the game's own blueprint, or another in the lanes of its buckets; else None."""
    made = blueprint_of(game) if has_blueprint(game.game) else None
    if made is not None and made.play is base and made.state is not None:
        return WarmStart(made.state, made.iterations, max(1, made.iterations // 2))
    return base if shares_lanes(base, lanes_of(game), game.game) else None


def blueprint_of(game: Holdem) -> Blueprint:
    return usual_blueprint(game.game)


def lanes_of(game: Holdem) -> CardAbstraction:
    return usual_lanes(game.game)
