"""The public function for counter-strategies, `respond`, its result, and the kinds of games that it takes, each with its
match-up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import isnan, nan
from typing import Any, Unpack

from counterplay.about import version
from counterplay.display import brief, labelled
from counterplay.errors import InputError
from counterplay.jit.clock import run_time
from counterplay.opponents.opponent import opponent, played_in
from counterplay.poker.betting.stakes import RISK, Stakes, check_zero_sum
from counterplay.poker.plan_stores.compact_plans import StoredStrategy
from counterplay.poker.spots.solution import SolvedSpot
from counterplay.poker.spots.spot import Spot
from counterplay.poker.spots.spot_game import SpotGame, StoredSpotGame, as_spot_game
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategy import HoldemStrategy
from counterplay.problem.solvable_game import as_compiled, as_game, by_kind
from counterplay.responses.matchup import Matchup
from counterplay.responses.method import ALPHA, METHOD, AnyMatchup, Method
from counterplay.responses.methods import RespondOptions, method_of
from counterplay.responses.spot_matchups import SpotMatchup, StoredSpotMatchup
from counterplay.responses.whole_game import HoldemMatchup, check_whole_game, kept_although
from counterplay.result import ResultRecord
from counterplay.solvers.cfr import STOP, Progress, Stop, begin_part
from counterplay.solvers.minimiser import Solver
from counterplay.texts.arguments import FUNCTION, SEAT, or_none, takes
from counterplay.treeplex.strategy import Strategy
from counterplay.work.processes import WorkSettings, check_workers

_WHOLE_GAME = (
    "blueprint_value", "edge", "risk", "edge_against_blueprint", "iterations", "cut", "why_blueprint",
)  # fmt: skip
"""Fields that whole games of hold'em alone have."""


