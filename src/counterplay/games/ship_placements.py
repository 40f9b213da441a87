"""Fleets of battleships: placements of rectangular ships on a board, as masks of two words of 60 cells each."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import I64
from counterplay.errors import InputError, quoted
from counterplay.jit import kernel
from counterplay.texts.readers import whole_of

WORD = 60
"""Cells in a word of a mask."""
MOST_CELLS = 2 * WORD
MOST_PLACES = 30_000
"""Placements of a whole fleet that may be one action each."""
MOST_SHIPS = 12
_1, _2, _4, _56 = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)
_PAIRS, _FOURS, _EIGHTS, _ONES = (np.uint64(0x0101010101010101 * one) for one in (0x55, 0x33, 0x0F, 0x01))


class Boxes(NamedTuple):
    """The possible placements by stage: whole fleets in one stage, or one ship per stage. low, high: (n,) masks of all
    placements, grouped by stage. begin: (stages + 1,) where each stage begins. sure: (stages + 1,) whether all ships
    from a stage on fit wherever the others are."""

    low: I64
    high: I64
    begin: I64
    sure: I64

    @property
    def stages(self) -> int:
        """The number of actions that place a fleet."""
        return len(self.begin) - 1


def boxes_of(rows: int, columns: int, fleet: str, placing: str) -> Boxes:
    """The placements of a fleet, as of `battleships.make`; an `InputError` if it is none, does not fit the board, or has too
    many placements for one action."""
    if placing not in ("auto", "fleet", "ships"):
        raise InputError(f"battleships: placing must be auto, fleet or ships, not {quoted(placing)}")
    ships = []
    for word in fleet.split("/"):
        height, width = (whole_of(size) or 0 for size in word.partition("x")[::2])
        if not (0 < height < WORD and 0 < width < WORD):
            raise InputError(f"battleships: a fleet must be ships such as 2x2/1x3, not {quoted(fleet)}")
        ships.append((height, width))
    if len(ships) > MOST_SHIPS:
        raise InputError(f"battleships: a fleet has at most {MOST_SHIPS} ships, not {len(ships)}")
    alone = [_alone(rows, columns, *ship) for ship in ships]
    possible = all(alone) and sum(height * width for height, width in ships) <= rows * columns
    together = _together(alone) if possible and placing != "ships" else None
    if possible and together is None:
        possible = bool(_fits(_stages(alone), 0, 0, 0))
    if not possible or together == []:
        raise InputError(f"battleships: the fleet '{fleet}' does not fit a board of {rows} by {columns}")
    if together is None and placing == "fleet":
        raise InputError(f"battleships: the fleet '{fleet}' has more than {MOST_PLACES:,} placements")
    return _stages(alone) if together is None else _stages([together])


def _alone(rows: int, columns: int, height: int, width: int) -> list[int]:
    """The masks of one ship in both orientations."""
    masks = {
        sum(1 << ((top + i) * columns + left + j) for i in range(h) for j in range(w))
        for h, w in {(height, width), (width, height)}
        for top in range(rows - h + 1)
        for left in range(columns - w + 1)
    }
    return sorted(masks, key=cells_of)


def _together(alone: list[list[int]]) -> list[int] | None:
    """The masks of all ships, ordered from the top left; None if there are too many. Ships of one size are
    interchangeable, and placements that cover the same cells are one."""
    masks = {0}
    for ship in alone:
        masks = {mask | other for mask in masks for other in ship if not mask & other}
        if len(masks) > MOST_PLACES:
            return None
    return sorted(masks, key=cells_of)


def _stages(stages: list[list[int]]) -> Boxes:
    flat = [mask for stage in stages for mask in stage]
    low = np.array([mask % (1 << WORD) for mask in flat], np.int64)
    high = np.array([mask >> WORD for mask in flat], np.int64)
    # Whether every ship surely fits: it has more placements than the cells of the others can block.
    cells = [stage[0].bit_count() for stage in stages]
    sure = np.ones(len(stages) + 1, np.int64)
    for k in range(len(stages) - 1, 0, -1):  # the first one is never asked for
        blocked = max(sum(mask >> cell & 1 for mask in stages[k]) for cell in range(MOST_CELLS))
        sure[k] = sure[k + 1] and len(stages[k]) > blocked * (sum(cells) - cells[k])
    return Boxes(low, high, np.cumsum([0, *map(len, stages)]), sure)


def cells_of(mask: int) -> list[int]:
    """The cells of a mask of one long word."""
    return [cell for cell in range(mask.bit_length()) if mask >> cell & 1]


@kernel
def _fits(boxes: Any, stage: int, low: int, high: int) -> bool:
    return bool(fits(boxes, stage, low, high))


@kernel(inner=True, allocates=True)
def fits(boxes: Any, stage: int, low: int, high: int) -> bool:
    """Return whether the ships from a stage on fit around what is placed, by backtracking."""
    stages = len(boxes.begin) - 1
    if stage >= stages:
        return True
    tried, lows, highs = np.zeros(stages, np.int64), np.zeros(stages, np.int64), np.zeros(stages, np.int64)
    # tried[s]: the next box of ship s; lows[s], highs[s]: the two words of what is occupied before it.
    at = stage
    tried[at], lows[at], highs[at] = boxes.begin[at], low, high
    while at >= stage:
        k = tried[at]
        while k < boxes.begin[at + 1] and (lows[at] & boxes.low[k]) | (highs[at] & boxes.high[k]):
            k += 1
        tried[at] = k + 1
        if k >= boxes.begin[at + 1]:
            at -= 1
        elif at + 1 == stages:
            return True
        else:
            lows[at + 1], highs[at + 1] = lows[at] | boxes.low[k], highs[at] | boxes.high[k]
            at += 1
            tried[at] = boxes.begin[at]
    return False


@kernel(inline=True)
def bits(word: Any) -> Any:
    """The number of set bits of a word, by pairwise sums."""
    x = np.uint64(word)
    x -= (x >> _1) & _PAIRS
    x = (x & _FOURS) + ((x >> _2) & _FOURS)
    x = (x + (x >> _4)) & _EIGHTS
    return np.int64((x * _ONES) >> _56)


@kernel(inline=True)
def place_of(word: Any, k: int) -> Any:
    """The position of the k-th set bit of a word, from 0."""
    for _ in range(k):
        word &= word - 1
    return bits((word & -word) - 1)
