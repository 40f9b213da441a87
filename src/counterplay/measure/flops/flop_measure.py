"""What strategies of a responder win from a model on drawn boards, and lose to a best responder on drawn flops, as work
piece by piece. A flop is exact, over all turns, rivers and hands; so is a board, over all hands. Values on many boards are
known better than on few flops for equal work; a best responder needs flops, to decide before them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import hypot, nan
from pickle import PicklingError
from typing import Any, NamedTuple, Self

import numpy as np

from counterplay.arrays import F64, AnyArray
from counterplay.card_abstraction.make_buckets import make_buckets, read_abstraction
from counterplay.card_abstraction.street_tables import StreetTables
from counterplay.display import brief
from counterplay.opponents.opponent import seat_strategy
from counterplay.poker.whole_game.boards.seen_boards import RunOutDraws
from counterplay.poker.whole_game.game_text import read_holdem
from counterplay.poker.whole_game.lookup import HoldemStrategy
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategies.continuation_mixture import StrategyMixture
from counterplay.poker.whole_game.strategy import BlueprintStrategy, BucketedStrategy, digest_of, reaches
from counterplay.poker.whole_game.values.board_walk import BoardWalk
from counterplay.poker.whole_game.values.measure import value
from counterplay.poker.whole_game.walks.flop_draw import FlopDraw, Interval, draw_flops, student_interval
from counterplay.poker.whole_game.walks.preflop_backup import PreflopBackup, folded_values
from counterplay.poker.whole_game.walks.response_on_flops import VALUES, FlopValues, ResponseOnFlops
from counterplay.responses.better_than_blueprint import is_of_hands
from counterplay.responses.whole_game import lanes_of
from counterplay.work.executor import Executor, InProcess
from counterplay.work.run_work import Watch, complete_work
from counterplay.work.work_record import WorkRecord

WON, LOST, MOST, ON_BOARDS = "won", "lost", "most", "on boards"
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
        fitted: the same with decisions before the flop that are made on other flops than those on which they are measured.
        edge_against_blueprint: where the model is of hands, the edge against a player who plays as the blueprint; else NaN.
        exploitability: at most: what best responders win from the strategy and from the blueprint in the other seat.
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
    """Measures strategies by flops.

    Attributes:
        game: a whole game of hold'em.
        model: the opponent's strategy, from `opponent`; the responder has the other seat.
        draw: the flops.
        boards: how many are drawn for values against the model; where the draw has all flops, these are seen instead.
        record: of what is there already.
        executor: where flops are computed.
        watch: hears when a flop begins.
    """

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
        """Game, the model's seat, and how many flops."""
        return brief(self, self.game.name, f"model in seat {self.model.player}", f"{self.draw.draws} flops")

    @classmethod
    def on_flops(cls, game: Holdem, model: HoldemStrategy, flops: int | str, seed: int = 0) -> Self:
        """A measure on so many drawn flops, or "all".

        Raises:
            InputError: a number of flops that cannot be.
        """
        return cls(game, model, draw_flops(game.game.boards, flops, seed))

    def identity(self) -> Mapping[str, Any]:
        """Game, model and flops, for a record."""
        return FlopStrategy(self.game, self.model, self.model.play, WON, self.draw).identity()

    def value(self, play: BlueprintStrategy) -> float:
        """See `MatchValues`."""
        return self._against_model(self.against_model(play)).value

    def guarantee(self, play: BlueprintStrategy) -> float:
        """See `MatchValues`."""
        return -self.lost(play).interval().value

    def against_model(self, play: BlueprintStrategy) -> F64:
        """(boards,) what a strategy wins from the model; (flops,) where all flops are seen."""
        found: F64 = self._measured(play, WON if self.draw.seed is None else ON_BOARDS)
        return found

    def won(self, play: BlueprintStrategy) -> F64:
        """(flops,) what a strategy wins from the model."""
        found: F64 = self._measured(play, WON)
        return found

    def lost(self, play: BlueprintStrategy) -> FlopValues:
        """Value of a best response to a strategy."""
        found: FlopValues = self._measured(play, LOST)
        return found

    def most(self, play: BlueprintStrategy) -> FlopValues:
        """Value of a best response, in the responder's seat, to a strategy of the other seat."""
        found: FlopValues = self._measured(play, MOST)
        return found

    def beside(self, play: BlueprintStrategy, blueprint: BlueprintStrategy) -> BesideBlueprint:
        """A strategy beside a blueprint, board by board and flop by flop."""
        mine, base, most = self.lost(play), self.lost(blueprint), self.most(blueprint)
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
        """Upper bound on what the best response in real cards to an opponent wins more from them than a strategy.

        Args:
            play: the strategy.
            met: the opponent: the model with probability p, else free.
            p: as there.
        """
        flops = self.draw.student_interval(self.most(met).upper + (1.0 - p) * self.lost(play).upper)
        won = self._against_model(self.against_model(play))
        return Interval(flops.value - p * won.value, hypot(flops.error, p * won.error))

    @property
    def in_processes(self) -> bool:
        """Return whether other processes compute, which must be able to make every strategy."""
        return self.executor is not None and not isinstance(self.executor, InProcess)

    def _against_model(self, values: F64) -> Interval:
        """The mean of what `against_model` gives."""
        if self.draw.seed is None:
            return self.draw.interval(values)
        return student_interval(values, np.ones(len(values)))

    def _measured(self, play: BlueprintStrategy, kind: str) -> Any:
        work = FlopStrategy(self.game, self.model, play, kind, self.draw, self.boards)
        if work.digest not in self._known:
            done = complete_work(work, record=self.record, executor=self.executor, watch=self.watch)
            self._known[work.digest] = work.finish(done)
        return self._known[work.digest]


