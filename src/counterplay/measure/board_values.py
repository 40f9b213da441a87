"""Value of one strategy against another in a whole game of hold'em, on drawn boards, as work a few boards at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pickle import PicklingError
from typing import Any

import numpy as np

from counterplay.arrays import F64
from counterplay.display import brief, labelled
from counterplay.errors import InputError
from counterplay.jit.clock import run_time
from counterplay.opponents.opponent import seat_strategy
from counterplay.poker.betting.stakes import Stakes
from counterplay.poker.whole_game.boards.seen_boards import RunOutDraws
from counterplay.poker.whole_game.game_text import read_holdem
from counterplay.poker.whole_game.lookup import HoldemStrategy
from counterplay.poker.whole_game.rules import Holdem, as_whole_game
from counterplay.poker.whole_game.strategy import digest_of
from counterplay.poker.whole_game.walks.values_on_boards import mean_value, values_on_boards
from counterplay.texts.arguments import FUNCTION, SEED, WHOLE, instance, or_none, takes
from counterplay.work.executor import Executor
from counterplay.work.run_work import Watch, run_work
from counterplay.work.work_record import WorkRecord

_MOST = 10_000_000
_TOGETHER = 10
"""Boards of a piece: a fraction of a second with few bet sizes."""


@dataclass(frozen=True)
class BoardValue:
    """Value of a strategy, in chips a hand.

    Attributes:
        game, seat: the game's name, and the strategy's seat.
        boards: how many were drawn.
        value: what it wins in that seat.
        both_seats: the mean over both seats, each played by the same two; 0 on every board against itself.
        value_error, both_seats_error: half of their 95 % intervals.
        seconds: that it took.
        seed: of the draws.
        big_blind: in chips.
        interrupted: by Ctrl-C; the rest is of the boards so far.
    """

    game: str
    seat: int
    boards: int
    value: float
    value_error: float
    both_seats: float
    both_seats_error: float
    seconds: float
    seed: int
    big_blind: float
    interrupted: bool = False

    def __repr__(self) -> str:
        return brief(self, self.game, f"seat {self.seat}", labelled("value", self.value), f"{self.boards} boards")

    def facts(self) -> dict[str, Any]:
        """Everything as plain numbers and texts; chips in milli-big-blinds and big blinds a hundred hands, too."""
        told = asdict(self)
        chips = {name: told[name] for name in ("value", "value_error", "both_seats", "both_seats_error")}
        in_milli = {f"{name}_mbb": 1000.0 * number / self.big_blind for name, number in chips.items()}
        return {**told, **in_milli, **Stakes(None, self.big_blind).facts(chips)}


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
        boards: how many.
        seed: of the draws; equal seeds draw equal boards for every pair.
        record: of boards that are there already, made with `BoardsWork.identity`.
        executor: where boards are computed.
        watch: hears when a few boards begin.

    Raises:
        InputError: another game, strategies of one seat, or fewer than two boards.
        KeyboardInterrupt: Ctrl-C before two boards were there.
    """
    return BoardsWork(game, strategy, against, boards, seed).run(record=record, executor=executor, watch=watch)


class BoardsWork:
    """Two strategies against each other on drawn boards, as work.

    Args:
        game, strategy, against, boards, seed: as of `evaluate_on_boards`.

    Raises:
        InputError: as there.
    """

    def __init__(
        self, game: Holdem, strategy: HoldemStrategy, against: HoldemStrategy, boards: int, seed: int = 0
    ) -> None:
        as_whole_game(game, "boards are drawn")
        if strategy.rules is not game or against.rules is not game or strategy.player == against.player:
            raise InputError(f"two strategies of {game.name} are needed, one of each seat")
        if not 2 <= boards <= _MOST:
            raise InputError(f"boards: a number from 2 to {_MOST:,}, not {boards}")
        self.game, self.strategy, self.against, self.boards, self.seed = game, strategy, against, boards, seed
        self._draws = RunOutDraws(game.game.boards, game.game.last, seed)

    def __reduce__(self) -> tuple[Any, ...]:
        texts = [one.facts.get("text") for one in (self.strategy, self.against)]
        if None in texts:
            raise PicklingError("a strategy has no text by which another process could make it")
        return _rebuilt, (self.game.name, texts, self.strategy.player, self.boards, self.seed, self._digests)

    def identity(self) -> Mapping[str, Any]:
        """Game, strategies and seed; not the number of boards, so that a later run goes on with more of them."""
        texts = [str(one.facts.get("text")) for one in (self.strategy, self.against)]
        return {"game": self.game.name, "strategies": texts, "digests": self._digests, "seed": self.seed}

    def keys(self) -> Sequence[str]:
        firsts = range(0, self.boards, _TOGETHER)
        return [f"boards {first + 1} to {min(first + _TOGETHER, self.boards)}" for first in firsts]

    def compute(self, key: str) -> F64:
        """(boards, 2) what the strategy wins on each, as player 0 and as player 1."""
        first, last = (int(word) for word in key.removeprefix("boards ").split(" to "))
        draws = [self._draws[number - 1] for number in range(first, last + 1)]
        return values_on_boards(self.game.game, self.strategy.play, self.against.play, draws)

    def run(
        self, *, record: WorkRecord | None = None, executor: Executor | None = None, watch: Watch | None = None
    ) -> BoardValue:
        """Compute the value; arguments and errors as of `evaluate_on_boards`."""
        begin = run_time()
        done = run_work(self, record=record, executor=executor, watch=watch)
        found, seat = np.concatenate([np.zeros((0, 2)), *done.results.values()]), self.strategy.player
        if len(found) < 2:
            raise KeyboardInterrupt
        one, both = mean_value(found[:, seat]), mean_value(found)
        return BoardValue(
            self.game.name, seat, len(found), one.value, one.error, both.value, both.error, run_time() - begin, self.seed,
            float(self.game.stakes.big_blind or np.nan), done.interrupted,
        )  # fmt: skip

    @cached_property
    def _digests(self) -> list[str]:
        """Of both strategies in both seats: a file may change."""
        return [digest_of(self.game.game, seat, one.play) for one in (self.strategy, self.against) for seat in (0, 1)]


def _rebuilt(name: str, texts: Sequence[str], seat: int, boards: int, seed: int, digests: list[str]) -> BoardsWork:
    """The work in another process.

    Raises:
        InputError: the texts make other strategies there.
    """
    game = read_holdem(name)
    one, two = (seat_strategy(game, text, player, seed) for text, player in zip(texts, (seat, 1 - seat), strict=True))
    work = BoardsWork(game, one, two, boards, seed)
    if work._digests != digests:
        raise InputError(f"{' and '.join(texts)} are not the same in another process: a file or code has changed, or a "
                         f"random strategy was made with another seed than {seed}")  # fmt: skip
    return work
