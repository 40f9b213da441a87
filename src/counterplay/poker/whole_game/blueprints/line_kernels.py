"""One board's part of an iteration of public chance sampling, on lines of betting side by side (see `line_bundles`).

Whatever is linear in the hands is done once for all hands of a lane: regret matching, products of probabilities down the
street, and regrets. A hand has its reach where the street begins, its payoffs, and its value there. Row k of an array is the
vector of its elements from k times the width on.
"""

from __future__ import annotations

from typing import Any

from counterplay.jit import kernel
from counterplay.poker.showdown.card_removal import inverse, is_zero, lanes_of, positive, row, same, set_row, wide
from counterplay.poker.showdown.showdown import SweepRoom, add_hand, sweep_rows
from counterplay.poker.whole_game.blueprints.street_regrets import (
    LaneRoom,
    bundle_room,
    pointers_of,
    rows_by_hand,
    rows_by_lane,
)
from counterplay.treeplex.simd import fetch, get, pointer, put, shifted, where_above, with_pointers

_NOTHING = -2
"""In place of a position: there is no such fold or showdown."""


@kernel(inner=True)
def pay_all(b: int, at: Any, board: Any, room: Any, zero: Any) -> None:
    """Folds and showdowns of a bundle."""
    for k in range(get(at.bundles, 12 * b + 8), get(at.bundles, 12 * b + 9)):
        if get(at.earned, 3 * k + 1) > _NOTHING:
            _pay_showdown(k, at, board, room, zero)
        else:
            _pay_fold(k, at, board, room, zero)


@kernel(inline=True, inner=True)
def add_earnings(at: Any, room: Any, hand: int, position: int, value: Any, total: Any) -> Any:
    """Add to what an own position is worth to a hand's lane; a total plus what that is worth to the hand."""
    if position >= 0:
        place = position * at.own_rows + get(at.own_row, hand)
        set_row(room.worth, place, row(room.worth, place, value) + value)
        value *= row(room.plan, place, value)
    return total + value


@kernel(inline=True, inner=True)
def position_reach(at: Any, room: Any, hand: int, position: int, zero: Any) -> Any:
    """The other's reach of a position with one hand."""
    value = row(room.entry, hand, zero)
    if position >= 0:
        value *= row(room.theirs, position * at.other_rows + get(at.other_row, hand), zero)
    return value


@kernel(inner=True)
def _pay_fold(k: int, at: Any, board: Any, room: Any, zero: Any) -> None:
    other, fold = get(at.earned, 3 * k), get(at.earned, 3 * k + 2)
    pairs, total, table, amounts = pointer(board.pairs), zero, room.cards, shifted(at.amounts, 6 * k * lanes_of(zero))
    for card in range(board.slots):
        set_row(table, card, zero)
    for h in range(at.hands):
        total += add_hand(table, pairs, h, position_reach(at, room, h, other, zero))
    if is_zero(total):
        return
    share, amount = row(amounts, 4, zero), row(amounts, 5, zero)
    for h in range(at.hands):
        free = total - row(table, get(pairs, 2 * h), zero) - row(table, get(pairs, 2 * h + 1), zero)
        value = free * share + amount * position_reach(at, room, h, other, zero)
        set_row(room.values, h, add_earnings(at, room, h, fold, value, row(room.values, h, zero)))


@kernel(inner=True)
def _pay_showdown(k: int, at: Any, board: Any, room: Any, zero: Any) -> None:
    """A showdown, and a fold after the same play of the other if there is one."""
    other, show, fold = get(at.earned, 3 * k), get(at.earned, 3 * k + 1), get(at.earned, 3 * k + 2)
    pairs, total, table, amounts = pointer(board.pairs), zero, room.cards, shifted(at.amounts, 6 * k * lanes_of(zero))
    for h in range(at.hands):
        value = position_reach(at, room, h, other, zero)
        set_row(room.hands, h, value)
        total += value
    if is_zero(total):
        return
    for card in range(board.slots):
        set_row(table, card, zero)
    # Amounts of the k-th earning, six registers: ratio of the walk, then gap, lost, tied, and a fold's share and amount.
    total = sweep_rows(board, SweepRoom(table, room.middle, room.hands), row(amounts, 0, zero), zero)
    gap, lost, tied = row(amounts, 1, zero), row(amounts, 2, zero), row(amounts, 3, zero)
    share, amount = row(amounts, 4, zero), row(amounts, 5, zero)
    ties = not is_zero(tied)
    # Free of both cards of hand h; what it is worth goes to the showdown's position and to the fold's.
    for h in range(at.hands):
        free = total - row(table, get(pairs, 2 * h), zero) - row(table, get(pairs, 2 * h + 1), zero)
        value = free * lost + row(room.hands, h, zero) * gap
        if ties:
            value += tied * position_reach(at, room, h, other, zero)
        worth = add_earnings(at, room, h, show, value, row(room.values, h, zero))
        if fold > _NOTHING:
            worth = add_earnings(
                at, room, h, fold, free * share + amount * position_reach(at, room, h, other, zero), worth
            )
        set_row(room.values, h, worth)


