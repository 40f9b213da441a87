"""Values of methods against a model in a whole game of hold'em, on drawn flops or all: of one method, or of several on
the same flops, and by how much they differ."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from counterplay.display import brief, labelled
from counterplay.jit.clock import run_time
from counterplay.measure.flop_measure import FlopMeasure
from counterplay.measure.on_boards import BoardRecord, big_blind_of, text_of
from counterplay.opponents.opponent import seat_strategy
from counterplay.poker.whole_game.boards.board import GameBoards
from counterplay.poker.whole_game.rules import Holdem, read_holdem
from counterplay.poker.whole_game.strategy import HoldemStrategy
from counterplay.poker.whole_game.values.board_walk import SharedBest
from counterplay.poker.whole_game.walks.make_rule import BEST
from counterplay.poker.whole_game.walks.response_on_flops import (
    ALL,
    FlopDraw,
    FlopRows,
    FlopValues,
    Interval,
    ResponseOnFlops,
    draw_flops,
    flops_in_order,
    longest_draw,
)
from counterplay.responses.method import Method
from counterplay.responses.methods import method_of
from counterplay.responses.whole_game import HoldemMatchup, rule_settings, why_blueprint
from counterplay.texts.arguments import FUNCTION, MANY_OR_ALL, SEED, instance, or_none, takes
from counterplay.value_functions.leaf_value import Equity
from counterplay.value_functions.portfolio import Portfolio
from counterplay.work.run_work import Executor, FunctionWork, PieceFunction, Watch, run_work
from counterplay.work.work_record import WorkRecord

FLOPS = 150
NOTE = "Values are inside the betting tree; 'error' is half of a 95 % interval."


@dataclass(frozen=True)
class FlopAnswer(BoardRecord):
    """Value of a method against a model, in chips of the responder.

    Attributes:
        game, seat, method: as of `Answer`.
        depth, leaf: of a look-ahead: streets, and the values behind them; else None.
        flops, seed: how many were drawn, of all flops how many there are; and the seed of the draws.
        means: `lower` and `upper`, estimates of what is won (see `ResponseOnFlops`), equal over all flops, and for methods
            that choose nothing by the flops drawn. By Student's t: `blueprint_value` and `edge`, what a blueprint wins on
            the same flops, and what the response, cross-fitted, wins beyond it; `edge_against_blueprint`, where the model
            is of hands, the edge against a player who plays as the blueprint.
        unvisited: the part of `upper` from rows that the model never visited in training; None where that is not known.
        interrupted: by Ctrl-C; the rest is of the draws so far, also where all flops were asked for.
        why_blueprint: why the answer is the blueprint; None where it is the response.
        blueprint: its strategy.
        strategy: the response, which can be played, measured and saved; after the flop it is computed for the board at hand,
            when it is asked for.
    """

    CHIPS: ClassVar[tuple[str, ...]] = ("unvisited",)
    HIDDEN: ClassVar[tuple[str, ...]] = ("strategy", "blueprint")
    IF_KNOWN: ClassVar[tuple[str, ...]] = ("unvisited", "edge_against_blueprint", "why_blueprint")

    game: str
    seat: int
    method: str
    depth: int | None
    leaf: str | None
    flops: int
    means: Mapping[str, Interval | None]
    unvisited: float | None
    seconds: float
    seed: int | None
    big_blind: float
    note: str = NOTE
    interrupted: bool = False
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


@dataclass(frozen=True)
class FlopDifference(BoardRecord):
    """By how much one method wins more than another, paired flop by flop. means: `lower` and `upper` (see
    `FlopAnswer`)."""

    HIDDEN: ClassVar[tuple[str, ...]] = ("big_blind",)
    IN_HUNDREDS: ClassVar[bool] = False

    method: str
    other: str
    means: Mapping[str, Interval | None]
    big_blind: float


@dataclass(frozen=True)
class FlopComparison:
    """answers: of each method. differences: of the first method and each other."""

    answers: tuple[FlopAnswer, ...]
    differences: tuple[FlopDifference, ...]


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
    counts from a blueprint of the game in its buckets, of 4,000 iterations (from another one: `FlopMethods`).

    Args:
        game: a whole game of hold'em.
        model: the opponent's strategy, from `opponent`; the responder has the other seat.
        method: br, cdbr, lbr, or abd at p = 1. A look-ahead sees `depth` streets, its own counted; behind them stands for
            cdbr `equity`, or the values of a blueprint, `portfolio:hunl.cpb`, and for abd the best of several strategies.
        flops: how many are drawn, or "all", of which Ctrl-C leaves those that so many draws had come to.
        seed: of the draws; of all flops it orders them, and nothing in the answer depends on it.
        record: of flops that are there already.
        executor: where flops are computed.
        watch: called when a flop begins.

    Raises:
        InputError: another method, or a number of flops that cannot be.
        KeyboardInterrupt: Ctrl-C before two draws were there; the record has the flops so far.
    """
    match, draw = HoldemMatchup(game, model, seed=seed), draw_flops(game.game.boards, flops, seed)
    methods = FlopMethods(match, [method_of(method)], draw)
    return methods.compare(record=record, executor=executor, watch=watch).answers[0]