@dataclass(frozen=True, eq=False, repr=False)
class Answer(ResultRecord):
    """A counter-strategy with its gain and exploitability; in a whole game of hold'em, whose value is not known, with its
    edge and risk beside a blueprint. All values are chips of the responder.

    Attributes:
        strategy: the responder's strategy.
        game: name of the game.
        seat: the responder's seat, 0 or 1.
        method: as in `METHODS`.
        p: weight of the model (rnr, cdrnr), trust (dbr) or weight of the exploiting strategy (mix, cdbr-ne); else None.
        alpha: exploitation level (ses); else None.
        p_from: where p or alpha comes from: given, or found by bisection over measured exploitability; None without them.
        depth: levels of look-ahead, or round; None for methods that see the whole game.
        gadget: the entry of an opponent who is not the model into a look-ahead; None without one.
        prior: the prior that refines the gadget's equilibrium; None without one.
        leaf: the value function at the limit of a look-ahead, by name; None without look-ahead.
        solve: whether look-aheads were solved jointly or per state; None without look-ahead.
        steps: `solve` in words: `by level` or `by own decision`.
        game_value: the responder's equilibrium value, an upper bound where it is iterated; NaN in a whole game.
        value_against_model: value of the strategy against the model.
        gain: value_against_model - game_value, at most `game_value_gap` below the true one; NaN in a whole game.
        exploitability: game_value less the strategy's value against a best responder; in a whole game an upper bound.
        seconds: wall-clock time of computing the strategy, without the game and its value.
        solver: lp, a regret minimiser, or sweep (best response).
        gap: bound on the distance from the optimum of the objective, in chips; 0 up to rounding for lp and sweep.
        interrupted: whether Ctrl-C cut it short.
        seed, version: of the library, for reproduction.
        pot: pot of a spot of hold'em, in chips; None in other games.
        game_value_gap: the most by which the value of the game is below `game_value`; 0 where it is exact. None where no
            value is known, as with a rake: what counts from `game_value` is then no gain.
        big_blind: the big blind in chips; None if unknown.
        note: a caveat about the numbers, such as that the spot has a rake; None without one.
        variant: which of several algorithms of its name the method is (ses); else None.
        bound: what is known of exploitability beforehand, where that is less than one may expect (ses); else None.
        blueprint_value: in a whole game, what the blueprint wins from the model; None elsewhere.
        edge: value_against_model - blueprint_value.
        risk: what a best responder wins from the strategy beyond what one wins from the blueprint.
        edge_against_blueprint: where the model is of hands, the edge against a player who plays as the blueprint; else NaN.
        iterations: of a sampled solve; None of others.
        cut: the limit that ended a sampled solve before its iterations: "seconds" or "Ctrl-C".
        why_blueprint: where the response, which the numbers measure, is not better than the blueprint, the sentence that
            says why; `strategy` is then the blueprint, or the response where that is kept. Else None.
    """

    KIND = "respond"
    LACKS = {  # noqa: RUF012 - of the class
        "strategies": "it has the responder's, as `strategy`",
        "nash_conv": "it has `exploitability`, of one strategy",
        "save": "`strategy` has that",
    }

    strategy: Strategy
    game: str
    seat: int
    method: str
    p: float | None
    alpha: float | None
    p_from: str | None
    depth: int | str | None
    gadget: str | None
    prior: str | None
    leaf: str | None
    solve: str | None
    game_value: float
    value_against_model: float
    gain: float
    exploitability: float
    seconds: float
    solver: str
    gap: float
    interrupted: bool
    seed: int | None
    version: str
    pot: float | None = None
    game_value_gap: float | None = None
    steps: str | None = None
    big_blind: float | None = None
    note: str | None = None
    variant: str | None = None
    bound: str | None = None
    blueprint_value: float | None = None
    edge: float | None = None
    risk: float | None = None
    edge_against_blueprint: float = nan
    iterations: int | None = None
    cut: str | None = None
    why_blueprint: str | None = None

    def __repr__(self) -> str:
        return brief(
            self, self.game, f"seat {self.seat}", self.method, labelled("p", self.p), labelled("alpha", self.alpha),
            *(
                (labelled("gain", self.gain), labelled("exploitability", self.exploitability))
                if self.edge is None
                else (labelled("edge", self.edge), labelled("risk", self.risk))
            ),
        )  # fmt: skip

    @property
    def value(self) -> float:
        """The value of the strategy against the model."""
        return self.value_against_model

    @property
    def percent(self) -> dict[str, float]:
        """Gain and exploitability in per cent of a spot's pot; empty in other games."""
        if self.pot is None:
            return {}
        return {
            "gain_percent": 100.0 * self.gain / self.pot,
            "exploitability_percent": 100.0 * self.exploitability / self.pot,
        }

    @property
    def facts(self) -> dict[str, Any]:
        """Everything but the strategy, as plain numbers and texts."""
        left = ("strategy",) if self.pot is not None else ("strategy", "pot", "big_blind", "note")
        told = {name: value for name, value in vars(self).items() if name not in left}
        if self.edge is None:
            told = {name: value for name, value in told.items() if name not in _WHOLE_GAME}
        else:
            told = {name: value for name, value in told.items() if name not in ("game_value", "gain")}
            told |= {"big_blind": self.big_blind, "note": self.note}
            if isnan(self.edge_against_blueprint):
                del told["edge_against_blueprint"]
            if isnan(self.gap):
                told["gap"] = None
        if self.pot is not None:
            half = 0.5 * self.pot
            told |= {"game_ev": half + self.game_value, "ev_against_model": half + self.value_against_model}
        rates = ("gain", "exploitability", "edge", "risk")
        return told | Stakes(self.pot, self.big_blind).facts({name: told[name] for name in rates if name in told})


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
    bounded = method.max_exploitability is not None
    if not method.RAKED:
        raked = [name for name, known in METHOD.registry.items() if known.RAKED]
        risk = "no bound on the risk holds: " if bounded else ""
        check_zero_sum(rake, f"{risk}{method.HEAD} counts on that; with a rake there are {', '.join(raked)}, and locks")
    if bounded:
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


def strategy_for(game: Any, source: Any, player: int | None, usual: int, seed: int = 0) -> Any:
    """The strategy that a user gives for a player of a game: itself; that of a result with strategies of both players; or
    as `opponent` makes it of a text or any other description.

    Args:
        game: in which they play.
        source: what the user gave.
        player: whose it must be; None for either, where that of a text or of a result is of the usual one.
        usual: 0 or 1.
        seed: of random opponents without their own.

    Raises:
        InputError: a strategy of the other player, or what `opponent` refuses.
    """
    seat = usual if player is None else player
    source = played_in(source, seat)
    if not isinstance(source, Strategy | StoredStrategy | HoldemStrategy):
        return opponent(game, source, seat, seed)
    if player is not None and source.player != player:
        raise InputError(f"the strategy is of player {source.player}, and one of player {player} is needed")
    return source


