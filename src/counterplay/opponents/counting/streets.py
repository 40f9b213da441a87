"""Streets of games in memory, and what observed hands say street by street.

A street ends where chance moves after a player: cards that are dealt before the first decision belong to the first. The
probability of a hand is a product over streets: of the decisions up to a street, given those before it. Each factor is a
ratio of two sums that are linear in the plan, as the probability of the whole hand is (`observations`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from counterplay.arrays import I64
from counterplay.games.game import CHANCE
from counterplay.opponents.counting.observations import Observations


def street_of_sequences(game: Any, seat: int) -> I64:
    """(size,) the street, from 0, of the infoset of each of a seat's sequences; -1 for the empty sequence and padding.

    Args:
        game: compiled, with its histories.
        seat: 0 or 1.
    """
    table, last, street = game.histories, game.sequences[seat], _street_of_histories(game.histories)
    above = np.maximum(table.parent, 0)
    chosen = np.flatnonzero(last != last[above])  # a forced action is no sequence of its own
    found = np.full(game.trees[seat].size, -1, np.int64)
    found[last[chosen]] = street[above[chosen]]
    return found


def _street_of_histories(table: Any) -> I64:
    """(H,) the number of times that chance moved after a player on the way to each history."""
    above = np.maximum(table.parent, 0)
    begins = (table.player[above] == CHANCE) & (table.player[above[above]] != CHANCE) & (above > 0)
    total: I64 = begins.astype(np.int64)
    up = above
    while (up > 0).any():  # each pass doubles the part of the way to the root that is added up
        total, up = total + total[up], up[up]
    return total


def up_to_street(data: Observations, streets: I64, last: int) -> Observations:
    """The same hands, only as far as a street. streets: (size,) from `street_of_sequences`."""
    sequence = data.sequence.copy()
    while len(later := np.flatnonzero(streets[sequence] > last)):
        sequence[later] = data.tree.predecessor[sequence[later]]
    return Observations(data.tree, data.row, sequence, data.weight, data.hands)
