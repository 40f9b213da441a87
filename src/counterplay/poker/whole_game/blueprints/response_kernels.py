"""A best response on the last street, hand by hand, and the moves of a player who meets it (CFR-BR; Johanson, Bard,
Burch and Bowling 2012).

The player who answers has no table there: the rows of its work space are hands, not lanes.
"""

from __future__ import annotations

from typing import Any

from counterplay.jit import kernel
from counterplay.poker.showdown.simd_lanes import lanes_of, row, same, set_row, wide
from counterplay.poker.whole_game.blueprints.lane_hands import (
    LaneRoom,
    bundle_room,
    pointers_of,
    room_pointers,
    rows_by_hand,
    rows_by_lane,
)
from counterplay.poker.whole_game.blueprints.line_kernels import (
    enter,
    finish,
    hand_over,
    match_other,
    match_own,
    pay_all,
)
from counterplay.treeplex.simd import get, pointer, shifted, where_above

_WORST = -1e30
"""What an action is worth that a line does not have."""


@kernel(nogil=True)
def answer(
    listed: Any, street: Any, board: Any, hands: Any, tables: Any, reach: Any, average: float, room: Any, values: Any,
) -> None:  # fmt: skip
    """The best response of the player who moves, what its lines are worth, and the other's average; arguments as of
    `play_out`, but the mover's table is not read. Its own plan in `room` is set, of all positions and hands: the
    products of what is chosen from the entry on."""
    zero, rooms = wide(pointer(reach)), room_pointers(room)
    at = pointers_of(street, hands, tables, reach, rows_by_hand(hands), rows_by_lane(hands))
    for b in listed:
        many, before = get(at.bundles, 12 * b), get(at.bundles, 12 * b + 2)
        here, theirs = shifted(rooms.plan, before * at.hands * lanes_of(zero)), bundle_room(b, at, rooms, zero).theirs
        inside = LaneRoom(
            here, theirs, rooms.worth, rooms.entry, rooms.hands, rooms.cards, rooms.middle, rooms.values, rooms.deals
        )
        match_other(b, at, average, inside, zero)
        for k in range(at.hands * many):
            set_row(here, k, zero)  # nothing is chosen yet: a hand's value has only what no action comes before
            set_row(rooms.worth, k, zero)
        for h in range(at.hands):
            set_row(rooms.values, h, zero)
        pay_all(b, at, board, inside, zero)
        for h in range(at.hands):
            _choose(b, h, at, inside, zero)
        hand_over(b, at, inside, pointer(values), zero)


@kernel(nogil=True)
def play_against(
    listed: Any, street: Any, board: Any, hands: Any, tables: Any, reach: Any, weight: float, room: Any, values: Any,
) -> None:  # fmt: skip
    """New regrets of the player who moves, and what its lines are worth, against the other's response: `room`'s plan of
    the other is the own one of `answer`, and the other's table is not read."""
    zero, rooms = wide(pointer(reach)), room_pointers(room)
    at = pointers_of(street, hands, tables, reach, rows_by_lane(hands), rows_by_hand(hands))
    for b in listed:
        inside = bundle_room(b, at, rooms, zero)
        enter(b, at, inside, zero)
        match_own(b, at, inside, zero)
        finish(b, at, board, weight, inside, pointer(values), zero)


@kernel(inner=True)
def _choose(b: int, hand: int, at: Any, room: Any, zero: Any) -> None:
    """The best action of a hand at every decision of a bundle, the first of equals, and what the lines are worth by them."""
    width, facts, step = lanes_of(zero), shifted(at.bundles, 12 * b), at.own_rows
    # A bundle's sequences follow each other in `even`; those of a hand are `step` registers apart in `worth` and `plan`.
    even = shifted(at.even, get(facts, 2) * width)
    worth, plan = shifted(room.worth, hand * width), shifted(room.plan, hand * width)
    one, worst = same(1.0, zero), same(_WORST, zero)
    begin, end = get(facts, 4), get(facts, 5)
    # Children first: the best of the lines that have the action, added to the sequence above or to the bundle's value.
    for d in range(end - 1, begin - 1, -1):
        above, first, count = get(at.own, 3 * d), get(at.own, 3 * d + 1), get(at.own, 3 * d + 2)
        best = worst
        for s in range(first, first + count):
            value = where_above(row(even, s, zero), zero, row(worth, s * step, zero), worst)
            best = where_above(value, best, value, best)
        left = one
        for s in range(first, first + count):
            value = where_above(row(even, s, zero), zero, row(worth, s * step, zero), worst)
            chosen = where_above(best, value, zero, left)
            left -= chosen
            set_row(plan, s * step, where_above(row(even, s, zero), zero, chosen, zero))
        best = where_above(best, worst, best, zero)
        if above >= 0:
            set_row(worth, above * step, row(worth, above * step, zero) + best)
        else:
            set_row(room.values, hand, row(room.values, hand, zero) + best)
    # Parents first: the plan is the product on the way.
    for d in range(begin, end):
        above, first, count = get(at.own, 3 * d), get(at.own, 3 * d + 1), get(at.own, 3 * d + 2)
        if above >= 0:
            for s in range(first, first + count):
                set_row(plan, s * step, row(plan, s * step, zero) * row(plan, above * step, zero))