@takes(RespondOptions, player=or_none(SEAT), stop=STOP, progress=or_none(FUNCTION))
def respond(
    game: Any,
    model: Any,
    method: Method | str | None = None,
    *,
    player: int | None = None,
    solver: Solver = "auto",
    stop: Stop | None = None,
    progress: Progress | None = None,
    seed: int | None = None,
    **options: Unpack[RespondOptions],
) -> Answer:
    """Compute a counter-strategy to `model`, for the other player.

    Args:
        game: from `load`, or its text; or a spot of hold'em, solved or not; or a whole game of hold'em.
        model: from `opponent`, or anything that it takes, such as a text; a result with strategies of both players.
        method: a record such as `RNR(p=0.5)` or `Safe(0.05)` (see `responses.METHODS`), its text such as "rnr:p=0.5", or
            its name, which takes its fields from the options. By default `safe` if max_exploitability is given, `rnr` if p
            is, else `br`.
        player: the responder; by default the one who is not the model's player, and 0 where the model is a text.
        solver: `lp`, a regret minimiser (`cfr+`, `dcfr`, `pcfr+`, `pdcfr+`, `cfr`, or a `Minimiser`), or `auto`.
        stop: stopping rule of iterative solvers; by default 1e-5 of the span of payoffs.
        progress: called with iterations and exploitability of iterative solves.
        seed: of a random model that is given as a text, and of the boards that are drawn in whole games of hold'em.
        options: the method's fields, and how boards of a whole game are solved, see `RespondOptions`.

    Raises:
        InputError: an unknown method, a number outside its range, or a missing or unsupported option.
    """
    fields: dict[str, Any] = dict(options)
    keep = fields.pop("keep", False)
    if "workers" in fields:
        check_workers(fields["workers"])
    game = as_game(game)
    model = strategy_for(game, model, None if player is None else 1 - player, 1, seed or 0)
    pieces = WorkSettings(**{name: fields.pop(name) for name in ("record", "workers", "watch") if name in fields})
    world = world_of(game)
    chosen, game = method_of(method, **fields), world.convert(game)
    world.check(game, chosen)
    match = world.matchup(game, model, solver, stop or Stop(), progress, seed)
    if (pieces.record or pieces.workers != 1) and not match.is_in_pieces(chosen):
        raise InputError(
            f"{chosen.HEAD} of {match.game.name} is not computed board by board; it takes no record or workers"
        )
    match.pieces = pieces
    answer = respond_in(match, chosen, seed)
    why = None if answer.edge is None else match.why_blueprint(chosen, answer)
    if why is None:
        return answer
    facts = {"method": "blueprint", "seat": match.seat, "game": match.game.name}
    play = answer.strategy if keep else match.strategy_of(match.equilibrium(), facts)
    return replace(answer, strategy=play, why_blueprint=kept_although(why) if keep else why)


def respond_in(match: AnyMatchup, method: Method, seed: int | None = None) -> Answer:
    """`respond` in a given match-up, which caches shared results."""
    method.check_set()
    method = match.in_game(method)
    match.refine_for(method.risk)
    match.game_value  # noqa: B018 - computed before the clock starts: it belongs to the game, not to the method
    begin = run_time()
    begin_part(match.progress, "response")
    outcome, trust = method.outcome(match)
    seconds, look, alpha, depth = run_time() - begin, method.look, method.DIAL == ALPHA, None
    if look is not None:
        depth = look.extent.levels or str(look.extent)
    facts: dict[str, Any] = {
        "game": match.game.name,
        "seat": match.seat,
        "method": method.HEAD,
        "variant": method.VARIANT,
        "p": None if alpha else trust,
        "alpha": trust if alpha else None,
        "p_from": None if trust is None else "bisection" if method.trust is None else "given",
        "depth": depth,
        "gadget": look and look.gadget and str(look.gadget),
        "prior": look and look.gadget and look.prior_name,
        "leaf": look and look.leaf.name,
        "solve": look and look.solve,
        "steps": look and look.steps,
        **match.measures(outcome.plan),
        "bound": method.BOUND,
        "seconds": seconds,
        "solver": outcome.solver,
        "gap": match.gap_of(method, trust, outcome),
        "interrupted": outcome.interrupted,
        "seed": seed,
        "version": version(),
    }
    if outcome.iterations is not None:
        facts |= {"iterations": outcome.iterations, "cut": outcome.cut}
    about = match.about
    return Answer(strategy=match.strategy_of(outcome, facts), **about, **facts)
