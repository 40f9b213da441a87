"""Leaves of a public tree as a kind of `leaves.protocol`: folds and showdowns of all boards by sorted sweeps.

Terminals where both players' last choices were made on the terminal's own board are *near*: their runs are read and written
in place, and all boards of a layer share one list of them, since only the offset of a board's hands differs. The others are
*far* (both all-in before the last card): their hands are first permuted into the board's order.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from counterplay.arrays import AnyArray
from counterplay.jit import kernel
from counterplay.leaves.protocol import register
from counterplay.poker.public_tree.branches import IN_PLACE, Branches
from counterplay.poker.showdown.showdown import all_held, evaluate_batches, ranked_board
from counterplay.poker.showdown.terminals import BOARD_COLUMNS, HANDS, Terminals
from counterplay.treeplex.simd import LANES, get, load, pointer, put, same_as, shifted, store

FIRST, ROW = BOARD_COLUMNS, BOARD_COLUMNS + 1
"""Columns of `PayoffSweep.boards` after those of a `RankedBoard`: where its hands begin in its layer."""
BOARDS, BOARDS_END, NEAR, AWAY, FAR, FAR_END, LAYER, COLUMNS = 0, 1, 2, 6, 10, 11, 12, 13
"""Columns of `PayoffSweep.layers`: its boards; how many batches of near terminals there are, and where these, their
places and their amounts begin; the same of the far ones; the first of them and one past the last; its number."""
REACH, REACH_UP, CFV, CFV_UP, DROP, FAR_COLUMNS = range(6)
"""Columns of `PayoffSweep.far`: the opponent's run and where `up` tells the places in it; the same of the player; where the
sums of that run stand if they are apart, else `IN_PLACE` (see `branches`)."""


class PayoffSweep(NamedTuple):
    """One player's leaves, in the dtype of amounts, scratch and room: float64 or float32.

    size: length of the CFVs. layers: (L, 13), for boards of a layer with equal multiplicity, and boards: (B, 6) int64, see
    above. pairs, steps: those of all boards (see `terminals.RankedBoard`). batches, places, amounts: those of all layers
    (see `terminals.Terminals`). blank: (Z, 2) int64, the spans of CFVs that no near terminal sets: from, to. far: (F, 4)
    int64. up: int64, for hands of a board their place on an earlier one. scratch: for the kernels. room: reaches, then CFVs,
    of the far terminals of one board, `row` numbers each.
    """

    size: int
    layers: AnyArray
    boards: AnyArray
    pairs: AnyArray
    steps: AnyArray
    batches: AnyArray
    places: AnyArray
    amounts: AnyArray
    blank: AnyArray
    far: AnyArray
    up: AnyArray
    scratch: AnyArray
    room: AnyArray
    row: int
    branches: Branches


class _Open(NamedTuple):
    """`PayoffSweep` as pointers and sizes, without the branches."""

    size: Any
    depth: Any
    layers: Any
    boards: Any
    pairs: Any
    steps: Any
    batches: Any
    places: Any
    amounts: Any
    blanks: Any
    blank: Any
    far: Any
    up: Any
    scratch: Any
    room: Any
    row: Any


class OpenBranches(NamedTuple):
    """`Branches` as pointers, and the numbers of branches, layers of boards, nodes, runs and drops."""

    count: Any
    layers: Any
    spans: Any
    node_count: Any
    nodes: Any
    run_count: Any
    runs: Any
    drop_count: Any
    drops: Any
    pad: Any


class Rooms(NamedTuple):
    """The work space of a thread: scratch, room (see `PayoffSweep`), sums for the trunk, and whether these are separate."""

    scratch: Any
    room: Any
    sums: Any
    apart: Any


@kernel(shared=True)
def multiply(leaf: Any, base: Any, shift: bool, plan: Any, out: Any) -> None:
    """out = CFVs against the plan, plus `base` if `shift`; all are pointers, including those of the leaf."""
    rooms = Rooms(leaf.scratch, leaf.room, out, False)
    for k in range(leaf.blanks):
        clear(out, get(leaf.blank, 2 * k), get(leaf.blank, 2 * k + 1))
    for k in range(leaf.depth):
        layer = shifted(leaf.layers, COLUMNS * k)
        near(leaf, layer, get(layer, BOARDS), get(layer, BOARDS_END), plan, out, rooms)
    for k in range(leaf.depth):
        layer = shifted(leaf.layers, COLUMNS * k)
        if get(layer, FAR_END) > get(layer, FAR):
            far(leaf, layer, get(layer, BOARDS), get(layer, BOARDS_END), plan, out, rooms)
    if shift:
        for at in range(0, leaf.size, LANES):
            store(out, at, load(out, at) + load(base, at))


@kernel(inner=True)
def near(leaf: Any, layer: Any, begin: int, end: int, plan: Any, out: Any, rooms: Any) -> None:
    """Evaluate the near terminals of a layer on some of its boards."""
    terminals = _terminals(leaf, layer, NEAR)
    for b in range(begin, end):
        board = shifted(leaf.boards, ROW * b)
        first = get(board, FIRST)
        ranked = ranked_board(board, leaf.pairs, leaf.steps)
        evaluate_batches(
            ranked,
            all_held(ranked),
            terminals,
            get(layer, NEAR),
            shifted(plan, first),
            shifted(out, first),
            rooms.scratch,
        )


@kernel(inner=True)
def clear(out: Any, begin: int, end: int) -> None:
    """Set a span of numbers to 0."""
    full = begin + (end - begin) // LANES * LANES
    for at in range(begin, full, LANES):
        store(out, at, same_as(out, 0.0))
    for at in range(full, end):
        put(out, at, 0.0)


@kernel(inner=True)
def _terminals(leaf: Any, layer: Any, kind: int) -> Any:
    return Terminals(
        shifted(leaf.batches, 2 * get(layer, kind + 1)), shifted(leaf.places, get(layer, kind + 2)),
        shifted(leaf.amounts, get(layer, kind + 3)),
    )  # fmt: skip


@kernel(inner=True)
def far(leaf: Any, layer: Any, begin: int, end: int, plan: Any, out: Any, rooms: Any) -> None:
    """Evaluate the far terminals of a layer on some of its boards."""
    for b in range(begin, end):
        _run_out(leaf, layer, shifted(leaf.boards, ROW * b), plan, out, rooms)


@kernel(inner=True)
def _run_out(leaf: Any, layer: Any, row: Any, plan: Any, out: Any, rooms: Any) -> None:
    first, count = get(layer, FAR), get(layer, FAR_END) - get(layer, FAR)
    begin, hands, room = get(row, FIRST), get(row, HANDS), rooms.room
    # The reach of each end far above, brought to the hands of this board: run k of the room, `leaf.row` numbers apart.
    for k in range(count):
        one = shifted(leaf.far, FAR_COLUMNS * (first + k))
        source, way, to = shifted(plan, get(one, REACH)), shifted(leaf.up, get(one, REACH_UP) + begin), k * leaf.row
        for i in range(hands):
            put(room, to + i, get(source, get(way, i)))
    ranked = ranked_board(row, leaf.pairs, leaf.steps)
    evaluate_batches(
        ranked, all_held(ranked), _terminals(leaf, layer, AWAY), get(layer, AWAY), room, room, rooms.scratch
    )
    # What they are worth stands in the `count` runs after these, and goes back to the hands above, or to a sum of its own.
    for k in range(count):
        one = shifted(leaf.far, FAR_COLUMNS * (first + k))
        target, way, at = (
            shifted(out, get(one, CFV)),
            shifted(leaf.up, get(one, CFV_UP) + begin),
            (count + k) * leaf.row,
        )
        if rooms.apart and get(one, DROP) != IN_PLACE:
            target = shifted(rooms.sums, get(one, DROP))
        for i in range(hands):
            place = get(way, i)
            put(target, place, get(target, place) + get(room, at + i))


@kernel(inner=True)
def _opened(leaf: Any) -> Any:
    return _Open(
        leaf.size, len(leaf.layers), pointer(leaf.layers), pointer(leaf.boards), pointer(leaf.pairs),
        pointer(leaf.steps), pointer(leaf.batches), pointer(leaf.places), pointer(leaf.amounts), len(leaf.blank),
        pointer(leaf.blank), pointer(leaf.far), pointer(leaf.up), pointer(leaf.scratch), pointer(leaf.room), leaf.row,
    )  # fmt: skip


@kernel(inner=True)
def branches_of(leaf: Any) -> Any:
    """The branches of a `PayoffSweep` as pointers."""
    them = leaf.branches
    return OpenBranches(
        them.number, them.spans.shape[1], pointer(them.spans), len(them.nodes), pointer(them.nodes), len(them.runs),
        pointer(them.runs), len(them.drops), pointer(them.drops), them.pad,
    )  # fmt: skip


register(PayoffSweep, _opened, _Open, multiply)