_AHEAD = 3
"""Lanes whose numbers are fetched before they are needed."""
_TINY = 1e-30
"""Sums of regrets up to this are as good as 0."""


@kernel(inline=True, inner=True)
def _fetch_lane(at: Any, table: Any, k: int, before: int, many: int, width: int) -> None:
    """Begin to load the numbers of a lane that comes soon."""
    if k < at.lanes:
        place = (before * at.all_lanes + get(at.here, k) * many) * width
        for s in range(many):
            fetch(table, place + s * width)


@kernel(inline=True, inner=True)
def _strategy(decisions: Any, begin: int, end: int, even: Any, regrets: Any, plan: Any, lanes: int, zero: Any) -> None:
    """Regret matching of one lane in a bundle, as products from the entries; `plan`: rows `lanes` apart."""
    tiny = same(_TINY, zero)
    for k in range(begin, end):
        above, first, count = get(decisions, 3 * k), get(decisions, 3 * k + 1), get(decisions, 3 * k + 2)
        total = zero
        for s in range(first, first + count):
            total += positive(row(regrets, s, zero))
        scale = inverse(where_above(total, tiny, total, tiny))
        for s in range(first, first + count):
            chance = where_above(total, tiny, positive(row(regrets, s, zero)) * scale, row(even, s, zero))
            if above >= 0:
                chance *= row(plan, above * lanes, zero)
            set_row(plan, s * lanes, chance)


@kernel(inline=True, inner=True)
def enter(b: int, at: Any, room: Any, zero: Any) -> None:
    """The other's reach of the lines of a bundle, by hands of this board."""
    for h in range(at.hands):
        set_row(room.entry, h, row(at.reach, get(at.up, h) * at.bundle_count + b, zero))


@kernel(inner=True)
def match_other(b: int, at: Any, weight: float, room: Any, zero: Any) -> None:
    """The other's plan by lanes in a bundle, and, if the weight is above 0, its average."""
    width, facts = lanes_of(zero), shifted(at.bundles, 12 * b)
    many, before, begin, end = get(facts, 1), get(facts, 3), get(facts, 6), get(facts, 7)
    enter(b, at, room, zero)
    if many == 0:
        return
    times, even = same(weight, zero), shifted(at.other_even, before * width)
    for k in range(at.lanes):
        place = (before * at.all_lanes + get(at.here, k) * many) * width
        plan = shifted(room.theirs, k * width)
        _fetch_lane(at, at.other_regrets, k + _AHEAD, before, many, width)
        _strategy(at.other, begin, end, even, shifted(at.other_regrets, place), plan, at.other_rows, zero)
        if weight <= 0.0:
            continue
        _fetch_lane(at, at.sums, k + _AHEAD, before, many, width)
        total, into = zero, shifted(at.sums, place)
        for i in range(get(at.starts, k), get(at.starts, k + 1)):
            total += row(room.entry, get(at.order, i), zero)
        if not is_zero(total):
            total *= times
            for s in range(many):
                set_row(into, s, row(into, s, zero) + total * row(plan, s * at.other_rows, zero))