@dataclass(frozen=True, eq=False)
class FlopStrategy:
    """One strategy on all flops of a draw, as work.

    Attributes:
        game, model, draw: as of `FlopMeasure`.
        play: the responder's; of `MOST` the other seat's.
        kind: what is measured: what is won from the model on flops or boards, lost to a best responder, or won by one.
    """

    game: Holdem
    model: HoldemStrategy
    play: BlueprintStrategy
    kind: str
    draw: FlopDraw
    boards: int = BOARDS

    def __reduce__(self) -> tuple[Any, ...]:
        text = self.model.facts.get("text")
        if text is None:
            raise PicklingError("the opponent has no text by which another process could make it")
        return _rebuilt, (
            self.game.name,
            text,
            self.model.player,
            _packed(self.play),
            self.kind,
            self.draw,
            self.boards,
        )

    def identity(self) -> Mapping[str, Any]:
        draw = {"numbers": list(self.draw.numbers), "times": list(self.draw.times)}
        known = digest_of(self.game.game, self.model.player, self.model.play)
        return {"game": self.game.name, "model": str(self.model.facts.get("text")), "strategy": known, **draw}

    def keys(self) -> Sequence[str]:
        if self.kind == ON_BOARDS:
            return [f"{self.digest} boards {first}" for first in range(0, self.boards, _TOGETHER)]
        return [f"{self.digest} {number}" for number in self.draw.numbers]

    def compute(self, key: str) -> dict[str, AnyArray]:
        """(entries, classes) what one flop adds, for each time that it is drawn; (boards,) chips on a few boards."""
        here, flop = self.game.game, int(key.rsplit(" ", 1)[1])
        if self.kind == ON_BOARDS:
            draws = RunOutDraws(here.boards, here.last, self.draw.seed or 0)
            pair = (self.play, self.model.play) if self._seat == 0 else (self.model.play, self.play)
            some = range(flop, min(flop + _TOGETHER, self.boards))
            return {VALUES: (1 - 2 * self._seat) * np.array([value(here, *pair, draws[k]) for k in some])}
        if self.kind != WON:
            return dict(self._responder.on(flop))
        walk = BoardWalk(here, self._seat, self.model.play, self.play)
        return {VALUES: walk.sum_over([flop]) / here.boards.child(here.boards.root, flop).count}

    def finish(self, results: Mapping[str, Mapping[str, AnyArray]]) -> F64 | FlopValues:
        """Values won, (flops,) or (boards,), or lost; complete once all parts are there."""
        if self.kind == ON_BOARDS:
            return np.concatenate([results[key][VALUES] for key in self.keys()])
        rows = {int(key.rsplit(" ", 1)[1]): found for key, found in results.items()}
        if self.kind != WON:
            return self._responder.values(self.draw, {flop: {VALUES: found[VALUES]} for flop, found in rows.items()})
        here, seat = self.game.game, self._seat
        backup = PreflopBackup(here, seat, folded_values(here, seat, self.model.play))
        every = self.draw.whole * np.stack([rows[flop][VALUES] for flop in self.draw.numbers])
        return backup.values(reaches(here.sides[seat], self.play.preflop[seat]), every)

    @cached_property
    def digest(self) -> str:
        """The strategy, and what is measured of it, in a few letters."""
        return f"{self.kind} {digest_of(self.game.game, 1 - self._best, self.play)}"

    @property
    def _seat(self) -> int:
        return 1 - self.model.player

    @property
    def _best(self) -> int:
        """The seat of the best responder."""
        return self._seat if self.kind == MOST else 1 - self._seat

    @cached_property
    def _responder(self) -> ResponseOnFlops:
        return ResponseOnFlops(self.game.game, self._best, self.play)


def _packed(play: BlueprintStrategy) -> Any:
    """A strategy by buckets, or a mixture of such, as plain data; of buckets that have tables the name is enough."""
    if isinstance(play, BucketedStrategy):
        lanes = play.buckets
        return lanes.name if isinstance(lanes, StreetTables) else lanes, play.preflop, play.tables
    if isinstance(play, StrategyMixture):
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
    return StrategyMixture(game.game, preflop, (one, two), shares)


def _rebuilt(game: str, model: str, player: int, packed: Any, kind: str, draw: FlopDraw, boards: int) -> FlopStrategy:
    """The same in another process."""
    rules: Holdem = read_holdem(game)
    return FlopStrategy(rules, seat_strategy(rules, model, player), _unpacked(rules, packed), kind, draw, boards)
