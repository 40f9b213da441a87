"""Counterfactual regret minimisation in rows of lanes: regrets and averages of a street, by blocks of lanes; and the
inputs of the kernels of public chance sampling on a board: its hands by lanes, tables and work space."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import I64, AnyArray
from counterplay.card_abstraction.card_abstraction import CardAbstraction
from counterplay.gametree.build.size_estimate import check_memory
from counterplay.jit import kernel
from counterplay.poker.showdown.card_removal import lanes_of
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import normalise_blocks
from counterplay.treeplex.simd import get, pointer, shifted


class LaneHands(NamedTuple):
    """The hands of a board by lanes.

    Attributes:
        up: (n,) the place of each hand on the board before.
        lane: (n,) its lane among those of the board.
        order: (n,) hands, lane by lane.
        starts: (lanes + 1,) where each lane begins in `order`.
        here: (lanes,) rows of these lanes in the tables.
        alone: (n,) each hand by itself, for a player whose hands are all apart.
    """

    up: Any
    lane: Any
    order: Any
    starts: Any
    here: Any
    alone: Any


class LaneTables(NamedTuple):
    """Regrets of the player who moves, regrets and sums of the average of the other; how many lanes the street has."""

    own: Any
    other: Any
    sums: Any
    lanes: int


class BoardPointers(NamedTuple):
    """Arguments of the kernels of one bundle as pointers and numbers: of `MoverStreet`, `LaneHands` and `LaneTables`;
    the other's reach; of each hand the row of either player in the work space; numbers of bundles, hands, lanes and
    rows."""

    bundles: Any
    own: Any
    other: Any
    earned: Any
    amounts: Any
    even: Any
    other_even: Any
    up: Any
    order: Any
    starts: Any
    here: Any
    regrets: Any
    other_regrets: Any
    sums: Any
    all_lanes: int
    reach: Any
    bundle_count: int
    hands: int
    lanes: int
    own_row: Any
    own_rows: int
    other_row: Any
    other_rows: int


class LaneRoom(NamedTuple):
    """Work space: of each position and row the own plan, the other's plan of all bundles, and values of own positions;
    of each hand the other's reach of the lines, a row and its value; sums per card twice; a row of each deal."""

    plan: Any
    theirs: Any
    worth: Any
    entry: Any
    hands: Any
    cards: Any
    middle: Any
    values: Any
    deals: Any


@kernel(inline=True, inner=True)
def rows_by_lane(hands: Any) -> Any:
    """Of each hand its row in the work space of a player who has lanes; and how many there are."""
    return hands.lane, len(hands.here)


@kernel(inline=True, inner=True)
def rows_by_hand(hands: Any) -> Any:
    """`rows_by_lane` of a player whose hands are all apart."""
    return hands.alone, len(hands.alone)


@kernel(inline=True, inner=True)
def pointers_of(street: Any, hands: Any, tables: Any, reach: Any, own: Any, other: Any) -> BoardPointers:
    """Arrays as pointers, which cost no count of references in loops. own, other: `rows_by_lane` or `rows_by_hand` of
    the player who moves, and of the other."""
    return BoardPointers(
        pointer(street.bundles), pointer(street.own), pointer(street.other), pointer(street.earned),
        pointer(street.amounts), pointer(street.even), pointer(street.other_even),
        pointer(hands.up), pointer(hands.order), pointer(hands.starts), pointer(hands.here),
        pointer(tables.own), pointer(tables.other), pointer(tables.sums), tables.lanes,
        pointer(reach), len(street.bundles), len(hands.up), len(hands.here),
        pointer(own[0]), own[1], pointer(other[0]), other[1],
    )  # fmt: skip


@kernel(inline=True, inner=True)
def bundle_room(b: int, at: Any, room: Any, zero: Any) -> LaneRoom:
    """The work space of a bundle, whose plan of the other is one of many."""
    theirs = shifted(room.theirs, get(at.bundles, 12 * b + 3) * at.other_rows * lanes_of(zero))
    return LaneRoom(
        room.plan, theirs, room.worth, room.entry, room.hands, room.cards, room.middle, room.values, room.deals
    )


