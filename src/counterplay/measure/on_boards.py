"""Numbers on boards of a whole game of hold'em: a draw of boards, or all; what each of them adds, as work with a key for a
few boards; the mean over the draw with its interval; and one record of results.

Here are the value of two strategies against each other, and the exact measure of a blueprint. `flop_responses` has responses
on flops, `flop_measure` strategies beside a blueprint, `resolved_boards` boards that are solved again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from pickle import PicklingError
from typing import Any, ClassVar

import numpy as np

from counterplay.arrays import F64
from counterplay.display import brief, labelled
from counterplay.errors import InputError
from counterplay.jit.clock import run_time
from counterplay.opponents.opponent import seat_strategy
from counterplay.poker.betting.stakes import Stakes
from counterplay.poker.whole_game.blueprints.blueprint_file import load
from counterplay.poker.whole_game.boards.board import RunOutDraws, SeenBoards, even_out
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.rules import Holdem, as_whole_game, read_holdem
from counterplay.poker.whole_game.strategy import BlueprintStrategy, BucketedStrategy, HoldemStrategy, digest_of
from counterplay.poker.whole_game.values.board_walk import BoardWalk
from counterplay.poker.whole_game.values.measure import BlueprintMeasure, best_response_from, value, value_from
from counterplay.poker.whole_game.walks.response_on_flops import Interval, interval_of
from counterplay.result import ResultRecord
from counterplay.texts.arguments import FUNCTION, SEED, WHOLE, instance, or_none, takes
from counterplay.work.run_work import Executor, FunctionWork, PieceFunction, Watch, complete_work, run_work
from counterplay.work.work_record import WorkRecord

_MOST = 10_000_000
_TOGETHER = 10
"""Boards of a piece: a fraction of a second with few bet sizes."""
_FLOPS_TOGETHER = {1: 64, 2: 8, 3: 1}
"""Flops of a piece, by the number of streets after the first: a flop with all turns and rivers takes seconds."""
_VALUE, _BEST = "value", ("best response 0", "best response 1")


class BoardRecord(ResultRecord):
    """Base of results on drawn boards: frozen dataclasses with the fields `means` and `big_blind`.

    Attributes:
        means: chips a hand by name, None where not known; each is an attribute of the record, too, and half of its 95 %
            interval is `..._error`.
        big_blind: in chips.
        CHIPS: fields in chips without an interval.
        HIDDEN: fields that are no facts, such as strategies.
        IF_KNOWN: facts that are left out where they are None or NaN, with their errors.
        IN_HUNDREDS: whether facts have big blinds a hundred hands, too.
    """

    LACKS = {"strategies": "`respond` and `resolve` give them", "exploitability": "no bound was measured"}  # noqa: RUF012
    CHIPS: ClassVar[tuple[str, ...]] = ()
    HIDDEN: ClassVar[tuple[str, ...]] = ()
    IF_KNOWN: ClassVar[tuple[str, ...]] = ()
    IN_HUNDREDS: ClassVar[bool] = True
    means: Mapping[str, Interval | None]
    big_blind: float

    def __getattr__(self, name: str) -> Any:
        means, measure = vars(self).get("means", {}), name.removesuffix("_error")
        if measure not in means:
            return super().__getattr__(name)  # type: ignore[misc]  # hidden from type checkers
        mean = means[measure]
        return None if mean is None else mean.value if measure == name else mean.error

    @property
    def facts(self) -> dict[str, Any]:
        """Everything as plain numbers and texts; chips in milli-big-blinds and big blinds a hundred hands, too."""
        chips = [name for mean in self.means for name in (mean, f"{mean}_error")]
        facts = {name: fact for name, fact in vars(self).items() if name != "means" and name not in self.HIDDEN}
        facts |= {name: getattr(self, name) for name in chips}
        unknown = {name for name in self.IF_KNOWN if facts[name] is None or facts[name] != facts[name]}
        facts = {name: fact for name, fact in facts.items() if name.removesuffix("_error") not in unknown}
        rates = {name: facts[name] for name in (*self.CHIPS, *chips) if name in facts}
        facts |= {f"{name}_mbb": 1000.0 * rate / self.big_blind for name, rate in rates.items()}
        return facts | Stakes(None, self.big_blind).facts(rates) if self.IN_HUNDREDS else facts


def big_blind_of(game: Holdem) -> float:
    """In chips; NaN where the game has none."""
    return float(game.stakes.big_blind or np.nan)


def text_of(strategy: HoldemStrategy, name: str = "a strategy") -> str:
    """The text by which another process makes a strategy; without one a `PicklingError` names it."""
    text = strategy.facts.get("text")
    if text is None:
        raise PicklingError(f"{name} has no text by which another process could make it")
    return str(text)


@dataclass(frozen=True, repr=False)
class BoardValue(BoardRecord):
    """Value of a strategy in its seat. means: `value`, what it wins there; `both_seats`, the mean over both seats, each
    played by the same two: 0 on every board against itself. boards, seed: how many were drawn, and the seed of the
    draws. interrupted: by Ctrl-C; the rest is of the boards so far."""

    game: str
    seat: int
    boards: int
    means: Mapping[str, Interval | None]
    seconds: float
    seed: int
    big_blind: float
    interrupted: bool = False

    def __repr__(self) -> str:
        return brief(self, self.game, f"seat {self.seat}", labelled("value", self.value), f"{self.boards} boards")


@takes(
    strategy=instance("a strategy of a whole game", HoldemStrategy),
    against=instance("a strategy of a whole game", HoldemStrategy), boards=WHOLE, seed=SEED, watch=or_none(FUNCTION),
)  # fmt: skip
def evaluate_on_boards(
    game: Holdem,
    strategy: HoldemStrategy,
    against: HoldemStrategy,
    boards: int,
    *,
    seed: int = 0,
    record: WorkRecord | None = None,
    executor: Executor | None = None,
    watch: Watch | None = None,
) -> BoardValue:
    """Values over drawn boards, both strategies carried as ranges: exact over hands and actions. Ctrl-C keeps the boards
    so far.

    Args:
        game: a whole game of hold'em.
        strategy, against: of two seats; each must say how it plays in both.
        boards: number of drawn boards.
        seed: of the draws; equal seeds draw equal boards for every pair.
        record: of boards that are there already, with the identity of `board_work`.
        executor: where boards are computed.
        watch: called when a few boards begin.

    Raises:
        InputError: another game, strategies of one seat, or fewer than two boards.
        KeyboardInterrupt: Ctrl-C before two boards were there.
    """
    work, begin, seat = board_work(game, strategy, against, boards, seed), run_time(), strategy.player
    done = run_work(work, record=record, executor=executor, watch=watch)
    won = np.concatenate([np.zeros((0, 2)), *done.results.values()])
    if len(won) < 2:
        raise KeyboardInterrupt
    means = {"value": interval_of(won[:, seat]), "both_seats": interval_of(won.mean(axis=1))}
    seconds, blind = run_time() - begin, big_blind_of(game)
    return BoardValue(game.name, seat, len(won), means, seconds, seed, blind, done.interrupted)


def board_work(
    game: Holdem, strategy: HoldemStrategy, against: HoldemStrategy, boards: int, seed: int = 0
) -> FunctionWork:
    """Drawn boards as work: (boards, 2) what a strategy wins on those of a piece, as player 0 and as player 1. A later
    run goes on with more of them. Arguments and errors as of `evaluate_on_boards`."""
    as_whole_game(game, "boards are drawn")
    both = strategy, against
    if strategy.rules is not game or against.rules is not game or strategy.player == against.player:
        raise InputError(f"two strategies of {game.name} are needed, one of each seat")
    if not 2 <= boards <= _MOST:
        raise InputError(f"boards: a number from 2 to {_MOST:,}, not {boards}")
    digests = cache(partial(_digests, game, both))

    def identity() -> Mapping[str, Any]:
        texts = [str(one.facts.get("text")) for one in both]
        return {"game": game.name, "strategies": texts, "digests": digests(), "seed": seed}

    def remake() -> tuple[Any, ...]:
        return _value_there, (game.name, [text_of(one) for one in both], strategy.player, seed, digests())

    keys = [f"boards {k + 1} to {min(k + _TOGETHER, boards)}" for k in range(0, boards, _TOGETHER)]
    return FunctionWork(_value_on(game.game, strategy.play, against.play, seed), keys, identity, remake=remake)


def _value_on(game: HoldemGame, one: BlueprintStrategy, two: BlueprintStrategy, seed: int) -> PieceFunction:
    draws = RunOutDraws(game.boards, game.last, seed)

    def won(key: str) -> F64:
        first, last = (int(word) for word in key.removeprefix("boards ").split(" to "))
        return values_on_boards(game, one, two, (draws[number - 1] for number in range(first, last + 1)))

    return won


def _value_there(name: str, texts: Sequence[str], seat: int, seed: int, digests: list[str]) -> PieceFunction:
    """The function of another process; refused where the texts make other strategies there, as when a file has
    changed."""
    game = read_holdem(name)
    one, two = (seat_strategy(game, text, player, seed) for text, player in zip(texts, (seat, 1 - seat), strict=True))
    if _digests(game, (one, two)) != digests:
        raise InputError(f"{' and '.join(texts)} are not the same in another process: a file or code has changed, or a "
                         f"random strategy was made with another seed than {seed}")  # fmt: skip
    return _value_on(game.game, one.play, two.play, seed)


def _digests(game: Holdem, both: Iterable[HoldemStrategy]) -> list[str]:
    return [digest_of(game.game, seat, one.play) for one in both for seat in (0, 1)]


def values_on_boards(
    game: HoldemGame, one: BlueprintStrategy, two: BlueprintStrategy, draws: Iterable[SeenBoards]
) -> F64:
    """(draws, 2) chips a hand that `one` wins from `two` on the boards of each draw, as player 0 and as player 1; both
    are carried as ranges. A strategy wins nothing from itself: there the two cancel out on every draw."""
    return np.array([(value(game, one, two, seen), -value(game, two, one, seen)) for seen in draws])


def blueprint_work(game: HoldemGame, play: BucketedStrategy, source: Path | None = None) -> FunctionWork:
    """All flops as work on the measure of a blueprint: (entries, classes) what those of a piece are worth where they
    are dealt, to player 0 by the blueprint or to a best responder. Other processes read the blueprint from its
    source."""

    def facts() -> Mapping[str, Any]:
        digest = hashlib.sha256()
        for table in (*play.preflop, *(rows for street in play.tables for side in street for rows in side)):
            digest.update(np.ascontiguousarray(table).tobytes())
        return {"blueprint": digest.hexdigest()[:16], "flops": len(game.boards.choices(game.boards.root)[1])}

    def remake() -> tuple[Any, ...]:
        if source is None:
            raise PicklingError("the blueprint is in no file")
        return _flop_sums_of, (source,)

    return FunctionWork(_flop_sums(game, play), list(_flop_pieces(game)), facts, remake=remake)


def measure_blueprint(
    game: HoldemGame,
    play: BucketedStrategy,
    source: Path | None = None,
    *,
    record: WorkRecord | None = None,
    executor: Executor | None = None,
    watch: Watch | None = None,
) -> BlueprintMeasure:
    """Value and both best responses, exact over all boards; after Ctrl-C the record has the flops so far."""
    begin, pieces, root = run_time(), _flop_pieces(game), game.boards.root
    results = complete_work(blueprint_work(game, play, source), record=record, executor=executor, watch=watch)

    def below(part: str) -> F64:
        return even_out(root, np.sum([results[key] for key, (name, _) in pieces.items() if name == part], axis=0))

    one, two = (best_response_from(game, play, player, below(part)) for player, part in enumerate(_BEST))
    return BlueprintMeasure(value_from(game, play, play, below(_VALUE)), (one, two), game.milli, run_time() - begin)


def _flop_pieces(game: HoldemGame) -> dict[str, tuple[str, range]]:
    """By key: a part of the measure, and the numbers of flops."""
    flops, step = len(game.boards.choices(game.boards.root)[1]), _FLOPS_TOGETHER.get(game.last, 1)
    runs = [range(first, min(first + step, flops)) for first in range(0, flops, step)]
    return {f"{part}, flops {run[0] + 1} to {run[-1] + 1}": (part, run) for part in (*_BEST, _VALUE) for run in runs}


def _flop_sums(game: HoldemGame, play: BlueprintStrategy) -> PieceFunction:
    pieces = _flop_pieces(game)

    @cache
    def walk(part: str) -> BoardWalk:
        return BoardWalk(game, 0, play, play) if part == _VALUE else BoardWalk(game, _BEST.index(part), play)

    def sums(key: str) -> F64:
        part, flops = pieces[key]
        return walk(part).sum_over(flops)

    return sums


def _flop_sums_of(source: Path) -> PieceFunction:
    game, made = load(source)
    return _flop_sums(game, made.play)
