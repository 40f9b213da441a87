"""What a sweep of the compact engine reads and writes, as pointers: the tree, both players' memories, its place."""

from __future__ import annotations

from typing import Any, NamedTuple

from counterplay.jit import kernel
from counterplay.poker.compact.layout.compact_layout import LAYER, OF_PLAYER, OF_SIDE, PLAYERS, SIDES
from counterplay.treeplex.simd import get, pointer, shifted, with_pointers

SEGMENT, LEAF = PLAYERS + 2 * OF_PLAYER, 5
"""Columns of `Streets.segments` and `Streets.leaves`."""
STEP = 5
"""Numbers of a `RegretStep`."""
AFTER, BEFORE_THEM = 2, 3
"""Columns of `Streets.leaves`: the segment after a deal, below 0 after a showdown; from the next one on for each player the
rows before."""
LEAD, HELP, END, EACH = range(4)
"""Parts in sweeps: carry both players' reach down the trunk, from its first rows, process its branches, and end the trunk;
process branches with the one who does so; end the trunk of a sweep whose helpers were late, and lead the others; process
segments on boards without a trunk, each with an entry of its own."""


UPDATE, VALUE, BEST, RESPOND = range(4)
"""What goes up: CFVs of the current strategy, which updates regrets; of the average; of the best response;
of the best response, which is stored as the average."""


class Level(NamedTuple):
    """The working set of a segment, in rows of the lanes of the player whose numbers they are. first: reach of the player
    whose CFVs go up. second, other: that of the other one, and of the other one's second way to play. paid: the sum of these
    two; with one way to play, its reach. cfv: CFVs. scale: for each decision, one over the sum of the positive numbers.
    fresh: new averages of a decision, before they are rounded.
    """

    first: Any
    second: Any
    other: Any
    paid: Any
    cfv: Any
    scale: Any
    fresh: Any


class Memory(NamedTuple):
    """A player's whole-tree memory: regrets, averages, and the scales of their blocks if they are of 16 bits.

    locks: where in `rows` the lock of each decision on each board begins, -1 without one; (1,) if nothing is locked. rows:
    of a lock, what each hand is left free to choose, and then by action what it must play. bound: whether anything is
    locked. fixed: whether the averages are played, whatever the regrets.
    """

    regret: Any
    total: Any
    regret_scale: Any
    total_scale: Any
    locks: Any
    rows: Any
    bound: Any
    fixed: Any


class RegretStep(NamedTuple):
    """The numbers of one iteration, as pointers' dtype floats. grow, shrink: factors of positive and negative regrets. low:
    lower bound of regrets. decay: factor of the average before it is added to. least: numbers up to this count as 0."""

    grow: Any
    shrink: Any
    low: Any
    decay: Any
    least: Any


class EnteredRows(NamedTuple):
    """How the players enter the trunk: the place of a row, and what stands in it, up to the distance of the next one. first:
    of the player whose CFVs go up. second, other: of each way of the other one. Counts: the numbers of elements.
    """

    first_at: int
    second_at: int
    first: Any
    first_count: int
    second: Any
    other: Any
    second_count: int


class Sweep(NamedTuple):
    """A sweep.

    player: whose CFVs go up. what: UPDATE, VALUE, BEST or RESPOND. segment, board: where it begins, the trunk. ways: 2 if
    the other player plays in two ways, decided before the game, else 1. entered: how both come there. memories: of the
    player, the other one, and the latter's second way. root: where the CFVs of entering are left at the end, a row. seen:
    (n,) where the CFVs of the player's stored rows from number `seen_from` on are kept, if CFVs of strategies go up.
    """

    player: int
    what: int
    segment: int
    board: int
    ways: int
    entered: EnteredRows
    memories: Any
    root: Any
    root_count: int
    seen: Any
    seen_from: int


class WorkRoom(NamedTuple):
    """The work space of a thread: two levels, moved hands of terminals and the distance of these, scratch for showdowns."""

    middle: Level
    last: Level
    room: Any
    distance: int
    scratch: Any


class OpenedTree(NamedTuple):
    """`Streets` and `SegmentTerminals` with pointers, the distance of moved hands, and the number of layers."""

    streets: Any
    terminals: Any
    room: Any
    depth: Any


class RunningSweep(NamedTuple):
    """A sweep in progress: what it does, whose memory it reads and writes, and where. theirs, other: the other player's
    memory, and that of their second way to play."""

    player: Any
    what: Any
    ways: Any
    mine: Any
    theirs: Any
    other: Any
    step: Any
    room: Any
    scratch: Any
    seen: Any
    seen_from: Any
    seen_to: Any


@kernel(inline=True, inner=True)
def side_of(board: Any, player: int) -> Any:
    """The columns of a player on a board."""
    return shifted(board, SIDES + OF_SIDE * player)


@kernel(inline=True, inner=True)
def stride_of(tree: Any, segment: Any, player: int) -> Any:
    """The distance of a player's rows in the working set of a segment."""
    return get(tree.streets.strides, 2 * get(segment, LAYER) + player)


@kernel(inner=True)
def working(sweep: Any, step: Any, place: Any) -> Any:
    """The sweep, in progress."""
    memories = sweep.memories
    mine, theirs, other = with_pointers(memories[0]), with_pointers(memories[1]), with_pointers(memories[2])
    return RunningSweep(
        sweep.player, sweep.what, sweep.ways, mine, theirs, other, step, pointer(place.room), pointer(place.scratch),
        pointer(sweep.seen), sweep.seen_from, sweep.seen_from + len(sweep.seen),
    )  # fmt: skip
