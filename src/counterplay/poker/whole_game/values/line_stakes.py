"""What a player earns on the last street of a whole game right after each of their sequences."""

from __future__ import annotations

from typing import NamedTuple

from counterplay.arrays import AnyArray
from counterplay.poker.whole_game.holdem import HoldemGame


class LineStakes(NamedTuple):
    """What a player earns right after their sequences: rows of the opponent's sequence, the player's, and chips.

    Attributes:
        shown: (showdowns, 3) half of the pot.
        folded: (folds, 3) what the player gets.
    """

    shown: AnyArray
    folded: AnyArray


def paid_stakes(game: HoldemGame, player: int) -> LineStakes:
    """The showdowns and folds of the last street."""
    rows = game.payoffs[game.last - 1][player]
    shown = rows[:, 2] != rows[:, 3]
    assert (rows[shown, 2] == -rows[shown, 3]).all(), "who wins gets what who loses pays"
    assert not rows[shown, 4].any(), "pots are split evenly"
    return LineStakes(rows[shown, :3], rows[~shown, :3])
