"""What strategies of a responder win from a model, and lose to a best responder, on the same drawn flops: exact on each of
them, over all turns, rivers and hands, as work flop by flop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pickle import PicklingError
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from counterplay.card_abstraction.make_buckets import make_buckets, read_abstraction
from counterplay.card_abstraction.tables.street_tables import StreetTables
from counterplay.display import brief
from counterplay.opponents.whole_game import seat_strategy
from counterplay.poker.whole_game.game_text import read_holdem
from counterplay.poker.whole_game.holdem import Floats
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategies.seat_strategy import HoldemStrategy
from counterplay.poker.whole_game.strategies.strategy_digest import digest_of
from counterplay.poker.whole_game.strategies.strategy_mixture import StrategyMixture
from counterplay.poker.whole_game.strategy import BlueprintStrategy, BucketedStrategy, reaches
from counterplay.poker.whole_game.values.board_walk import BoardWalk
from counterplay.poker.whole_game.walks.flop_draw import FlopDraw, Interval, draw_flops
from counterplay.poker.whole_game.walks.preflop_backup import PreflopBackup, folded_values
from counterplay.poker.whole_game.walks.response_on_flops import VALUES, FlopValues, ResponseOnFlops
from counterplay.responses.whole_game import lanes_of
from counterplay.work.executor import Executor
from counterplay.work.run_work import Watch, complete_work
from counterplay.work.work_record import WorkRecord

WON, LOST = "won", "lost"


class FlopRisk(NamedTuple):
    """Gain and risk of a strategy beside a blueprint, on the same flops, in chips a hand.

    Attributes:
        gain: what it wins from the model beyond what the blueprint is sure of.
        exploitability: what a best responder wins from it beyond what one wins from the blueprint; both decide before the
            flop by these flops.
        fitted: the same with decisions before the flop that are made on other flops than those on which they are measured.
    """

    gain: Interval
    exploitability: Interval
    fitted: Interval


@dataclass(eq=False)
class FlopMeasure:
    """Measures strategies by flops.

    Attributes:
        game: a whole game of hold'em.
        model: the opponent's strategy, from `opponent`; the responder has the other seat.
        draw: the flops.
        record: of what is there already.
        executor: where flops are computed.
        watch: hears when a flop begins.
    """

    game: Holdem
    model: HoldemStrategy
    draw: FlopDraw
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
        return self.draw.interval(self.won(play)).value

    def guarantee(self, play: BlueprintStrategy) -> float:
        """See `MatchValues`."""
        return -self.lost(play).interval().value

    def won(self, play: BlueprintStrategy) -> Floats:
        """(flops,) what a strategy wins from the model."""
        found: Floats = self._measured(play, WON)
        return found

    def lost(self, play: BlueprintStrategy) -> FlopValues:
        """What a best responder wins from a strategy."""
        found: FlopValues = self._measured(play, LOST)
        return found

    def risk(self, play: BlueprintStrategy, blueprint: BlueprintStrategy) -> FlopRisk:
        """A strategy beside a blueprint, flop by flop."""
        mine, base, interval = self.lost(play), self.lost(blueprint), self.draw.interval
        won = interval(self.won(play) + base.upper)
        return FlopRisk(won, interval(mine.upper - base.upper), interval(mine.lower - base.lower))

    def _measured(self, play: BlueprintStrategy, kind: str) -> Any:
        work = FlopStrategy(self.game, self.model, play, kind, self.draw)
        if work.digest not in self._known:
            done = complete_work(work, record=self.record, executor=self.executor, watch=self.watch)
            self._known[work.digest] = work.finish(done)
        return self._known[work.digest]


@dataclass(frozen=True, eq=False)
class FlopStrategy:
    """One strategy on all flops of a draw, as work.

    Attributes:
        game, model, draw: as of `FlopMeasure`.
        play: the responder's.
        kind: what is measured: what is won from the model, or lost to a best responder.
    """

    game: Holdem
    model: HoldemStrategy
    play: BlueprintStrategy
    kind: str
    draw: FlopDraw

    def __reduce__(self) -> tuple[Any, ...]:
        text = self.model.facts.get("text")
        if text is None:
            raise PicklingError("the opponent has no text by which another process could make it")
        return _rebuilt, (self.game.name, text, self.model.player, _packed(self.play), self.kind, self.draw)

    def identity(self) -> Mapping[str, Any]:
        draw = {"numbers": list(self.draw.numbers), "times": list(self.draw.times)}
        known = digest_of(self.game.game, self.model.player, self.model.play)
        return {"game": self.game.name, "model": str(self.model.facts.get("text")), "strategy": known, **draw}

    def keys(self) -> Sequence[str]:
        return [f"{self.digest} {number}" for number in self.draw.numbers]

    def compute(self, key: str) -> dict[str, NDArray[Any]]:
        """(entries, classes) what one flop adds, for each time that it is drawn."""
        flop = int(key.rsplit(" ", 1)[1])
        if self.kind == LOST:
            return dict(self._responder.on(flop))
        here = self.game.game
        walk = BoardWalk(here, self._seat, self.model.play, self.play)
        return {VALUES: walk.sum_over([flop]) / here.boards.child(here.boards.root, flop).count}

    def finish(self, results: Mapping[str, Mapping[str, NDArray[Any]]]) -> Floats | FlopValues:
        """What is won, (flops,), or lost, once all flops are there."""
        rows = {int(key.rsplit(" ", 1)[1]): found for key, found in results.items()}
        if self.kind == LOST:
            return self._responder.values(self.draw, {flop: {VALUES: found[VALUES]} for flop, found in rows.items()})
        here, seat = self.game.game, self._seat
        backup = PreflopBackup(here, seat, folded_values(here, seat, self.model.play))
        every = self.draw.whole * np.stack([rows[flop][VALUES] for flop in self.draw.numbers])
        return backup.values(reaches(here.sides[seat], self.play.preflop[seat]), every)

    @cached_property
    def digest(self) -> str:
        """The strategy, and what is measured of it, in a few letters."""
        return f"{self.kind} {digest_of(self.game.game, self._seat, self.play)}"

    @property
    def _seat(self) -> int:
        return 1 - self.model.player

    @cached_property
    def _responder(self) -> ResponseOnFlops:
        return ResponseOnFlops(self.game.game, self.model.player, self.play)


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


def _rebuilt(game: str, model: str, player: int, packed: Any, kind: str, draw: FlopDraw) -> FlopStrategy:
    """The same in another process."""
    rules: Holdem = read_holdem(game)
    return FlopStrategy(rules, seat_strategy(rules, model, player), _unpacked(rules, packed), kind, draw)