@kernel(inner=True)
def match_own(b: int, at: Any, room: Any, zero: Any) -> None:
    """The own plan by lanes in a bundle; nothing is worth anything yet."""
    width, facts = lanes_of(zero), shifted(at.bundles, 12 * b)
    many, before, begin, end = get(facts, 0), get(facts, 2), get(facts, 4), get(facts, 5)
    even = shifted(at.even, before * width)
    for k in range(at.lanes):
        place = (before * at.all_lanes + get(at.here, k) * many) * width
        _fetch_lane(at, at.regrets, k + _AHEAD, before, many, width)
        _strategy(
            at.own, begin, end, even, shifted(at.regrets, place), shifted(room.plan, k * width), at.own_rows, zero
        )
    for k in range(at.own_rows * many):
        set_row(room.worth, k, zero)
    for h in range(at.hands):
        set_row(room.values, h, zero)


@kernel(inline=True, inner=True)
def _by_lanes(street: Any, hands: Any, tables: Any, reach: Any) -> Any:
    return pointers_of(street, hands, tables, reach, rows_by_lane(hands), rows_by_lane(hands))


@kernel(nogil=True)
def go_down(
    listed: Any, street: Any, hands: Any, tables: Any, reach: Any, weight: float, below: Any, room: Any
) -> None:
    """Bring the other's reach of the lines to the next street, and add to its average, for the `listed` bundles. below:
    (n, size of the next street) set, by the hands of this board."""
    zero, at, rooms = wide(pointer(reach)), _by_lanes(street, hands, tables, reach), with_pointers(room)
    dealt, links, out, next_row = pointer(street.dealt), pointer(street.links), pointer(below), below.shape[1]
    width = lanes_of(zero)
    for b in listed:
        inside = bundle_room(b, at, rooms, zero)
        match_other(b, at, weight, inside, zero)
        # Deals of the bundle: rows of four in `dealt`; each has links: a lane of the register, a column of the next street.
        begin, end = get(at.bundles, 12 * b + 10), get(at.bundles, 12 * b + 11)
        for h in range(at.hands):
            onto = shifted(out, h * next_row)
            for d in range(begin, end):
                line = shifted(rooms.deals, (d - begin) * width)
                set_row(line, 0, position_reach(at, inside, h, get(dealt, 4 * d + 1), zero))
                for k in range(get(dealt, 4 * d + 2), get(dealt, 4 * d + 3)):
                    put(onto, get(links, 2 * k + 1), get(line, get(links, 2 * k)))


@kernel(nogil=True)
def come_back(
    listed: Any, street: Any, board: Any, hands: Any, tables: Any, reach: Any, weight: float, below: Any, onto: Any,
    factor: float, room: Any, values: Any,
) -> None:  # fmt: skip
    """New regrets of a street before the last, and (n, size) values of its lines; the other's plan is that of the
    `go_down` before. below: (places of the next board, size of the next street) values of the lines there. onto:
    (places of the next board,) the place of each of its hands on this board. factor: how many boards may be dealt by
    how many when both hands are known."""
    zero, at, rooms = wide(pointer(reach)), _by_lanes(street, hands, tables, reach), with_pointers(room)
    later, places, next_row, width = pointer(below), pointer(onto), below.shape[1], lanes_of(zero)
    dealt, links, times = pointer(street.dealt), pointer(street.links), same(factor, zero)
    for b in listed:
        # Deals of the bundle and their links, as in `go_down`, read the other way.
        begin, end = get(at.bundles, 12 * b + 10), get(at.bundles, 12 * b + 11)
        inside = bundle_room(b, at, rooms, zero)
        enter(b, at, inside, zero)
        match_own(b, at, inside, zero)
        for d in range(end - begin):
            set_row(inside.deals, d, zero)
        # Hand h of the next board is hand `places[h]` of this one; its lines are gathered register by register, then paid.
        for h in range(len(onto)):
            from_here = shifted(later, h * next_row)
            for d in range(begin, end):
                line = shifted(inside.deals, (d - begin) * width)
                for k in range(get(dealt, 4 * d + 2), get(dealt, 4 * d + 3)):
                    put(line, get(links, 2 * k), get(from_here, get(links, 2 * k + 1)))
            hand = get(places, h)
            worth = row(inside.values, hand, zero)
            for d in range(begin, end):
                worth = add_earnings(
                    at, inside, hand, get(dealt, 4 * d), times * row(inside.deals, d - begin, zero), worth
                )
            set_row(inside.values, hand, worth)
        finish(b, at, board, weight, inside, pointer(values), zero)


