"""Evaluation of a strategy, by match-ups: against a best responder, and against a model; and of responses when the
opponent is not the one that they were made for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from counterplay.catalogue import MISREAD, MISREAD_WHOLE_GAME
from counterplay.display import brief, html_table, labelled
from counterplay.errors import InputError
from counterplay.opponents.opponent import opponent
from counterplay.poker.betting.stakes import Stakes
from counterplay.poker.plan_stores.compact_plans import StoredStrategy
from counterplay.poker.spots.spot_game import StoredSpotGame
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategy import HoldemStrategy
from counterplay.poker.whole_game.values.measure import best_response_value
from counterplay.problem.solvable_game import as_game, by_kind
from counterplay.responses.method import METHOD, AnyMatchup, Method
from counterplay.responses.methods import METHODS_GIVEN
from counterplay.responses.respond import respond, strategy_for, world_of
from counterplay.responses.whole_game import HoldemMatchup
from counterplay.result import ResultList, ResultRecord, frame
from counterplay.solvers.best_response import best_response, played_plan
from counterplay.strategies.strategy_makers import strategies_of
from counterplay.texts.arguments import FUNCTION, SEAT, SEED, SEVERAL, or_none, takes
from counterplay.treeplex.strategy import Strategy

_RATES = ("gain", "exploitability", "edge", "risk")
_EVS = {"game_value": "game_ev", "worst_case": "worst_case_ev", "value_against_model": "ev_against_model"}


@dataclass(frozen=True, repr=False)
class Evaluation(ResultRecord):
    """Values are chips of the strategy's player.

    Attributes:
        game, seat: the game's name, and the strategy's seat.
        game_value: equilibrium value of the seat, an upper bound where it is iterated; None in a whole game of hold'em, the
            value of which is not known.
        game_value_gap: the most by which the value is below that; 0 where it is exact. None where there is no value, as with
            a rake, or it is not known.
        worst_case: value of the strategy against a best responder.
        exploitability: game_value - worst_case; in a whole game an upper bound.
        value_against_model: value against the model; None without a model.
        gain: value_against_model - game_value; None in a whole game.
        model_exploitability: exploitability of the model; in a whole game an upper bound.
        nash_conv: what best responders win from strategy and model together.
        blueprint_value, edge: in a whole game, what the blueprint wins from the model, and the value beyond it.
        risk: in a whole game, what a best responder wins beyond what one wins from the blueprint.
        pot, big_blind: of a spot of hold'em, in chips.
        note: a caveat about the numbers, such as that the spot has a rake.
    """

    KIND = "evaluate"
    LACKS = {"strategies": "it measures those that were given"}  # noqa: RUF012

    game: str
    seat: int
    game_value: float | None
    worst_case: float
    exploitability: float
    value_against_model: float | None = None
    gain: float | None = None
    model_exploitability: float | None = None
    nash_conv: float | None = None
    game_value_gap: float | None = None
    pot: float | None = None
    big_blind: float | None = None
    note: str | None = None
    blueprint_value: float | None = None
    edge: float | None = None
    risk: float | None = None

    @property
    def value(self) -> float:
        """The value against the model; without one against a best responder."""
        return self.worst_case if self.value_against_model is None else self.value_against_model

    def __repr__(self) -> str:
        names = ("exploitability", "gain", "edge", "nash_conv")
        shown = (labelled(name.replace("_", " "), getattr(self, name)) for name in names)
        return brief(self, self.game, f"seat {self.seat}", *shown)

    @property
    def facts(self) -> dict[str, Any]:
        """The fields as plain numbers and texts, without those not requested."""
        facts = {name: value for name, value in vars(self).items() if value is not None}
        rates: dict[str, float] = {name: facts[name] for name in _RATES if name in facts}
        if self.pot is not None:
            facts |= {ev: 0.5 * self.pot + facts[name] for name, ev in _EVS.items() if name in facts}
        return facts | Stakes(self.pot, self.big_blind).facts(rates)


@takes(player=or_none(SEAT))
def evaluate(game: Any, strategy: Any, against: Any = None, *, player: int | None = None) -> Evaluation:
    """Measure a strategy exactly.

    Args:
        game: from `load`, or its text; or a spot of hold'em.
        strategy: of one player, or anything that `opponent` takes; a result with strategies of both players.
        against: a model of the other player, likewise.
        player: whose strategy is measured; by default that of the strategy, and 0 for a text or a result.

    Raises:
        InputError: a strategy of another game, or both of the same player.
    """
    game = as_game(game)
    strategy = strategy_for(game, strategy, player, 0)
    if against is not None:
        against = strategy_for(game, against, None, 1 - strategy.player)
    world = world_of(game)
    game = world.convert(game)
    kind = by_kind(_KINDS, game, _IN_ARRAYS)
    for one in [strategy] if against is None else [strategy, against]:
        if not kind.owns(game, one):
            raise InputError(f"a strategy of another game cannot be evaluated in {game.name}")
    seat = strategy.player
    if against is not None and against.player == seat:
        raise InputError(f"both strategies are of seat {seat}; the model must have the other seat")
    strategy = kind.kept(game, strategy)
    plan = kind.plan(game, strategy)
    match = world.matchup(game, kind.other(game, strategy) if against is None else against)
    value, guarantee, about = match.game_value, match.guarantee(plan), match.about
    lost = -guarantee - match.value_of(1 - seat) if match.rake else value - guarantee
    found = Evaluation(
        game.name, seat, value, kind.raked(game, strategy) if match.rake else guarantee, max(0.0, lost),
        pot=about.get("pot"), big_blind=about.get("big_blind"), note=about.get("note"), game_value_gap=match.value_gap,
    )  # fmt: skip
    if isinstance(match, HoldemMatchup):
        most = best_response_value(game.game, match.base, seat)
        found = replace(found, game_value=None, risk=lost, exploitability=most - guarantee)
    if against is None:
        return found
    won = match.value_against_model(plan)
    if isinstance(match, HoldemMatchup):
        before, best = baseline(match), best_response_value(game.game, match.model.play, seat)
        return replace(
            found, value_against_model=won, blueprint_value=before, edge=won - before, nash_conv=best - guarantee,
            model_exploitability=best - value,
        )  # fmt: skip
    best = max(0.0, world.matchup(game, strategy).exploitability(kind.plan(game, against)))
    return replace(
        found, value_against_model=won, gain=won - value, model_exploitability=best,
        nash_conv=found.exploitability + best,
    )  # fmt: skip


def value_against(match: AnyMatchup, strategy: Any) -> float:
    """Chips of a strategy of the responder's seat against the model."""
    return float(match.value_against_model(by_kind(_KINDS, match.game, _IN_ARRAYS).plan(match.game, strategy)))


