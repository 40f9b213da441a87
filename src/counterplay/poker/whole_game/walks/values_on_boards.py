"""Values of two strategies against each other on drawn boards: exact over hands and actions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from counterplay.errors import InputError
from counterplay.poker.whole_game.boards.seen_boards import DrawnBoards
from counterplay.poker.whole_game.holdem import Floats, HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.poker.whole_game.values.measure import value
from counterplay.poker.whole_game.walks.flop_draw import Interval, interval_of

_MOST = 10_000_000


def values_on_boards(
    game: HoldemGame,
    one: BlueprintStrategy,
    two: BlueprintStrategy,
    boards: int,
    *,
    seed: int = 0,
    watch: Callable[[int], None] | None = None,
) -> Floats:
    """(boards, 2) chips a hand that `one` wins from `two` on each of so many drawn boards, as player 0 and as player 1; both
    are carried as ranges. A strategy wins nothing from itself: there the two cancel out on every board.

    Args:
        seed: of the draws, the same for every pair of strategies.
        watch: gets the number of boards that are done.

    Raises:
        InputError: fewer than two boards, or far too many.
    """
    if not 2 <= boards <= _MOST:
        raise InputError(f"boards: a number from 2 to {_MOST:,}, not {boards}")
    seen = DrawnBoards(game.boards, np.random.default_rng(seed), (1,) * game.last)
    found = np.zeros((boards, 2))
    for k in range(boards):
        seen.draw_anew()
        found[k] = value(game, one, two, seen), -value(game, two, one, seen)
        if watch:
            watch(k + 1)
    return found


def mean_value(values: Floats) -> Interval:
    """The mean of values (boards,) or (boards, seats), and its 95 % interval."""
    each = values if values.ndim == 1 else values.mean(axis=1)
    return interval_of(each, np.ones(len(each)))