@kernel(nogil=True)
def play_out(
    listed: Any, street: Any, board: Any, hands: Any, tables: Any, reach: Any, weight: float, average: float, room: Any,
    values: Any,
) -> None:  # fmt: skip
    """The last street: the other's average, which has a weight of its own, new regrets, and the values of the lines."""
    zero, at, rooms = wide(pointer(reach)), _by_lanes(street, hands, tables, reach), with_pointers(room)
    for b in listed:
        inside = bundle_room(b, at, rooms, zero)
        match_other(b, at, average, inside, zero)
        match_own(b, at, inside, zero)
        finish(b, at, board, weight, inside, pointer(values), zero)


@kernel(inner=True)
def finish(b: int, at: Any, board: Any, weight: float, room: Any, values: Any, zero: Any) -> None:
    """Folds and showdowns of a bundle, new regrets, and what its lines are worth to all hands."""
    pay_all(b, at, board, room, zero)
    _move(b, at, weight, room, zero)
    hand_over(b, at, room, values, zero)


@kernel(inline=True, inner=True)
def hand_over(b: int, at: Any, room: Any, values: Any, zero: Any) -> None:
    """Values of the lines of a bundle to all hands."""
    for h in range(at.hands):
        set_row(values, h * at.bundle_count + b, row(room.values, h, zero))


@kernel(inner=True)
def _move(b: int, at: Any, weight: float, room: Any, zero: Any) -> None:
    width, facts, times = lanes_of(zero), shifted(at.bundles, 12 * b), same(weight, zero)
    many, before, begin, end = get(facts, 0), get(facts, 2), get(facts, 4), get(facts, 5)
    even = shifted(at.even, before * width)
    tiny = same(_TINY, zero)
    for k in range(at.lanes):
        # A bundle's table: `many` registers for each of all lanes of the street; here those of the k-th lane of the board.
        regrets = shifted(at.regrets, (before * at.all_lanes + get(at.here, k) * many) * width)
        worth = shifted(room.worth, k * width)
        _fetch_lane(at, at.regrets, k + _AHEAD, before, many, width)
        # Children first: values of a lane's hands are `own_rows` registers apart; a line without the action has `even` 0.
        for d in range(end - 1, begin - 1, -1):
            above, first, count = get(at.own, 3 * d), get(at.own, 3 * d + 1), get(at.own, 3 * d + 2)
            total, mean, evenly = zero, zero, zero
            for s in range(first, first + count):
                chance, value = positive(row(regrets, s, zero)), row(worth, s * at.own_rows, zero)
                total += chance
                mean += chance * value
                evenly += row(even, s, zero) * value
            mean = where_above(total, tiny, mean * inverse(where_above(total, tiny, total, tiny)), evenly)
            for s in range(first, first + count):
                better = where_above(row(even, s, zero), zero, row(worth, s * at.own_rows, zero) - mean, zero)
                set_row(regrets, s, row(regrets, s, zero) + times * better)
            if above >= 0:
                set_row(worth, above * at.own_rows, row(worth, above * at.own_rows, zero) + mean)


_WORST = -1e30
"""What an action is worth that a line does not have."""


@kernel(nogil=True)
def answer(
    listed: Any, street: Any, board: Any, hands: Any, tables: Any, reach: Any, average: float, room: Any, values: Any,
) -> None:  # fmt: skip
    """The best response of the player who moves, the values of its lines, and the other's average. The mover's table is
    not read; its own plan in `room` is set, of all positions and hands: the products of what is chosen from the entry
    on."""
    zero, rooms = wide(pointer(reach)), with_pointers(room)
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
    """New regrets of the player who moves, and the values of its lines, against the other's response: `room`'s plan of
    the other is the own one of `answer`, and the other's table is not read."""
    zero, rooms = wide(pointer(reach)), with_pointers(room)
    at = pointers_of(street, hands, tables, reach, rows_by_lane(hands), rows_by_hand(hands))
    for b in listed:
        inside = bundle_room(b, at, rooms, zero)
        enter(b, at, inside, zero)
        match_own(b, at, inside, zero)
        finish(b, at, board, weight, inside, pointer(values), zero)


@kernel(inner=True)
def _choose(b: int, hand: int, at: Any, room: Any, zero: Any) -> None:
    """The first best action of a hand at every decision of a bundle, and the values of the lines by them."""
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
