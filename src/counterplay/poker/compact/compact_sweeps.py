"""Sweeps of a compact tree from a node on: the working sets of the threads, and the branches in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from threading import Event
from time import sleep
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F64, I64, AnyArray
from counterplay.jit.threads import share, threads
from counterplay.poker.compact.kernels.compact_kernels import TrunkBranches, do_part
from counterplay.poker.compact.kernels.leaf_kernels import SegmentTerminals, segment_terminals
from counterplay.poker.compact.kernels.shared_turns import new_turns
from counterplay.poker.compact.kernels.sweep_records import (
    EACH,
    END,
    HELP,
    LEAD,
    STEP,
    VALUE,
    EnteredRows,
    Level,
    Memory,
    RegretStep,
    Sweep,
    WorkRoom,
)
from counterplay.poker.compact.layout.compact_layout import CHILD, CHILD_END, DEAL, CompactLayout
from counterplay.poker.compact.layout.segments import Pair, Segment, rows_of
from counterplay.poker.compact.strategy_memory import WeightedMemory
from counterplay.poker.showdown.terminals import scratch_of
from counterplay.treeplex.sweeps import zeros_of
from counterplay.treeplex.treeplex import LANES

Ways = tuple[WeightedMemory, ...]
"""One or two ways in which a player plays, decided before the game."""
ALL = -1
"""Stands, where a task names a deal, for all showdowns of the trunk with two cards to come, or for all that follows the
trunk on a last board."""
STILL = RegretStep(0.0, 0.0, 0.0, 0.0, 0.0)
"""For sweeps that update nothing."""


class TrunkEntry(NamedTuple):
    """How both players come to the trunk. rows: of both, the rows by which they enter. mine: (own lanes of the board,) the
    reach of the player whose CFVs go up. theirs: that of each way of the other one, by that one's lanes."""

    rows: Pair
    mine: AnyArray
    theirs: tuple[AnyArray, ...]


def dealt(layout: CompactLayout, player: int, theirs: Ways) -> TrunkEntry:
    """Both players dealt from their ranges, at the root."""
    return TrunkEntry((0, 0), layout.ranges[player], tuple(layout.ranges[1 - player] for _ in theirs))


class AskedValue(NamedTuple):
    """What a player is worth: arguments as of a sweep."""

    player: int
    what: int
    mine: Memory
    theirs: Ways


