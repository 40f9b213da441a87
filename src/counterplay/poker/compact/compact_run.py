"""The running state of a solve on the compact engine: advance it, measure it, read its averages."""

from __future__ import annotations

from functools import cached_property, partial
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.errors import InputError
from counterplay.poker.betting.tree import BettingTree
from counterplay.poker.compact.compact_kernels import (
    Branches,
    Place,
    Sweep,
    begin_trunk,
    end_trunk,
    work_on_branches,
)
from counterplay.poker.compact.compact_layout import CHILD, CHILD_END, CompactLayout
from counterplay.poker.compact.compact_terminals import SegmentTerminals, segment_terminals
from counterplay.poker.compact.street_kernels import BEST, UPDATE, VALUE, Level, Memory, Step
from counterplay.poker.public_tree.board_tables import Tables
from counterplay.poker.public_tree.thread_pool import run_whole, share, threads
from counterplay.poker.showdown.terminals import scratch_of
from counterplay.solvers.minimiser import Minimiser
from counterplay.treeplex.memory import zeros_of
from counterplay.treeplex.treeplex import LANES

Floats = NDArray[np.float64]
_NEVER = -1e30
"""Below all regrets."""
_LEAST = 1e-10
"""Regrets up to this count as 0, as in `solvers.kernels`."""
ALL = -1
"""Stands for all showdowns of the trunk with cards to come, where a task names a deal."""


