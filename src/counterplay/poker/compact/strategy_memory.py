"""Whole-tree memory of one way in which a player plays, and the locks that bind it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import I64, AnyArray, Flags
from counterplay.poker.compact.kernels.sweep_records import Memory
from counterplay.poker.compact.layout.compact_layout import CompactLayout
from counterplay.poker.compact.layout.segments import SegmentDecision
from counterplay.poker.public_tree.size_estimate import DOUBLE, HALF, SINGLE
from counterplay.treeplex.sweeps import zeros_of

KINDS: dict[str, tuple[Any, Any]] = {
    DOUBLE: (np.float64, np.float64), SINGLE: (np.float32, np.float32), HALF: (np.int16, np.uint16)
}  # fmt: skip
"""By precision, the dtypes of regrets and of averages."""


class WeightedMemory(NamedTuple):
    """A way in which a player plays, with the probability with which it is chosen before the game.

    outside: what hands play that are not in the player's range, which are not stored: for a betting node and (n,) lanes of
    its layer, (actions, n) probabilities; None for uniform play.
    """

    weight: float
    memory: Memory
    outside: Callable[[int, I64], AnyArray] | None = None


@dataclass(frozen=True, eq=False)
class RowLocks:
    """What must be played at some decisions of a player, hand by hand: `free` times what is chosen, plus `must` by
    action.

    Attributes:
        at: (decisions on all boards,) where the rows of each begin, -1 if nothing is locked; (1,) without any lock.
        rows: for a decision on a board `free`, then `must` of each action, by padded lane.
    """

    layout: CompactLayout
    player: int
    at: I64
    rows: AnyArray

    @staticmethod
    def none(layout: CompactLayout, player: int, precision: str) -> RowLocks:
        kind = np.float64 if precision == DOUBLE else np.float32
        return RowLocks(layout, player, np.full(1, -1, np.int64), np.zeros(0, kind))

    @staticmethod
    def of_memory(layout: CompactLayout, player: int, memory: Memory) -> RowLocks:
        return RowLocks(layout, player, memory.locks, memory.rows)

    def __bool__(self) -> bool:
        return len(self.rows) > 0

    def with_room(self, asked: Iterable[tuple[SegmentDecision, I64]]) -> RowLocks:
        """The same locks with room, at which everything is left free, at some decisions, each on the boards of (n,) lanes
        of its layer."""
        at = self.at.copy() if self else np.full(self.layout.scales[self.player], -1, np.int64)
        end, new = len(self.rows), list[tuple[I64, I64]]()
        for decision, lanes in asked:
            boards = np.unique(np.searchsorted(self.layout.boards.first(decision.layer), lanes, "right") - 1)
            padded = self.layout.own[self.player].layers[decision.layer].padded
            width = padded[boards + 1] - padded[boards]
            blocks = self.layout.blocks(decision, boards)
            fresh = at[blocks] < 0
            sizes = (1 + decision.actions) * width[fresh]
            at[blocks[fresh]] = begins = end + np.cumsum(sizes) - sizes
            new.append((begins, width[fresh]))
            end += int(sizes.sum())
        rows = zeros_of((end,), self.rows.dtype)
        rows[: len(self.rows)] = self.rows
        for begins, widths in new:
            for begin, wide in zip(begins.tolist(), widths.tolist(), strict=True):
                rows[begin : begin + wide] = 1.0
        return replace(self, at=at, rows=rows)

    def write(self, decision: SegmentDecision, lanes: I64, free: AnyArray, must: AnyArray) -> None:
        """Write (n,) numbers `free` and (actions, n) `must` at these (n,) lanes of the decision's layer, into locks that
        were just made `with_room` for them; those that the player does not hold are left out."""
        held, here, step = self._places(decision, lanes)
        self.rows[here] = free[held]
        for a in range(decision.actions):
            self.rows[here + (1 + a) * step] = must[a][held]

    def of(self, decision: SegmentDecision, lanes: I64) -> tuple[AnyArray, AnyArray] | None:
        """(n,) `free` and (actions, n) `must` at (n,) lanes of a decision's layer; None if none of them is locked."""
        if not self:
            return None
        held, here, step = self._places(decision, lanes)
        locked = here >= 0
        if not locked.any():
            return None
        held[held] = locked
        here, step = here[locked], step[locked]
        free, must = np.ones(len(lanes)), np.zeros((decision.actions, len(lanes)))
        free[held] = self.rows[here]
        for a in range(decision.actions):
            must[a, held] = self.rows[here + (1 + a) * step]
        return free, must

    def _places(self, decision: SegmentDecision, lanes: I64) -> tuple[Flags, I64, I64]:
        """Of (n,) lanes of a decision's layer: which are held, and of these (k,) where their `free` is, below 0 without a
        lock, and the distance of the rows."""
        own = self.layout.own[self.player]
        mine = own.to(decision.layer, lanes)
        held, padded = mine >= 0, own.layers[decision.layer].padded
        board, place = own.on_board(decision.layer, mine[held])
        begin = self.at[self.layout.blocks(decision, board)]
        return held, np.where(begin >= 0, begin + place, -1), padded[board + 1] - padded[board]

    def bind(self, memory: Memory) -> Memory:
        return memory._replace(locks=self.at, rows=self.rows, bound=int(bool(self)))


def new_memory(layout: CompactLayout, player: int, precision: str, *, regrets: bool = True) -> Memory:
    """A way of a player, before the first iteration: nothing is stored, nothing is locked."""
    size, blocks = layout.stored[player], layout.scales[player] if precision == HALF else 0
    kinds = [np.dtype(kind) for kind in KINDS[precision]]
    regret, total = zeros_of((size if regrets else 0,), kinds[0]), zeros_of((size,), kinds[1])
    scales = np.zeros(blocks if regrets else 0, np.float32), np.zeros(blocks, np.float32)
    locks = RowLocks.none(layout, player, precision)
    return Memory(regret, total, *scales, locks.at, locks.rows, 0, int(not regrets))


def without_regrets(memory: Memory) -> Memory:
    """The averages alone, which are played."""
    none, scale = np.zeros(0, memory.regret.dtype), np.zeros(0, np.float32)
    return memory._replace(regret=none, regret_scale=scale, fixed=1)
