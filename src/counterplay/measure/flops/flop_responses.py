"""Value of a method against a model in a whole game of hold'em, on drawn flops or all, as work flop by flop."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pickle import PicklingError
from typing import Any

import numpy as np

from counterplay.display import brief, labelled
from counterplay.jit.clock import run_time
from counterplay.lookahead.search import LookAhead
from counterplay.measure.flops.flop_measure import FlopMeasure
from counterplay.opponents.opponent import seat_strategy
from counterplay.poker.betting.stakes import Stakes
from counterplay.poker.whole_game.boards.board import GameBoards
from counterplay.poker.whole_game.game_text import read_holdem
from counterplay.poker.whole_game.lookup import HoldemStrategy
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.poker.whole_game.values.board_walk import SharedBest
from counterplay.poker.whole_game.walks.flop_draw import (
    ALL,
    FlopDraw,
    Interval,
    draw_flops,
    flops_in_order,
    longest_draw,
)
from counterplay.poker.whole_game.walks.make_rule import BEST
from counterplay.poker.whole_game.walks.response_on_flops import FlopResponse, FlopValues, ResponseOnFlops
from counterplay.responses.better_than_blueprint import why_blueprint
from counterplay.responses.matchup.walk_rules import rule_settings
from counterplay.responses.method import Method
from counterplay.responses.method_options import method_of
from counterplay.responses.whole_game import HoldemMatchup
from counterplay.texts.arguments import FUNCTION, MANY_OR_ALL, SEED, instance, or_none, takes
from counterplay.value_functions.equity import Equity
from counterplay.value_functions.portfolio import Portfolio
from counterplay.work.executor import Executor
from counterplay.work.run_work import Watch, WorkResults, run_work
from counterplay.work.work_record import WorkRecord

FLOPS = 150
NOTE = "Values are inside the betting tree; 'error' is half of a 95 % interval."

_BESIDE = (
    "blueprint_value", "blueprint_value_error", "edge", "edge_error", "edge_against_blueprint",
    "edge_against_blueprint_error",
)  # fmt: skip
_IN_CHIPS = ("lower", "lower_error", "upper", "upper_error", "unvisited", *_BESIDE)
_IF_KNOWN = ("unvisited", *_BESIDE, "why_blueprint")
"""Fields that are left out of facts where they are None."""


@dataclass(frozen=True)
class FlopAnswer:
    """Value of a method against a model, in chips of the responder.

    Attributes:
        game, seat, method: as of `Answer`.
        depth, value: of a look-ahead: streets, and what stands behind them; else None.
        flops: how many were drawn; of all flops how many there are.
        lower, upper: estimates of what is won (see `FlopResponse`); equal over all flops, and for methods that choose
            nothing by the flops drawn.
        lower_error, upper_error: half of their 95 % intervals.
        blueprint_value, edge: what a blueprint wins on the same flops, and what the response, cross-fitted, wins beyond it;
            `..._error` is half of the 95 % interval by Student's t.
        edge_against_blueprint: where the model is of hands, the edge against a player who plays as the blueprint; else None.
        why_blueprint: why the answer is the blueprint; None where it is the response.
        unvisited: the part of `upper` from rows that the model never visited in training; None where that is not known.
        seconds: that it took.
        seed: of the draws.
        big_blind: in chips.
        interrupted: by Ctrl-C; the rest is of the draws so far, also where all flops were asked for.
        blueprint: its strategy.
        strategy: the response, which can be played, measured and saved; after the flop it is computed for the board at hand,
            when it is asked for.
    """

    game: str
    seat: int
    method: str
    depth: int | None
    value: str | None
    flops: int
    lower: float
    lower_error: float
    upper: float
    upper_error: float
    unvisited: float | None
    seconds: float
    seed: int | None
    big_blind: float
    note: str = NOTE
    interrupted: bool = False
    blueprint_value: float | None = None
    blueprint_value_error: float | None = None
    edge: float | None = None
    edge_error: float | None = None
    edge_against_blueprint: float | None = None
    edge_against_blueprint_error: float | None = None
    why_blueprint: str | None = None
    blueprint: HoldemStrategy | None = field(default=None, repr=False, compare=False)
    strategy: HoldemStrategy | None = field(default=None, repr=False, compare=False)

    @property
    def answer(self) -> HoldemStrategy | None:
        """The response, or the blueprint where that is the answer."""
        return self.strategy if self.why_blueprint is None else self.blueprint

    def __repr__(self) -> str:
        bounds = labelled("lower", self.lower), labelled("upper", self.upper)
        return brief(self, self.game, f"seat {self.seat}", self.method, *bounds, f"{self.flops} flops")

    def facts(self) -> dict[str, Any]:
        """Everything as plain numbers and texts; chips in milli-big-blinds and big blinds a hundred hands, too."""
        told = {
            name: getattr(self, name) for name in self.__dataclass_fields__ if name not in ("strategy", "blueprint")
        }
        told = {name: number for name, number in told.items() if number is not None or name not in _IF_KNOWN}
        chips: dict[str, float] = {name: told[name] for name in _IN_CHIPS if name in told}
        in_milli = {f"{name}_mbb": 1000.0 * number / self.big_blind for name, number in chips.items()}
        return {**told, **in_milli, **Stakes(None, self.big_blind).facts(chips)}


@takes(
    game=instance("a whole game of hold'em", Holdem), model=instance("a strategy of a whole game", HoldemStrategy),
    flops=MANY_OR_ALL, seed=SEED, watch=or_none(FUNCTION),
)  # fmt: skip
def respond_on_flops(
    game: Holdem,
    model: HoldemStrategy,
    method: Method | str = BEST,
    flops: int | str = FLOPS,
    *,
    seed: int = 0,
    record: WorkRecord | None = None,
    executor: Executor | None = None,
    watch: Watch | None = None,
) -> FlopAnswer:
    """Value of a method against a model: exact after the flop, and over hands. Ctrl-C keeps the draws so far. The edge
    counts from a blueprint of the game in its buckets, of 4,000 iterations (another one: `answer_of`).

    Args:
        game: a whole game of hold'em.
        model: the opponent's strategy, from `opponent`; the responder has the other seat.
        method: br, cdbr, lbr, or abd at p = 1. A look-ahead sees `depth` streets, its own counted; behind them stands for
            cdbr `equity`, or the values of a blueprint, `portfolio:hunl.cpb`, and for abd the best of several strategies.
        flops: how many are drawn, or "all", of which Ctrl-C leaves those that so many draws had come to.
        seed: of the draws; of all flops it orders them, and nothing in the answer depends on it.
        record: of what is there already.
        executor: where flops are computed.
        watch: hears when a flop begins.

    Raises:
        InputError: another method, or a number of flops that cannot be.
        KeyboardInterrupt: Ctrl-C before two draws were there; the record has the flops so far.
    """
    work = FlopsWork(
        HoldemMatchup(game, model, seed=seed), method_of(method), draw_flops(game.game.boards, flops, seed)
    )
    return answer_of(work, record=record, executor=executor, watch=watch)


def answer_of(
    work: FlopsWork,
    *,
    record: WorkRecord | None = None,
    executor: Executor | None = None,
    watch: Watch | None = None,
) -> FlopAnswer:
    """The same of work that is described already; arguments and errors as there."""
    base, begin = work.match.base, run_time()
    done = run_work(work, record=record, executor=executor, watch=watch)
    part = work.part(done)
    found = replace(part.finish(done.results), seconds=run_time() - begin, interrupted=part is not work)
    return beside_blueprint(part, base, done.results, found)


def beside_blueprint(
    work: FlopsWork, base: BlueprintStrategy, results: Mapping[str, Mapping[str, Any]], answer: FlopAnswer
) -> FlopAnswer:
    """An answer beside a blueprint, on the same flops."""
    match, interval = work.match, work.draw.student_interval
    measure = FlopMeasure(match.game, match.model, work.draw)
    before, alike, known = measure.won(base), measure.of_blueprint(base), None
    value, edge = interval(before), interval(work.values(results).lower - before)
    if alike is not None:
        play: Any = answer.strategy
        known = interval(alike.won(play.play) - alike.won(base))
    return replace(
        answer, blueprint_value=value.value, blueprint_value_error=value.error, edge=edge.value, edge_error=edge.error,
        edge_against_blueprint=None if known is None else known.value,
        edge_against_blueprint_error=None if known is None else known.error,
        why_blueprint=why_blueprint(edge, Interval(0.0, 0.0), None, known),
        blueprint=HoldemStrategy(match.game, match.seat, base, {"method": "blueprint"}),
    )  # fmt: skip


class FlopsWork:
    """The flops of a draw as work.

    Args:
        match: responder and model.
        method: br, cdbr, lbr or abd.
        draw: the flops.
        shared: with other methods of the same match.
    """

    def __init__(self, match: HoldemMatchup, method: Method, draw: FlopDraw, shared: SharedBest | None = None) -> None:
        self.match, self.method, self.draw, self._shared = match, method, draw, shared
        self.asked = rule_settings(match, method)

    def __reduce__(self) -> tuple[Any, ...]:
        text = self.match.model.facts.get("text")
        if text is None:
            raise PicklingError("the opponent has no text by which another process could make it")
        model = self.match.model
        return _rebuilt, (self.match.game.name, text, model.player, self.match.seed, str(self.method), self.draw)

    def identity(self) -> Mapping[str, Any]:
        """Game, model, method and flops."""
        drawn = {"numbers": list(self.draw.numbers), "times": list(self.draw.times)}
        asked = {"seat": self.match.seat, "method": str(self.method), "strategy": self._digest}
        return {**self.match.identity(), **asked, **drawn}

    def keys(self) -> list[str]:
        """In the order of the draws, of all flops too, so that those of a part are drawn as all are."""
        wanted = set(self.draw.numbers)
        return [f"flop {number}" for number in flops_in_order(*self._draws) if number in wanted]

    def part(self, done: WorkResults) -> FlopsWork:
        """What can be finished: all of it, or after Ctrl-C the most draws of which every flop is there.

        Raises:
            KeyboardInterrupt: these are fewer than two.
        """
        seen = {_number(key) for key in done.results}
        if seen.issuperset(self.draw.numbers):
            return self
        boards, most, seed, skipped = self._draws
        there = longest_draw(boards, seen, most, seed, skipped)
        if there is None:
            raise KeyboardInterrupt
        return FlopsWork(self.match, self.method, there, self._shared)

    @property
    def _draws(self) -> tuple[GameBoards, int | str, int, int]:
        """What `flops_in_order` takes: of all flops, by the seed of the match."""
        boards, draw = self.match.game.game.boards, self.draw
        if draw.seed is None:
            return boards, ALL, self.match.seed or 0, 0
        return boards, draw.skipped + draw.draws, draw.seed, draw.skipped

    def compute(self, key: str) -> dict[str, Any]:
        """The arrays of `ResponseOnFlops.on`."""
        return dict(self._response.on(_number(key)))

    def values(self, results: Mapping[str, Mapping[str, Any]]) -> FlopValues:
        """What is won flop by flop, once all are there."""
        return self._response.values(self.draw, {_number(key): row for key, row in results.items()})

    def finish(self, results: Mapping[str, Mapping[str, Any]]) -> FlopAnswer:
        """The answer, once all flops are there."""
        every = {number: found for key, found in results.items() if (number := _number(key)) in self.draw.numbers}
        found: FlopResponse = self._response.finish(self.draw, every)
        look, facts = self.method.look, {"method": f"{self.method} by {self.draw.draws} flops"}
        return FlopAnswer(
            self.match.game.name, self.match.seat, self.method.HEAD, self.asked.depth if look else None,
            _value_name(look) if look else None, self.draw.draws, found.lower.value, found.lower.error, found.upper.value,
            found.upper.error, found.unvisited, 0.0, self.draw.seed, float(self.match.game.stakes.big_blind or np.nan),
            strategy=HoldemStrategy(self.match.game, self.match.seat, self._response.strategy(self.draw, every), facts),
        )  # fmt: skip

    @cached_property
    def _digest(self) -> str:
        """A few letters that the opponent before the flop and on the first flop tells from others: a file may change."""
        game, model = self.match.game.game, self.match.model
        board = game.boards.child(game.boards.root, self.draw.numbers[0])
        tables = [model.play.preflop[model.player], *model.play.on(model.player, board)]
        return hashlib.sha256(b"".join(np.ascontiguousarray(table).tobytes() for table in tables)).hexdigest()[:16]

    @cached_property
    def _response(self) -> ResponseOnFlops:
        match = self.match
        return ResponseOnFlops(match.game.game, match.seat, match.model.play, self.asked, self._shared)


def _number(key: str) -> int:
    """The flop of a key."""
    return int(key.removeprefix("flop "))


def _value_name(look: LookAhead) -> str:
    return look.value_name if isinstance(look.leaf, Portfolio) else Equity.HEAD


def _rebuilt(game: str, model: str, player: int, seed: int | None, method: str, draw: FlopDraw) -> FlopsWork:
    """The work in another process."""
    rules: Holdem = read_holdem(game)
    match = HoldemMatchup(rules, seat_strategy(rules, model, player, seed or 0), seed=seed)
    return FlopsWork(match, method_of(method), draw)