class CompactRun:
    """A public tree under solution by alternating updates, with a range of each player.

    Args:
        betting: the betting.
        tables: the boards.
        method: a minimiser without predictions, whose players alternate.
        half: store 16 bits instead of float32.

    Attributes:
        done: iterations so far.
        memories: both players' regrets and averages.
    """

    def __init__(self, betting: BettingTree, tables: Tables, method: Minimiser, *, half: bool = False) -> None:
        if not fits(method):
            raise InputError(f"the compact engine has alternating updates without predictions, which {method.name} is not")
        self.layout, self.method, self.half, self.done = CompactLayout(betting, tables), method, half, 0
        self.unit = 1.0 / tables.boards.cards.pairs
        self._terminals: dict[Any, SegmentTerminals] = {}
        self._rooms: dict[Any, tuple[Level, list[Place]]] = {}
        self._sums: dict[Any, NDArray[Any]] = {}
        self.memories = self._memory(0), self._memory(1)

    def _memory(self, player: int) -> Memory:
        size, blocks = self.layout.stored[player], self.layout.scales[player] if self.half else 0
        kinds = (np.int16, np.uint16) if self.half else (np.float32, np.float32)
        regret, total = (zeros_of((size,), np.dtype(kind)) for kind in kinds)
        return Memory(regret, total, np.zeros(blocks, np.float32), np.zeros(blocks, np.float32))

    def advance(self, iterations: int) -> None:
        """Run more iterations; Ctrl-C ends them after a whole one."""
        run_whole(self._advance, iterations)

    def _advance(self, iterations: int) -> None:
        for _ in range(iterations):
            self.done += 1
            for player in (0, 1):
                self._sweep(player, UPDATE, self._step(self.done), np.float32)

    def _step(self, t: int) -> Step:
        method = self.method
        decay = ((t - 1) / t) ** method.gamma if method.gamma else float(t > 1)
        low = 0.0 if method.floor else _NEVER
        least = 0.5 if self.half else _LEAST
        return Step(_discount(t, method.alpha), _discount(t, method.beta), low, decay, least)

    def value_of(self, player: int, *, best: bool) -> float:
        """Chips of a player against the other's average: by a best response, or by their own average."""
        level = self._sweep(player, BEST if best else VALUE, Step(0.0, 0.0, 0.0, 0.0, 0.0), np.float64)
        lanes = self.weights[player]
        return float(lanes @ level.cfv[: len(lanes)])

    def gap(self) -> tuple[float, float]:
        """NashConv of the averages and the value of player 0, midway between its bounds; in float64."""
        high, low = self.value_of(0, best=True), self.value_of(1, best=True)
        paid = 0.0
        if self.layout.betting.rules.rake:
            paid = -self.value_of(0, best=False) - self.value_of(1, best=False)
        return max(high + low + paid, 0.0), 0.5 * (high - low - paid)

    @cached_property
    def weights(self) -> tuple[Floats, Floats]:
        """Per player (lanes of the first board,) the range."""
        boards = self.layout.boards
        hands = boards.layers[0].hand[boards.kept(0)]
        first, second = (np.ascontiguousarray(one[hands]) for one in boards.cards.weights)
        return first, second

    def _sweep(self, player: int, what: int, step: Step, dtype: Any) -> Level:
        """One sweep; the working set of the trunk at its end."""
        memories = self.memories[player], self.memories[1 - player]
        trunk, places = self._places(dtype)
        for level, who in ((trunk.first, player), (trunk.second, 1 - player)):
            level[: len(self.weights[who])] = self.weights[who]
        args = self.layout.streets, self._terminals_in(dtype), Sweep(player, what), memories, step, trunk
        branches = self._branches(dtype)
        begin_trunk(*args, places[0], branches)
        if len(branches.tasks):
            branches.turn[0] = 0
            share([partial(work_on_branches, *args, place, branches) for place in places])
        end_trunk(*args, places[0], branches)
        return trunk

    def _terminals_in(self, dtype: Any) -> SegmentTerminals:
        """The terminals for a working set of a dtype."""
        if dtype not in self._terminals:
            self._terminals[dtype] = segment_terminals(self.layout, self.unit, dtype)
        return self._terminals[dtype]

    def _places(self, dtype: Any) -> tuple[Level, list[Place]]:
        """The working sets of the trunk and of the threads."""
        if dtype not in self._rooms:
            layout, depth, kind = self.layout, self.layout.depth, np.dtype(dtype)
            count = min(threads(), len(self._listed.tasks)) if depth > 1 else 1
            most = max(max(len(one.shown), len(layout.folds_of(one))) for one in layout.segments)
            places = [
                Place(
                    self._level(1 if depth > 2 else None, kind), self._level(depth - 1 if depth > 1 else None, kind),
                    zeros_of((2 * most * layout.room + LANES,), kind), layout.room,
                    scratch_of(layout.tables.largest, kind),
                )
                for _ in range(count)
            ]  # fmt: skip
            self._rooms[dtype] = self._level(0, kind), places
        return self._rooms[dtype]

    def _level(self, layer: int | None, kind: np.dtype[Any]) -> Level:
        """A working set for any segment of a layer; one that is not used if there is none."""
        if layer is None:
            return Level(*(zeros_of((LANES,), kind) for _ in range(4)))
        segments = [one for one in self.layout.segments if one.layer == layer]
        rows = max(max(one.rows) for one in segments)
        decisions = max(max(len(one.own(player)) for player in (0, 1)) for one in segments)
        stride = int(self.layout.streets.strides[layer])
        return Level(*(zeros_of((stride * count + LANES,), kind) for count in (rows, rows, rows, max(decisions, 1))))

    def _branches(self, dtype: Any) -> Branches:
        """The branches with sums of a dtype."""
        if dtype not in self._sums:
            stride = int(self.layout.streets.strides[0])
            self._sums[dtype] = zeros_of((len(self._listed.rows), stride), np.dtype(dtype))
        return self._listed._replace(sums=self._sums[dtype])

    @cached_property
    def _listed(self) -> Branches:
        """The branches, largest first, without sums."""
        layout, trunk = self.layout, self.layout.segments[0]
        tasks, rows, cost = list[tuple[int, int, int]](), list[tuple[int, int]](), list[int]()
        first, second = layout.streets.boards[0, [CHILD, CHILD_END]].tolist()
        for board in range(first, second):
            if trunk.shown:
                tasks.append((ALL, board, len(rows)))
                cost.append(len(trunk.shown))
                rows += [leaf.rows for leaf in trunk.shown]
        for k, leaf in enumerate(trunk.deals):
            for board in range(first, second):
                tasks.append((k, board, len(rows)))
                cost.append(int(layout.betting.end[leaf.node]) - leaf.node)
                rows.append(leaf.rows)
        order = np.argsort(-np.array(cost, np.int64), kind="stable")
        listed = np.array(tasks, np.int64).reshape(-1, 3)[order]
        return Branches(
            np.ascontiguousarray(listed), np.zeros(1, np.int64), np.zeros((0, 0)), np.array(rows, np.int64).reshape(-1, 2)
        )


def fits(method: Minimiser) -> bool:
    """Whether the engine has a method: alternating updates, without predictions, whose strategy needs an array more."""
    return method.alternating and not method.predictive


def _discount(t: int, exponent: float) -> float:
    power = 1.0 if exponent == inf else float(t) ** exponent / (float(t) ** exponent + 1.0)
    return power