class FlopMethods:
    """Methods of br, cdbr, lbr and abd against one model on the same flops; edges count from the blueprint of the
    match-up."""

    def __init__(self, match: HoldemMatchup, methods: Sequence[Method], draw: FlopDraw) -> None:
        self.match, self.methods, self.draw = match, methods, draw
        self._settings = [rule_settings(match, method) for method in methods]

    def identity(self) -> Mapping[str, Any]:
        """Game, model, methods and flops, for a record."""
        game, model, draw = self.match.game.game, self.match.model, self.draw
        board = game.boards.child(game.boards.root, draw.numbers[0])
        tables = [model.play.preflop[model.player], *model.play.on(model.player, board)]
        digest = hashlib.sha256(b"".join(np.ascontiguousarray(table).tobytes() for table in tables)).hexdigest()[:16]
        known = {"strategy": digest, "numbers": list(draw.numbers), "times": list(draw.times)}
        each = [
            {**self.match.identity(), "seat": self.match.seat, "method": str(method), **known}
            for method in self.methods
        ]
        return each[0] if len(each) == 1 else {"methods": each}

    @cached_property
    def work(self) -> FunctionWork:
        """Flops as work, in the order of the draws, of all flops too, so that those of a part are drawn as all are."""
        wanted = set(self.draw.numbers)
        keys = [f"flop {number}" for number in flops_in_order(*self._draws) if number in wanted]
        match, model = self.match, self.match.model

        def remake() -> tuple[Any, ...]:
            texts = match.game.name, text_of(model, "the opponent"), [str(method) for method in self.methods]
            return _function_there, (*texts, model.player, match.seed)

        return FunctionWork(self._on, keys, self.identity, remake=remake)

    def compare(
        self, *, record: WorkRecord | None = None, executor: Executor | None = None, watch: Watch | None = None
    ) -> FlopComparison:
        """The answers, and their differences; arguments and errors as of `respond_on_flops`."""
        match, base, begin = self.match, self.match.base, run_time()
        done, draw = run_work(self.work, record=record, executor=executor, watch=watch), self.draw
        seen = {_number(key) for key in done.results}
        if not seen.issuperset(draw.numbers):  # after Ctrl-C the most draws, two at least, of which every flop is there
            boards, most, seed, skipped = self._draws
            there = longest_draw(boards, seen, most, seed, skipped)
            if there is None:
                raise KeyboardInterrupt
            draw = there
        measure = FlopMeasure(match.game, match.model, draw)
        before, against_blueprint, big_blind = measure.won(base), measure.of_blueprint(base), big_blind_of(match.game)
        answers, each = list[FlopAnswer](), list[FlopValues]()
        for k, (method, response) in enumerate(zip(self.methods, self._responses, strict=True)):
            name = self._name(k, "")  # with which those of the method's arrays begin
            rows: FlopRows = {
                _number(key): {part.removeprefix(name): row[part] for part in row if part.startswith(name)}
                for key, row in done.results.items()
            }
            values, found = response.values(draw, rows), response.finish(draw, rows)
            facts = {"method": f"{method} by {draw.draws} flops"}
            strategy = HoldemStrategy(match.game, match.seat, response.strategy(draw, rows), facts)
            edge, known = draw.student_interval(values.lower - before), None
            if against_blueprint is not None:
                known = draw.student_interval(against_blueprint.won(strategy.play) - against_blueprint.won(base))
            look = method.look
            leaf = None if look is None else look.leaf.name if isinstance(look.leaf, Portfolio) else Equity.HEAD
            each.append(values)
            answers.append(FlopAnswer(
                game=match.game.name, seat=match.seat, method=method.HEAD,
                depth=self._settings[k].depth if look else None, leaf=leaf,
                flops=draw.draws, unvisited=found.unvisited, seconds=run_time() - begin, seed=draw.seed,
                big_blind=big_blind, interrupted=draw is not self.draw,
                why_blueprint=why_blueprint(edge, Interval(0.0, 0.0), None, known),
                blueprint=HoldemStrategy(match.game, match.seat, base, {"method": "blueprint"}), strategy=strategy,
                means={
                    "lower": found.lower, "upper": found.upper, "blueprint_value": draw.student_interval(before),
                    "edge": edge, "edge_against_blueprint": known,
                },
            ))  # fmt: skip
        differences = list[FlopDifference]()
        for method, other in zip(self.methods[1:], each[1:], strict=True):
            less = {part: draw.interval(getattr(each[0], part) - getattr(other, part)) for part in ("lower", "upper")}
            differences.append(FlopDifference(str(self.methods[0]), str(method), less, big_blind))
        return FlopComparison(tuple(answers), tuple(differences))

    @property
    def _draws(self) -> tuple[GameBoards, int | str, int, int]:
        """What `flops_in_order` takes: of all flops, by the seed of the match."""
        boards, draw = self.match.game.game.boards, self.draw
        if draw.seed is None:
            return boards, ALL, self.match.seed or 0, 0
        return boards, draw.skipped + draw.draws, draw.seed, draw.skipped

    @cached_property
    def _responses(self) -> list[ResponseOnFlops]:
        game, shared = self.match.game.game, SharedBest() if len(self.methods) > 1 else None
        player, theirs = self.match.seat, self.match.model.play
        return [ResponseOnFlops(game, player, theirs, settings, shared) for settings in self._settings]

    def _on(self, key: str) -> dict[str, Any]:
        """The arrays of a flop; where there are several methods each array's name begins with the method's number."""
        each = [response.on(_number(key)) for response in self._responses]
        return {self._name(k, part): array for k, found in enumerate(each) for part, array in found.items()}

    def _name(self, k: int, part: str) -> str:
        return part if len(self.methods) == 1 else f"{k} {part}"


def _number(key: str) -> int:
    """The flop of a key."""
    return int(key.removeprefix("flop "))


def _function_there(game: str, model: str, methods: Sequence[str], player: int, seed: int | None) -> PieceFunction:
    """The function of another process."""
    rules: Holdem = read_holdem(game)
    match = HoldemMatchup(rules, seat_strategy(rules, model, player, seed or 0), seed=seed)
    return FlopMethods(match, [method_of(method) for method in methods], draw_flops(rules.game.boards, 2))._on
