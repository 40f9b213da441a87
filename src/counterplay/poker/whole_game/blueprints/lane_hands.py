"""Inputs of the kernels of public chance sampling on a board: its hands by lanes, tables and work space."""

from __future__ import annotations

from typing import Any, NamedTuple

from counterplay.jit import kernel
from counterplay.poker.showdown.card_removal import lanes_of
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
def room_pointers(room: Any) -> LaneRoom:
    return LaneRoom(
        pointer(room.plan), pointer(room.theirs), pointer(room.worth), pointer(room.entry), pointer(room.hands),
        pointer(room.cards), pointer(room.middle), pointer(room.values), pointer(room.deals),
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
