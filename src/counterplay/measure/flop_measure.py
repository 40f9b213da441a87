"""Edge against risk in a whole game of hold'em, beside a blueprint of the game, as work piece by piece: what strategies of a
responder win from a model on drawn boards, and lose to a best responder on drawn flops, all on the same ones.

A flop is exact, over all turns, rivers and hands; so is a board, over all hands. Values on many boards are known better than
on few flops for equal work; a best responder needs flops, to decide before them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from math import hypot, nan
from pickle import PicklingError
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from counterplay.arrays import F64, AnyArray
from counterplay.card_abstraction.make_buckets import make_buckets, read_abstraction
from counterplay.card_abstraction.make_tables import StreetTables
from counterplay.display import brief, labelled
from counterplay.errors import InputError
from counterplay.measure.frontier import FrontierWork, methods_of
from counterplay.measure.frontier_point import Axes, Points
from counterplay.measure.on_boards import BoardRecord, big_blind_of, text_of
from counterplay.opponents.opponent import seat_strategy
from counterplay.poker.whole_game.boards.board import RunOutDraws
from counterplay.poker.whole_game.rules import Holdem, read_holdem
from counterplay.poker.whole_game.strategies.look_ahead_strategy import LookAheadStrategy, blend
from counterplay.poker.whole_game.strategy import (
    BlueprintStrategy,
    BucketedStrategy,
    HoldemStrategy,
    digest_of,
    reaches,
)
from counterplay.poker.whole_game.values.board_walk import BoardWalk
from counterplay.poker.whole_game.values.measure import PreflopBackup, preflop_values_against, value
from counterplay.poker.whole_game.walks.response_on_flops import (
    ALL,
    VALUES,
    FlopDraw,
    FlopValues,
    Interval,
    ResponseOnFlops,
    draw_flops,
    interval_of,
)
from counterplay.responses.method import Method
from counterplay.responses.respond import Answer
from counterplay.responses.whole_game import HoldemMatchup, has_gap, is_of_hands, lanes_of, trust_of, why_blueprint
from counterplay.solvers.cfr import Stop
from counterplay.texts.arguments import FUNCTION, SEED, SEVERAL, WHOLE, instance, or_none, takes
from counterplay.work.run_work import Executor, FunctionWork, InProcess, PieceFunction, Watch, complete_work
from counterplay.work.work_record import WorkRecord

WON, LOST, MOST, ON_BOARDS = "won", "lost", "most", "on boards"
"""What is measured of a strategy: won from the model on flops, lost to a best responder, lost to one by a strategy of the
other seat, won from the model on boards."""
BOARDS = 200
"""Boards on which values against the model are measured, unless all flops are seen."""
_TOGETHER = 20
"""Boards of a piece of work."""


class BesideBlueprint(NamedTuple):
    """A strategy beside a blueprint, on the same boards and flops, in chips a hand, with 95 % intervals by Student's t.

    Attributes:
        value, blueprint_value: what both win from the model.
        edge: the difference.
        risk: what a best responder wins from the strategy beyond what one wins from the blueprint; both decide before the
            flop by these flops.
        fitted: the risk with decisions before the flop that are made on other flops than those on which it is measured.
        exploitability: at most: what best responders win from the strategy and from the blueprint in the other seat.
        edge_against_blueprint: where the model is of hands, the edge against a player who plays as the blueprint; else NaN.
    """

    value: Interval
    blueprint_value: Interval
    edge: Interval
    risk: Interval
    fitted: Interval
    exploitability: Interval
    edge_against_blueprint: Interval


@dataclass(eq=False)
class FlopMeasure:
    """Measures strategies by flops. model: the opponent's strategy, from `opponent`; the responder has the other seat.
    boards: how many are drawn for values against the model; where the draw has all flops, these are seen instead.
    record, executor, watch: as of `run_work`."""

    game: Holdem
    model: HoldemStrategy
    draw: FlopDraw
    boards: int = BOARDS
    record: WorkRecord | None = None
    executor: Executor | None = None
    watch: Watch | None = None

    def __post_init__(self) -> None:
        self._known: dict[str, Any] = {}

    def __repr__(self) -> str:
        return brief(self, self.game.name, f"model in seat {self.model.player}", f"{self.draw.draws} flops")

    @classmethod
    def on_flops(cls, game: Holdem, model: HoldemStrategy, flops: int | str, seed: int = 0) -> Self:
        """A measure on so many drawn flops, or "all"."""
        return cls(game, model, draw_flops(game.game.boards, flops, seed))

    def identity(self) -> Mapping[str, Any]:
        """Game, model and flops, for a record."""
        draw = {"numbers": list(self.draw.numbers), "times": list(self.draw.times)}
        known = digest_of(self.game.game, self.model.player, self.model.play)
        return {"game": self.game.name, "model": str(self.model.facts.get("text")), "strategy": known, **draw}

    def value(self, play: BlueprintStrategy) -> float:
        """Chips a hand against the model."""
        return self._against_model(self.against_model(play)).value

    def guarantee(self, play: BlueprintStrategy) -> float:
        """Chips a hand against a best responder."""
        return -self.lost(play).interval().value

    def against_model(self, play: BlueprintStrategy) -> F64:
        """(boards,) what a strategy wins from the model; (flops,) where all flops are seen."""
        return np.asarray(self._measured(play, WON if self.draw.seed is None else ON_BOARDS), np.float64)

    def won(self, play: BlueprintStrategy) -> F64:
        """(flops,) what a strategy wins from the model."""
        return np.asarray(self._measured(play, WON), np.float64)

    def lost(self, play: BlueprintStrategy, kind: str = LOST) -> FlopValues:
        """Value of a best response to a strategy; of the kind `MOST` to a strategy of the other seat."""
        return self._measured(play, kind)  # type: ignore[no-any-return]

    def beside(self, play: BlueprintStrategy, blueprint: BlueprintStrategy) -> BesideBlueprint:
        """A strategy beside a blueprint, board by board and flop by flop."""
        mine, base, most = self.lost(play), self.lost(blueprint), self.lost(blueprint, MOST)
        won, before = self.against_model(play), self.against_model(blueprint)
        known, alike = Interval(nan, 0.0), self.of_blueprint(blueprint)
        if alike is not None:
            known = self._against_model(alike.against_model(play) - alike.against_model(blueprint))
        boards, flops = self._against_model, self.draw.student_interval
        return BesideBlueprint(
            boards(won), boards(before), boards(won - before), flops(mine.upper - base.upper),
            flops(mine.lower - base.lower), flops(mine.upper + most.upper), known,
        )  # fmt: skip

    def of_blueprint(self, blueprint: BlueprintStrategy) -> FlopMeasure | None:
        """The measure against a player who plays as a blueprint, where the model is of hands; else None."""
        if not is_of_hands(self.model.play):
            return None
        other = HoldemStrategy(self.game, self.model.player, blueprint, {"method": "blueprint"})
        return FlopMeasure(self.game, other, self.draw, self.boards)

    def gap(self, play: BlueprintStrategy, met: BlueprintStrategy, p: float) -> Interval:
        """Upper bound on what the best response in real cards to an opponent, the model with probability p and else
        free, wins more from them than a strategy."""
        flops = self.draw.student_interval(self.lost(met, MOST).upper + (1.0 - p) * self.lost(play).upper)
        won = self._against_model(self.against_model(play))
        return Interval(flops.value - p * won.value, hypot(flops.error, p * won.error))

    def _against_model(self, values: F64) -> Interval:
        """The mean of what `against_model` gives."""
        return self.draw.interval(values) if self.draw.seed is None else interval_of(values, student=True)

    def _measured(self, play: BlueprintStrategy, kind: str) -> Any:
        """Chips a hand: won, (flops,) or (boards,), or lost, `FlopValues`."""
        work, draw, game = self.work(play, kind), self.draw, self.game.game
        if (key := work.pieces[0]) in self._known:
            return self._known[key]
        results = complete_work(work, record=self.record, executor=self.executor, watch=self.watch)
        rows, seat = [row[VALUES] for row in results.values()], 1 - self.model.player
        measured: Any = None
        if kind == ON_BOARDS:
            measured = np.concatenate(rows)
        elif kind == WON:
            backup = PreflopBackup(game, seat, preflop_values_against(game, seat, self.model.play))
            measured = backup.values(reaches(game.sides[seat], play.preflop[seat]), draw.whole * np.stack(rows))
        else:
            best = ResponseOnFlops(game, seat if kind == MOST else 1 - seat, play)
            measured = best.values(draw, {flop: {VALUES: row} for flop, row in zip(draw.numbers, rows, strict=True)})
        self._known[key] = measured
        return measured

    def work(self, play: BlueprintStrategy, kind: str) -> FunctionWork:
        """The flops of the draw, or the boards, as work: of each (entries, classes) what it adds for each time that it
        is drawn, or (boards,) chips. The strategy is that of the responder, of `MOST` that of the other seat."""
        player = self.model.player if kind == MOST else 1 - self.model.player
        name = f"{kind} {digest_of(self.game.game, player, play)}"
        pieces = [f"{name} {number}" for number in self.draw.numbers]
        if kind == ON_BOARDS:
            pieces = [f"{name} boards {first}" for first in range(0, self.boards, _TOGETHER)]

        how = kind, self.draw.seed, self.boards
        row = cache(partial(_row_function, self.game, self.model, play, *how))  # a walk is made with the first flop

        def remake() -> tuple[Any, ...]:
            text = text_of(self.model, "the opponent")
            return _row_there, (self.game.name, text, self.model.player, _packed(play), *how)

        return FunctionWork(lambda key: row()(key), pieces, self.identity, remake=remake)


def _row_function(
    rules: Holdem, model: HoldemStrategy, play: BlueprintStrategy, kind: str, seed: int | None, boards: int
) -> PieceFunction:
    """From a key to the arrays of its flop or boards."""
    game, seat = rules.game, 1 - model.player

    def on_boards(key: str) -> dict[str, AnyArray]:
        draws, first = RunOutDraws(game.boards, game.last, seed or 0), int(key.rsplit(" ", 1)[1])
        pair, sign = ((play, model.play), 1) if seat == 0 else ((model.play, play), -1)
        some = range(first, min(first + _TOGETHER, boards))
        return {VALUES: sign * np.array([value(game, *pair, draws[k]) for k in some])}

    if kind == ON_BOARDS:
        return on_boards
    if kind != WON:
        best = ResponseOnFlops(game, seat if kind == MOST else 1 - seat, play)
        return lambda key: dict(best.on(int(key.rsplit(" ", 1)[1])))
    walk = BoardWalk(game, seat, model.play, play)

    def won(key: str) -> dict[str, AnyArray]:
        flop = int(key.rsplit(" ", 1)[1])
        return {VALUES: walk.sum_over([flop]) / game.boards.child(game.boards.root, flop).count}

    return won


def _packed(play: BlueprintStrategy) -> Any:
    """A strategy by buckets, or a mixture of such, as plain data; of buckets that have tables the name is enough."""
    if isinstance(play, BucketedStrategy):
        lanes = play.buckets
        return lanes.name if isinstance(lanes, StreetTables) else lanes, play.preflop, play.tables
    if isinstance(play, LookAheadStrategy) and not play.board.cards:
        return play.preflop, [[_packed(way) for way in ways] for ways in play.ways], play.shares, None
    raise PicklingError(f"another process cannot make a {type(play).__name__}")


def _unpacked(game: Holdem, packed: Any) -> BlueprintStrategy:
    if len(packed) == 3:
        lanes, *tables = packed
        if isinstance(lanes, str):
            own, boards = lanes_of(game), game.game.boards
            lanes = own if own.name == lanes else make_buckets(boards, read_abstraction(lanes, game.game.last))
        return BucketedStrategy(lanes, *tables)
    preflop, ways, shares, _ = packed
    one, two = ([_unpacked(game, way) for way in side] for side in ways)
    return LookAheadStrategy(game.game, game.game.boards.root, preflop, (one, two), shares)


def _row_there(
    game: str, model: str, player: int, packed: Any, kind: str, seed: int | None, boards: int
) -> PieceFunction:
    """The function of another process."""
    rules: Holdem = read_holdem(game)
    return _row_function(rules, seat_strategy(rules, model, player), _unpacked(rules, packed), kind, seed, boards)


NOTE = (
    "All is inside the betting tree, in 95 % intervals. Edge: what the response wins from the model beyond what the "
    "blueprint wins, on the same drawn boards. Risk: what a best responder wins from it beyond what one wins from the "
    "blueprint, on the same drawn flops; fitted: decided before the flop by other flops. The model is not the player: "
    "against a player whom it misses an edge may be a loss."
)

MEASURED = (*BesideBlueprint._fields, "gap")
"""Measures of a `FlopPoint`."""
METHODS = ("rnr", "dbr", "mix", "safe", "bne")
"""Methods whose responses are strategies that sampling finds."""


@dataclass(frozen=True, eq=False)
class FlopPoint(BoardRecord):
    """One response on drawn flops.

    Attributes:
        dial: p, or the allowed risk for `safe`; None for `bne`.
        means: `MEASURED`, those of `BesideBlueprint`, errors 0 where all flops are seen; and `gap`, an upper bound on
            the distance from the best response in real cards to the opponent whom `rnr` met, NaN of others.
        flops: how many were drawn.
        boards: how many were drawn for values against the model; those of all flops otherwise.
        iterations: of the sampled solve; None without one.
        cut: the limit that ended it, "seconds" or "Ctrl-C"; None if none did.
        why_blueprint: why the answer is the blueprint; None where it is the response.
        answer: the response, or the blueprint where that is the answer.
    """

    HIDDEN: ClassVar[tuple[str, ...]] = ("strategy", "answer", "big_blind")
    IF_KNOWN: ClassVar[tuple[str, ...]] = ("gap", "edge_against_blueprint")

    method: str
    dial: float | None
    means: Mapping[str, Interval | None]
    flops: int
    boards: int | str
    iterations: int | None
    cut: str | None
    why_blueprint: str | None
    seconds: float
    strategy: Any
    answer: Any
    big_blind: float

    @property
    def axes(self) -> Axes:
        """See `Point.axes`."""
        return ("edge", self.edge), ("risk", self.risk)

    def __repr__(self) -> str:
        found = (labelled(name, getattr(self, name)) for name in ("dial", "edge", "risk"))
        return brief(self, self.method, *found, f"{self.flops} flops")


@takes(
    measure=instance("a FlopMeasure", FlopMeasure), methods=SEVERAL, points=WHOLE, stop=or_none(instance("a Stop", Stop)),
    seed=SEED, done=or_none(FUNCTION),
)  # fmt: skip
def frontier_on_flops(
    measure: FlopMeasure,
    methods: Sequence[Method | str] = ("rnr",),
    *,
    points: int = 5,
    stop: Stop | None = None,
    seed: int = 0,
    blueprint: HoldemStrategy | BlueprintStrategy | None = None,
    done: Callable[[FlopPoint], None] | None = None,
    cut: bool = False,
) -> Points[FlopPoint]:
    """Responses of several methods over their dials; of one whose dial is set, one point.

    Each solve begins at the blueprint where that has the buckets of the game; otherwise each method begins with public
    chance sampling anew and goes on from one number of its dial to the next. Ctrl-C ends early with the points so far.

    Args:
        measure: game, model and flops.
        methods: rnr, dbr, mix, safe, bne: names, records or texts.
        points: of each dial.
        stop: iterations and seconds of each solve.
        seed: of the sampling.
        blueprint: from which edge and risk are counted; unless given, one of the game in its buckets, of 4,000
            iterations.
        done: called with every point.
        cut: whether a solve that Ctrl-C ends is a point, too, rather than none.

    Raises:
        InputError: another method, or fewer than two points.
    """
    base = blueprint.play if isinstance(blueprint, HoldemStrategy) else blueprint
    match = HoldemMatchup(measure.game, measure.model, stop=stop or Stop(), seed=seed, values=measure, blueprint=base)
    asked = methods_of(methods, {})
    if any(method.HEAD == "br" for method in asked.values()):
        raise InputError("on drawn flops the best response is a value, of respond --flops, and no point of a frontier")
    other = [method.HEAD for method in asked.values() if method.HEAD not in METHODS]
    if other:
        raise InputError(f"on drawn flops a frontier has {', '.join(METHODS)}, and not {other[0]}")
    work, found = FrontierWork(match, asked, points), Points[FlopPoint]()
    try:
        for name, method in asked.items():
            match.forget_solves()
            for index in range(1 if method.is_set else points):
                answer, dial = work.answer(name, index)
                if answer.interrupted and not cut:
                    raise KeyboardInterrupt
                found.append(_point(measure, match, method, (name, dial), answer))
                if done:
                    done(found[-1])
    except KeyboardInterrupt:
        if not found:
            raise
    return found


def _point(
    measure: FlopMeasure, match: HoldemMatchup, method: Method, at: tuple[str, float | None], answer: Answer
) -> FlopPoint:
    """A response beside the blueprint. at: the method's name, and its dial."""
    found: Any = answer.strategy
    play, base, trust = found.play, match.base, trust_of(method, answer.p)
    beside = measure.beside(play, base)
    why = why_blueprint(beside.edge, beside.risk, trust, beside.edge_against_blueprint)
    met, here = None, measure.executor is None or isinstance(measure.executor, InProcess)
    if has_gap(method, answer.p, measure.model.play) and here:  # other processes must be able to make every strategy
        met = blend(measure.game.game, measure.model.player, measure.model.play, play, answer.p or 0.0)
    gap = Interval(nan, 0.0) if met is None else measure.gap(play, met, answer.p or 0.0)
    blueprint: Any = HoldemStrategy(measure.game, match.seat, base, {"method": "blueprint"})
    return FlopPoint(
        *at, {**beside._asdict(), "gap": gap}, flops=measure.draw.draws,
        boards=ALL if measure.draw.seed is None else measure.boards, iterations=answer.iterations, cut=answer.cut,
        why_blueprint=why, seconds=answer.seconds, strategy=found, answer=found if why is None else blueprint,
        big_blind=big_blind_of(measure.game),
    )  # fmt: skip