@kernel
def sort_by_lane(lane: Any, marks: Any, local: Any, order: Any, starts: Any, here: Any) -> int:
    """Fill `local`, `order`, `starts` and `here` of `LaneHands` from (n,) the rows of the hands' lanes; returns the
    number of lanes of the board. marks: (rows,) zeros, and zeros again after it."""
    count, n = 0, len(lane)
    # Lanes of the board by first occurrence: marks[lane] is its number here plus 1, starts[number + 1] counts its hands.
    for i in range(n):
        if marks[lane[i]] == 0:
            here[count] = lane[i]
            count += 1
            starts[count] = 0
            marks[lane[i]] = count
        local[i] = marks[lane[i]] - 1
        starts[local[i] + 1] += 1
    # Counts become the beginnings of the runs; each hand goes to the next free place of its run.
    starts[0] = 0
    for k in range(count):
        starts[k + 1] += starts[k]
        marks[here[k]] = 0
    for i in range(n):
        order[starts[local[i]]] = i
        starts[local[i]] += 1
    # Every beginning has moved to the end of its run: back by one.
    for k in range(count, 0, -1):
        starts[k] = starts[k - 1]
    starts[0] = 0
    return count


@kernel
def add_classes(up: Any, slots: Any, values: Any, out: Any) -> None:
    """Add the lines' values of hands, (n, size), to (entries, classes)."""
    for e in range(len(slots)):
        for h in range(len(up)):
            out[e, up[h]] += values[h, slots[e]]


class Rates(NamedTuple):
    """Factors of an iteration for regrets above and below 0, and its weight in the average. floor: regrets below 0
    become 0."""

    up: float
    down: float
    weight: float
    floor: bool


@kernel(nogil=True)
def match(decisions: Any, regrets: Any, table: Any, row: Any) -> None:
    """Set `table` (sequences, lanes) to regret matching; row: (lanes,) scratch."""
    lanes = table.shape[1]
    for k in range(len(decisions)):
        first, count = decisions[k, 2], decisions[k, 3]
        row[:lanes] = 0
        for s in range(first, first + count):
            own = regrets[s]
            for i in range(lanes):
                row[i] += max(own[i], 0)
        for i in range(lanes):
            row[i] = 1 / row[i] if row[i] > 0 else 0
        for s in range(first, first + count):
            own, out = regrets[s], table[s]
            for i in range(lanes):
                out[i] = max(own[i], 0) * row[i] if row[i] > 0 else 1 / count


@kernel(nogil=True)
def advance(decisions: Any, worth: Any, own: Any, table: Any, regrets: Any, sums: Any, rates: Any, row: Any) -> None:
    """Run one iteration of a player on (sequences, lanes) arrays: `worth` of all sequences, `own` reach, given in the
    rows before the first decisions and filled in after them, the `table` that was played; regrets and sums change. row:
    (lanes,) scratch."""
    lanes = table.shape[1]
    for k in range(len(decisions)):
        # Rows first to first + count are the actions of a decision; row `before` leads to it.
        before, first, count = decisions[k, 1], decisions[k, 2], decisions[k, 3]
        row[:lanes] = 0
        for s in range(first, first + count):
            chance, value = table[s], worth[s]
            for i in range(lanes):
                row[i] += chance[i] * value[i]
        for s in range(first, first + count):
            chance, value, regret = table[s], worth[s], regrets[s]
            above, reach, total = own[before], own[s], sums[s]
            for i in range(lanes):
                new = regret[i] + value[i] - row[i]
                new = new * rates.up if new > 0 else (0 if rates.floor else new * rates.down)
                regret[i] = new
                reach[i] = above[i] * chance[i]
                total[i] += rates.weight * reach[i]


@kernel(nogil=True)
def multiply_down(decisions: Any, table: Any, plan: Any) -> None:
    """Products of probabilities down to every sequence; the rows before the first decisions are given."""
    for k in range(len(decisions)):
        above = plan[decisions[k, 1]]
        for s in range(decisions[k, 2], decisions[k, 2] + decisions[k, 3]):
            row, out = table[s], plan[s]
            for i in range(len(out)):
                out[i] = above[i] * row[i]


