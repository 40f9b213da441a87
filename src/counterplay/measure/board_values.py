"""Value of one strategy against another in a whole game of hold'em, on drawn boards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from counterplay.display import brief, labelled
from counterplay.errors import InputError
from counterplay.jit.clock import run_time
from counterplay.poker.betting.stakes import Stakes
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategies.seat_strategy import HoldemStrategy
from counterplay.poker.whole_game.walks.values_on_boards import mean_value, values_on_boards


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

    def __repr__(self) -> str:
        return brief(self, self.game, f"seat {self.seat}", labelled("value", self.value), f"{self.boards} boards")

    def facts(self) -> dict[str, Any]:
        """Everything as plain numbers and texts; chips in milli-big-blinds and big blinds a hundred hands, too."""
        told = asdict(self)
        chips = {name: told[name] for name in ("value", "value_error", "both_seats", "both_seats_error")}
        in_milli = {f"{name}_mbb": 1000.0 * number / self.big_blind for name, number in chips.items()}
        return {**told, **in_milli, **Stakes(None, self.big_blind).facts(chips)}


def evaluate_on_boards(
    game: Holdem,
    strategy: HoldemStrategy,
    against: HoldemStrategy,
    boards: int,
    *,
    seed: int = 0,
    watch: Callable[[int], None] | None = None,
) -> BoardValue:
    """Values over drawn boards, both strategies carried as ranges: exact over hands and actions.

    Args:
        strategy, against: of two seats; each must say how it plays in both.
        boards: how many.
        seed: of the draws; equal seeds draw equal boards for every pair.
        watch: gets the number of boards that are done.

    Raises:
        InputError: another game, strategies of one seat, or fewer than two boards.
    """
    if not isinstance(game, Holdem):
        raise InputError("boards are drawn in whole games of hold'em")
    if strategy.rules is not game or against.rules is not game or strategy.player == against.player:
        raise InputError(f"two strategies of {game.name} are needed, one of each seat")
    begin, seat = run_time(), strategy.player
    found = values_on_boards(game.game, strategy.play, against.play, boards, seed=seed, watch=watch)
    one, both = mean_value(found[:, seat]), mean_value(found)
    big_blind = float(game.stakes.big_blind or np.nan)
    spent = run_time() - begin
    return BoardValue(game.name, seat, boards, one.value, one.error, both.value, both.error, spent, seed, big_blind)