def baseline(match: AnyMatchup) -> float:
    """The chips from which gains and edges against the model count: the value of the game, or that of the blueprint."""
    return match.value_against_model(match.base) if isinstance(match, HoldemMatchup) else match.game_value


class _Kind(NamedTuple):
    """Functions of a game of a kind and a strategy: its plan for match-ups; any strategy of the other seat; its value
    against a best responder where the house takes a rake, so that less is lost than is won; whether it is of the game;
    and the strategy as it is evaluated."""

    plan: Callable[[Any, Any], Any]
    other: Callable[[Any, Any], Any]
    raked: Callable[[Any, Any], float]
    owns: Callable[[Any, Any], bool] = lambda game, strategy: bool(
        strategies_of(game).owns(strategy, getattr(strategy, "player", 0))
    )
    kept: Callable[[Any, Any], Any] = lambda _, strategy: strategy


def _raked_in_arrays(game: Any, strategy: Strategy) -> float:
    seat = strategy.player
    best = best_response(game.subgame, 1 - seat, strategy.plan)
    return float(strategy.plan @ game.payoff.product(seat, played_plan(game.subgame, 1 - seat, best.behaviour)))


_IN_ARRAYS = _Kind(
    lambda _, strategy: strategy.plan,
    lambda game, strategy: Strategy.uniform(game.trees[1 - strategy.player]),
    _raked_in_arrays,
)
_KINDS = {
    StoredSpotGame: _Kind(
        lambda game, strategy: game.kept(strategy).plans,
        lambda _, strategy: StoredStrategy(strategy.plans, 1 - strategy.player),
        lambda _, strategy: float(strategy.plans.best_response(1 - strategy.player).value(strategy.player)),
        kept=lambda game, strategy: game.kept(strategy),
    ),
    Holdem: _Kind(
        lambda _, strategy: strategy.play,
        lambda game, strategy: HoldemStrategy(game, 1 - strategy.player, strategy.play),
        lambda *_: 0.0,
        lambda game, strategy: isinstance(strategy, HoldemStrategy) and strategy.rules is game,
    ),
}


@dataclass(frozen=True, repr=False)
class Misreading(ResultRecord):
    """One response, against every model. model: that it was made for. gains: against each of the models, in chips a
    hand; none in a whole game of hold'em, whose value is not known. worst: against a best responder; the exploitability
    with a minus, in a whole game the risk. edges: in a whole game, what it wins from each model beyond what the
    blueprint wins; else none."""

    KIND = "misreading"
    LACKS = {"value": "it has one for each model: `gains` or `edges`", "strategies": "`respond` gives them"}  # noqa: RUF012

    method: str
    model: str
    gains: tuple[float, ...]
    worst: float
    edges: tuple[float, ...] = ()

    def __repr__(self) -> str:
        return brief(self, f"{self.method} to {self.model}", labelled("worst", self.worst))

    @property
    def exploitability(self) -> float:
        """The loss to a best responder, `-worst`; in a whole game the risk."""
        return -self.worst

    @property
    def facts(self) -> dict[str, Any]:
        """The fields, without gains or edges where there are none."""
        return {name: value for name, value in vars(self).items() if value != ()}