class Sweeps:
    """Sweeps that begin with one segment on one board, numbered among those of all layers."""

    def __init__(self, layout: CompactLayout, segment: int = 0, board: int = 0) -> None:
        self.layout, self._begin = layout, (segment, board)
        self._terminals: dict[Any, SegmentTerminals] = {}
        self._rooms: dict[Any, tuple[Level, list[WorkRoom]]] = {}
        self._sums: dict[Any, AnyArray] = {}

    def dealing(self, layout: CompactLayout) -> Sweeps:
        """Sweeps of the same tree where other boards are dealt, with the same terminals."""
        found = Sweeps(layout)
        found._terminals = self._terminals
        return found

    @property
    def trunk(self) -> Segment:
        """The segment with which sweeps begin."""
        return self.layout.segments[self._begin[0]]

    def __call__(
        self, player: int, what: int, mine: Memory, theirs: Ways, reaches: TrunkEntry, seen: tuple[int, int] = (0, 0)
    ) -> tuple[Level, F64]:
        """One sweep in float64 of the kind VALUE, BEST or RESPOND, in which CFVs of `player` go up against the one or two
        ways of the other player: the working set of the trunk at its end, and (n,) the CFVs kept. seen: the first of the
        player's stored rows whose CFVs are kept, by VALUE and BEST, and one past the last."""
        kept = zeros_of((max(seen[1] - seen[0], LANES),), np.dtype(np.float64))[: seen[1] - seen[0]]
        sweep = self.sweep(player, what, mine, theirs, reaches, np.float64)._replace(seen=kept, seen_from=seen[0])
        return self.run((sweep, sweep), [STILL], np.float64), kept

    def sweep(self, player: int, what: int, mine: Memory, theirs: Ways, reaches: TrunkEntry, dtype: Any) -> Sweep:
        """A sweep that keeps no CFVs; arguments as of one."""
        strides = [self.layout.stride(self.trunk.layer, side) for side in (player, 1 - player)]
        entries = [reaches.mine, *(way.weight * reach for way, reach in zip(theirs, reaches.theirs, strict=True))]
        rows = [zeros_of((stride,), np.dtype(dtype)) for stride in (strides[0], *(strides[1] for _ in theirs))]
        for row, reach in zip(rows, entries, strict=True):
            row[: len(reach)] = reach
        at = [reaches.rows[side] * stride for side, stride in zip((player, 1 - player), strides, strict=True)]
        entered = EnteredRows(at[0], at[1], rows[0], len(rows[0]), rows[1], rows[-1], len(rows[1]))
        memories = mine, theirs[0].memory, theirs[-1].memory
        nothing, root = zeros_of((LANES,), np.dtype(dtype))[:0], zeros_of((strides[0],), np.dtype(dtype))
        return Sweep(player, what, *self._begin, len(theirs), entered, memories, root, len(root), nothing, 0)

    def run(self, sweeps: tuple[Sweep, Sweep], steps: Sequence[RegretStep], dtype: Any) -> Level:
        """Make two sweeps in turn, of as many ways of the other player, as often as there are steps; the working set of
        the trunk at the end."""
        trunk, places = self._places(dtype, sweeps[0].ways)
        if dtype not in self._sums:
            stride = max(self.layout.stride(self.trunk.layer, player) for player in (0, 1))
            self._sums[dtype] = zeros_of((len(self._listed.rows), stride), np.dtype(dtype))
        branches = self._listed._replace(sums=self._sums[dtype], turns=new_turns(len(steps)))
        tree, numbers = (self.layout.streets, self._terminals_in(dtype)), np.array(steps, np.float64).reshape(-1, STEP)

        def part(which: int, at: int, place: WorkRoom) -> int:
            return int(do_part(*tree, trunk, place, branches, sweeps, numbers, (which, at)))

        # so many sweeps led by this thread, with a helper for each place after the first
        count = len(steps)
        ended, parts = Event(), iter((LEAD,))

        def lead() -> None:
            try:
                _go_on(lambda at: part(next(parts, END), at, places[0]), count, sleep)
            finally:
                ended.set()

        def help_with(place: WorkRoom) -> None:
            _go_on(lambda at: part(HELP, at, place), count, ended.wait)

        share([lead, *(partial(help_with, place) for place in places[1:])])
        return trunk

    def worth(self, asked: Sequence[AskedValue]) -> list[float]:
        """Chips of players, dealt their ranges, in float64, by sweeps that begin at the root: two at a time where both meet
        as many ways, so that threads begin once."""
        layout = self.layout
        sweeps = [self.sweep(*one, dealt(layout, one.player, one.theirs), np.float64) for one in asked]
        left = sweeps[::-1]
        while left:
            first = left.pop()
            if left and left[-1].ways == first.ways:
                self.run((first, left.pop()), [STILL, STILL], np.float64)
            else:
                self.run((first, first), [STILL], np.float64)
        return [float((held := layout.ranges[one.player]) @ one.root[: len(held)]) for one in sweeps]

    def each(
        self, tasks: I64, player: int, mine: Memory, theirs: Ways, rows: Sequence[AnyArray], stride: int
    ) -> AnyArray:
        """(n, stride) by the player's own lanes: CFVs of a player's strategy after some deals on some boards, all of
        one street after the trunk's.

        tasks: (n, 3) segment, board of all layers together, and k, the number of its rows. rows: (n * stride,) the
        reach of each, k-th rows of own lanes; the dtype of the sweep."""
        dtype, memories = rows[0].dtype.type, (mine, theirs[0].memory, theirs[-1].memory)
        trunk, places = self._places(dtype, len(theirs))
        nothing, sums = zeros_of((LANES,), rows[0].dtype)[:0], zeros_of((len(tasks), stride), rows[0].dtype)
        entered = EnteredRows(0, 0, nothing, 0, rows[0], rows[-1], len(rows[0]))
        sweep = Sweep(player, VALUE, *self._begin, len(theirs), entered, memories, nothing, 0, nothing, 0)
        alone = self.layout.segments[int(tasks[0, 0])].layer + 1 == self.layout.depth
        tree, numbers = (self.layout.streets, self._terminals_in(dtype, alone=alone)), np.array([STILL], np.float64)
        branches = TrunkBranches(tasks, new_turns(1), sums, np.zeros((0, 2), np.int64))

        def part(place: WorkRoom) -> None:
            do_part(*tree, trunk, place, branches, (sweep, sweep), numbers, (EACH, 0))

        share([partial(part, place) for place in places])
        return sums

    def _terminals_in(self, dtype: Any, *, alone: bool | None = None) -> SegmentTerminals:
        """Terminals for a dtype; alone: of single segments of the last street, by default if the trunk is one."""
        key = dtype, self.trunk.layer + 1 == self.layout.depth if alone is None else alone
        if key not in self._terminals:
            self._terminals[key] = segment_terminals(self.layout, dtype, alone=key[1])
        return self._terminals[key]

    def _places(self, dtype: Any, ways: int) -> tuple[Level, list[WorkRoom]]:
        """Working sets of the trunk and of the threads."""
        if (dtype, ways) not in self._rooms:
            layout, depth, kind = self.layout, self.layout.depth, np.dtype(dtype)
            after = depth - 1 - self.trunk.layer
            most = max(max(len(one.shown), len(layout.folds_of(one))) for one in layout.segments)
            places = [
                WorkRoom(
                    self._level(depth - 2 if after > 1 else None, kind, ways),
                    self._level(depth - 1 if after else None, kind, ways),
                    zeros_of((2 * most * layout.room + LANES,), kind), layout.room, scratch_of(layout.tables.largest, kind),
                )
                for _ in range(max(1, min(threads(), len(self._listed.tasks))))
            ]  # fmt: skip
            self._rooms[dtype, ways] = self._level(self.trunk.layer, kind, ways), places
        return self._rooms[dtype, ways]

    def _level(self, layer: int | None, kind: np.dtype[Any], ways: int) -> Level:
        """A working set for any segment of a layer; one that is not used if there is none."""
        if layer is None:
            return Level(*(zeros_of((LANES,), kind) for _ in Level._fields))
        segments = [one for one in self.layout.segments if one.layer == layer]
        rows = most = max(max(one.rows) for one in segments)
        actions = max((node.actions for one in segments for node in one.decisions), default=1)
        if layer > self.trunk.layer and layer + 1 == self.layout.depth:
            most = max(max(rows_of(self.layout.followed(one))) for one in self.layout.segments)
        decisions = max(
            max(len(one.own(player)) for player in (0, 1)) for one in self.layout.whole if one.layer == layer
        )
        stride = max(self.layout.stride(layer, player) for player in (0, 1))
        second, cfv, *more = (zeros_of((stride * most + LANES,), kind) for _ in range(2 if ways == 1 else 4))
        other, paid = more or (second, second)
        first, scale, fresh = (zeros_of((stride * max(few, 1) + LANES,), kind) for few in (rows, decisions, actions))
        return Level(first, second, other, paid, cfv, scale, fresh)

    @cached_property
    def _listed(self) -> TrunkBranches:
        """The branches of the trunk, largest first, without sums."""
        layout, trunk, (number, board) = self.layout, self.trunk, self._begin
        streets, betting = layout.streets, layout.betting
        tasks, rows, cost = list[tuple[int, int, int]](), list[Pair](), list[int]()
        boards = range(*streets.boards[board, [CHILD, CHILD_END]].tolist())
        followed = layout.followed(trunk)
        if followed:
            for b in boards:
                tasks.append((ALL, b, len(rows)))
                cost.append(1)
                rows += [one.leaf.rows for one in followed]
        elif trunk.shown:
            for b in boards:
                tasks.append((ALL, b, len(rows)))
                cost.append(len(trunk.shown))
                rows += [leaf.rows for leaf in trunk.shown]
        for k, leaf in enumerate([] if followed else trunk.deals, int(streets.segments[number, DEAL])):
            for b in boards:
                tasks.append((k, b, len(rows)))
                cost.append(int(betting.end[leaf.node]) - leaf.node)
                rows.append(leaf.rows)
        order = np.argsort(-np.array(cost, np.int64), kind="stable")
        listed = np.ascontiguousarray(np.array(tasks, np.int64).reshape(-1, 3)[order])
        return TrunkBranches(listed, new_turns(0), np.zeros((0, 0)), np.array(rows, np.int64).reshape(-1, 2))


_PAUSE, _LONGEST = 1e-4, 2e-3
"""Seconds until a thread that waited in vain asks again, at first and at most."""


def _go_on(step: Callable[[int], int], count: int, pause: Callable[[float], object]) -> None:
    """Continue from the sweep where a part stopped, with longer and longer pauses where it stays there."""
    at, seconds = step(0), _PAUSE
    while at < count and not pause(seconds):
        before, at = at, step(at)
        seconds = _PAUSE if at > before else min(2.0 * seconds, _LONGEST)
