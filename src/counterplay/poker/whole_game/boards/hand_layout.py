"""The layout of a board for the showdown kernel, computed by a kernel, since there are thousands of boards."""

from __future__ import annotations

from typing import Any

import numpy as np

from counterplay.arrays import I32, I64
from counterplay.jit import kernel
from counterplay.poker.cards.deck import CARDS, unique_below
from counterplay.poker.showdown.terminals import RankedBoard

_MOST = 14
"""The most steps per hand: each of its cards may be alone among tied hands, which takes two numbers and four hands, and a
set of tied hands has two numbers of its own."""


def layout(cards: I64, rank: I32) -> RankedBoard:
    """The layout of `terminals.board_of` for hands (n, 2) in the order of their ranks (n,), unchecked and much faster."""
    used, numbers = unique_below(CARDS, cards)
    pairs = numbers.reshape(-1, 2).astype(np.int32)
    starts = np.concatenate(([0], np.flatnonzero(rank[1:] != rank[:-1]) + 1, [len(rank)]))
    steps = np.empty(_MOST * len(pairs), np.int32)
    size = _steps(pairs, starts, len(used), steps, np.empty(len(used), np.int64))
    return RankedBoard(len(pairs), len(used), len(starts) - 1, pairs, steps[:size].copy())


@kernel
def _steps(pairs: Any, starts: Any, slots: int, steps: Any, held: Any) -> int:
    """Fill the steps of a `RankedBoard`; returns their number."""
    at = 0
    for g in range(len(starts) - 1):
        begin, end = starts[g], starts[g + 1]
        steps[at] = end - begin
        steps[at + 1] = 0
        head = at + 1
        at += 2
        if end == begin + 1:
            continue
        held[:] = 0
        for hand in range(begin, end):
            held[pairs[hand, 0]] += 1
            held[pairs[hand, 1]] += 1
        for card in range(slots):
            if held[card]:
                steps[head] += 1
                at = _holders(pairs, begin, end, card, steps, at)
    return at


@kernel(inline=True)
def _holders(pairs: Any, begin: int, end: int, card: int, steps: Any, at: int) -> int:
    """Write the steps of one card of tied hands; returns the place after them."""
    head, count = at, 0
    at += 2
    for hand in range(begin, end):
        if pairs[hand, 0] == card or pairs[hand, 1] == card:
            steps[at + count] = hand
            count += 1
    while count % 4:
        steps[at + count] = len(pairs)
        count += 1
    steps[head] = card
    steps[head + 1] = count // 4
    return at + count
