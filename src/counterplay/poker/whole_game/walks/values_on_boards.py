"""Values of two strategies against each other on drawn boards: exact over hands and actions."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from counterplay.arrays import F64
from counterplay.poker.whole_game.boards.seen_boards import SeenBoards
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.poker.whole_game.values.measure import value
from counterplay.poker.whole_game.walks.flop_draw import Interval, interval_of


def values_on_boards(
    game: HoldemGame, one: BlueprintStrategy, two: BlueprintStrategy, draws: Iterable[SeenBoards]
) -> F64:
    """(draws, 2) chips a hand that `one` wins from `two` on the boards of each draw, as player 0 and as player 1; both are
    carried as ranges. A strategy wins nothing from itself: there the two cancel out on every draw.
    """
    return np.array([(value(game, one, two, seen), -value(game, two, one, seen)) for seen in draws])


def mean_value(values: F64) -> Interval:
    """The mean of values (boards,) or (boards, seats), and its 95 % interval."""
    each = values if values.ndim == 1 else values.mean(axis=1)
    return interval_of(each, np.ones(len(each)))
