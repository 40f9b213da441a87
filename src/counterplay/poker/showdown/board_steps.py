"""The steps in which showdowns walk through the hands of a board, by compiled loops."""

from __future__ import annotations

from typing import Any

import numpy as np

from counterplay.arrays import I32, I64
from counterplay.jit import kernel

_EACH = 14
"""Steps of a hand at most: two of its set of ties; for each of its cards two, and a group of four."""


def steps_of(hands: I64, rank: I64, cards: int) -> tuple[int, int, I32, I32]:
    """Slots, groups, pairs and steps of a `RankedBoard`, unchecked.

    Args:
        hands: (n, 2) different hands of different cards, in ascending order of rank.
        rank: (n,) equal for ties.
        cards: one more than the largest card.
    """
    pairs, steps = np.empty((len(hands), 2), np.int32), np.empty(_EACH * len(hands), np.int32)
    room = np.empty((2, cards), np.int64)
    slots, groups, end = _fill_steps(hands, rank, room[0], room[1], pairs, steps)
    return slots, groups, pairs, steps[:end].copy()


@kernel
def _fill_steps(hands: Any, rank: Any, number: Any, counts: Any, pairs: Any, steps: Any) -> tuple[int, int, int]:
    """Fill pairs and steps. number: (cards,) for the slot of each card; counts: (cards,) for the hands of a set of ties that
    hold the card of a slot, later for where these are written. Returns slots, groups, and the end of the steps."""
    for card in range(len(number)):
        number[card] = counts[card] = 0
    for i in range(len(hands)):
        number[hands[i, 0]] = number[hands[i, 1]] = 1
    slots = groups = end = begin = 0
    for card in range(len(number)):
        number[card], slots = slots, slots + number[card]
    for i in range(len(hands)):
        pairs[i, 0], pairs[i, 1] = number[hands[i, 0]], number[hands[i, 1]]
    while begin < len(hands):
        after = begin + 1
        while after < len(hands) and rank[after] == rank[begin]:
            after += 1
        end = _fill_ties(begin, after, slots, counts, pairs, steps, end)
        groups, begin = groups + 1, after
    return slots, groups, end


@kernel(inner=True)
def _fill_ties(begin: int, after: int, slots: int, counts: Any, pairs: Any, steps: Any, end: int) -> Any:
    """The steps of the set of ties of some hands, from `end` on; their end."""
    head, cards = end, 0
    end += 2
    if after - begin > 1:
        for i in range(begin, after):
            counts[pairs[i, 0]] += 1
            counts[pairs[i, 1]] += 1
        for slot in range(slots):
            if counts[slot] > 0:
                fours = (counts[slot] + 3) // 4
                steps[end], steps[end + 1], counts[slot] = slot, fours, end + 2
                for k in range(end + 2, end + 2 + 4 * fours):
                    steps[k] = len(pairs)  # a row of zeros
                cards, end = cards + 1, end + 2 + 4 * fours
        for i in range(begin, after):
            for side in range(2):
                steps[counts[pairs[i, side]]] = i
                counts[pairs[i, side]] += 1
        for i in range(begin, after):
            counts[pairs[i, 0]] = counts[pairs[i, 1]] = 0
    steps[head], steps[head + 1] = after - begin, cards
    return end