class Misreadings(ResultList[Misreading]):
    """The responses, in the order in which they were computed; gains count from `game_value`, an upper bound by at most
    `game_value_gap`, None where there is no value. `interrupted` by Ctrl-C. note: a caveat about the numbers."""

    KIND, ROWS = "misread", "responses"
    models: tuple[str, ...] = ()
    LACKS = {"exploitability": "each response has its own", "strategies": "`respond` gives them"}  # noqa: RUF012

    interrupted = False
    game_value = 0.0
    game_value_gap: float | None = None
    note: str | None = None

    @property
    def facts(self) -> dict[str, Any]:
        names = ("game_value", "game_value_gap", "note", "interrupted")
        return {name: getattr(self, name) for name in names}

    def __repr__(self) -> str:
        return brief(self, "", f"{len(self)} responses to {', '.join(self.models)}")

    def _repr_html_(self) -> str:
        head = ("method", "made for", *(f"if {model}" for model in self.models), "worst")
        numbers = ((*(one.gains or one.edges), one.worst) for one in self)
        rows = ((one.method, one.model, *(f"{x:.4f}" for x in row)) for one, row in zip(self, numbers, strict=True))
        return html_table(head, rows)

    def to_frame(self) -> Any:
        """A `pandas.DataFrame` with a row for each response, and a column for each model."""
        won = ((one, dict(zip(self.models, one.gains or one.edges, strict=True))) for one in self)
        return frame([{"method": one.method, "model": one.model, **row, "worst": one.worst} for one, row in won])

    @property
    def value(self) -> float:
        """The value of the game, from which gains count."""
        return self.game_value


@takes(models=SEVERAL, methods=or_none(METHODS_GIVEN), player=SEAT, seed=SEED, watch=or_none(FUNCTION))
def misread(
    game: Any,
    models: Sequence[Any],
    methods: Sequence[Method | str] | Method | str | None = None,
    *,
    player: int = 0,
    seed: int = 0,
    watch: Callable[[int, int], None] | None = None,
) -> Misreadings:
    """Responses by each method to each model, measured against all models and against a best responder.

    A response wins most from the model that it was made for; `worst` is what a wrong model may cost at most. Of the methods,
    `safe` with the smallest allowed exploitability has the smallest worst loss.

    Args:
        game: as `respond` takes it.
        models: two or more, as `opponent` takes them.
        methods: records or their texts; by default br, rnr at p = 0.75, and but for whole hold'em safe within 1 %.
        player: the responder.
        seed: of random models.
        watch: called with the number of finished responses, and of all. After Ctrl-C there are the rows so far, which
            are `interrupted`.

    Raises:
        InputError: fewer than two models, no method, or what `respond` refuses.
    """
    if isinstance(models, str | Mapping | Strategy | ResultRecord) or len(models) < 2:
        raise InputError("misreading needs two or more models, in a list such as ['uniform', 'nash']")
    methods = [methods] if isinstance(methods, str | Method) else methods
    if methods is None:
        methods = by_kind({Holdem: MISREAD_WHOLE_GAME}, game, MISREAD)
    if not methods:
        raise InputError("misreading needs a method, as in --methods br")
    game = as_game(game)
    players: list[Any] = [opponent(game, source, 1 - player, seed) for source in models]
    records = [METHOD.record(method) for method in methods]
    world = world_of(game)
    converted = world.convert(game)
    matches = [world.matchup(converted, player) for player in players]
    for record in records:  # before the first is computed
        record.check_set()
        world.check(converted, record)
        matches[0].in_game(record)
    whole, base, found = isinstance(matches[0], HoldemMatchup), [baseline(match) for match in matches], Misreadings()
    found.game_value = 0.0 if whole else base[0]
    found.models = tuple(map(str, models))
    found.game_value_gap, found.note = matches[0].value_gap, matches[0].about.get("note")
    for record in records:
        for source, model in zip(models, players, strict=True):
            answer = respond(game, model, record, seed=seed, keep=whole)
            if answer.interrupted:
                found.interrupted = True
                return found
            pairs = zip(matches, base, strict=True)
            won = tuple(value_against(match, answer.strategy) - before for match, before in pairs)
            lost = answer.exploitability if answer.risk is None else answer.risk
            found.append(Misreading(str(record), str(source), () if whole else won, -lost, won if whole else ()))
            if watch is not None:
                watch(len(found), len(records) * len(models))
    return found