class StreetRegrets:
    """Regrets and sums of the average of both players on a street: of each block an array (sequences, lanes). A
    block that all boards share moves once in an iteration, after the last board; one that belongs to a board moves
    at once."""

    def __init__(self, game: HoldemGame, street: int, sizes: I64, threads: int = 1) -> None:
        lanes = sizes.tolist()
        self.game, self.street, self.shared = game, street, len(lanes) == 1
        self.dtype = dtype_of(game, sizes)
        self.decisions = [side.decisions[street] for side in game.sides]
        rows = [side.sizes[street] for side in game.sides]
        self.regrets = [[np.zeros((count, n), self.dtype) for n in lanes] for count in rows]
        self.sums = [[np.zeros((count, n), self.dtype) for n in lanes] for count in rows]
        self._strategy = np.dtype(np.float64) if street == 0 else game.dtype
        self._kept: list[AnyArray | None] = [None, None]
        self._rows = [np.zeros(max(lanes), self.dtype) for _ in range(threads)]

    def table(self, player: int, block: int, thread: int = 0) -> AnyArray:
        """(sequences, lanes) the current strategy of a block; that of a shared block is kept until it moves."""
        kept = self._kept[player] if self.shared else None
        if kept is None:
            regrets = self.regrets[player][block]
            kept = np.empty(regrets.shape, self._strategy)
            match(self.decisions[player], regrets, kept, self._rows[thread])
            if self.shared:
                self._kept[player] = kept
        return kept

    def nothing(self, player: int, block: int = 0) -> tuple[AnyArray, AnyArray]:
        """Two (sequences, lanes): room for the values of a player's sequences, and for the player's reach."""
        shape = self.regrets[player][block].shape
        kind = self.dtype if self.shared else self._strategy
        return np.zeros(shape, kind), np.zeros(shape, kind)

    def move(
        self, player: int, block: int, worth: AnyArray, own: AnyArray, table: AnyArray, rate: Rates, thread: int = 0
    ) -> None:
        """Update the regrets of a block by (sequences, lanes) values, own reach of entries, and current strategy."""
        regrets, sums = self.regrets[player][block], self.sums[player][block]
        advance(self.decisions[player], worth, own, table, regrets, sums, rate, self._rows[thread])
        self._kept[player] = None

    def forget_table(self) -> None:
        """Make the current strategies anew: regrets were changed from outside."""
        self._kept = [None, None]

    def current(self, player: int) -> list[AnyArray]:
        return [self.table(player, block).copy() for block in range(len(self.regrets[player]))]

    def average(self, player: int) -> list[AnyArray]:
        blocks = normalise_blocks(self.sums[player], self.decisions[player])
        return [block.astype(self._strategy, copy=False) for block in blocks]


def dtype_of(game: HoldemGame, sizes: I64) -> np.dtype[Any]:
    """The type of regrets for blocks of `sizes` (blocks,) lanes: float64 for a single block, where many hands add
    up."""
    return game.dtype if len(sizes) > 1 else np.dtype(np.float64)


def memory_of(game: HoldemGame, buckets: CardAbstraction) -> float:
    return sum(
        float(buckets.sizes_on(street).sum())
        * sum(side.sizes[street] for side in game.sides)
        * (2 * dtype_of(game, buckets.sizes_on(street)).itemsize + game.dtype.itemsize)
        for street in range(1, game.last + 1)
    )


def check_room(
    game: HoldemGame, buckets: CardAbstraction, limit: float | None = None, advice: str = "ask for fewer buckets"
) -> None:
    """Reject a solve that takes more bytes than the limit; by default half of the machine's."""
    needed = memory_of(game, buckets)
    check_memory(f"solving with {buckets} takes {needed / 2**30:.3g} GiB", needed, limit, advice)


@dataclass(frozen=True, eq=False)
class WarmStart:
    """Regrets and averages of a start (as of `PublicSampling.state`), the iterations that made them, and as how many
    they count."""

    state: Mapping[str, AnyArray]
    iterations: int
    keep: int


class StartTable(NamedTuple):
    """One player's table on a street, or a block of it: `at` gives the index of a sequence's lanes in the arrays."""

    player: int
    street: int
    decisions: I64
    at: Callable[[int], Any]
    strategy: AnyArray
    regrets: AnyArray
    sums: AnyArray
