"""Showdowns and folds of two ranges on one board: the payoff of every hand against a reach, in O(hands).

At a showdown, hand i gets  win * below - lose * above + tie * equal:  the reach of the opposing hands that rank below,
above or equal and share no card with it. Let `before` and `after` be the reach of all hands up to before and to after
those equal to i, less that of the hands among them with the first card of i, less that of those with its second card;
`all` is the same for all hands. Only hand i itself is then subtracted twice, and with a = win - tie, b = lose + tie it
gets

    a * before + b * after - lose * all + tie * (reach of hand i).

So one ascending walk with a sum per card serves wins, losses and ties. A fold pays  amount * (all + reach of hand i).
Terminals are processed L at a time, as the lanes of vectors (see `card_removal`); a showdown and a fold after the same
play of the opponent share a lane. Rounding leaves about 1e-16 (float32: 1e-7) of the total reach where a sum should be
0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from counterplay.jit import kernel
from counterplay.poker.showdown.card_removal import (
    give_block,
    give_hand,
    if_listed,
    lanes_of,
    narrow,
    number_at,
    row,
    rows_from,
    same,
    set_row,
    take_block,
    wide,
)
from counterplay.poker.showdown.terminals import (
    FOLDS,
    GROUPS,
    HANDS,
    MORE,
    PAIRS,
    SLOTS,
    STEPS,
    WALK,
    Held,
    RankedBoard,
    Terminals,
)
from counterplay.treeplex.simd import get, pointer, put, shifted


class SweepRoom(NamedTuple):
    """Parts of the scratch: sums per card, the same in the middle of equal hands, and rows of hands."""

    table: Any
    middle: Any
    rows: Any


@kernel(inner=True)
def sweep_plan(board: Any, held: Any, rooms: Any, plan: Any, reaches: Any, ratio: Any, zero: Any) -> Any:
    """Write ratio * before + after of every hand to rooms.rows and (1 + ratio) times the sums per card to rooms.table;
    return (1 + ratio) times the sum of all hands. ratio: a / b."""
    rows, steps, lanes = rooms.rows, pointer(board.steps), lanes_of(zero)
    full = held.taken - held.taken % lanes
    at, taken, hand, total = 0, 0, 0, zero
    set_row(rows, board.hands, zero)
    if held.taken < board.hands:
        _blank(board, held, rows, zero)
    take_rest(held, held.takes, plan, reaches, rows, zero)
    for _ in range(board.groups):
        size, cards = get(steps, at), get(steps, at + 1)
        # Just before they are needed: they are still in the first cache.
        while taken < full and number_at(held.takes, taken) < hand + size:
            take_block(plan, reaches, taken, held.takes, rows_from(rows, held.takes, taken * lanes), zero)
            taken += lanes
        if cards == 0:
            at, total = at + 2, _pass_one(board, rooms, hand, total, ratio, zero)
        else:
            at, total = _pass_equals(board, rooms, at, hand, total, ratio, zero)
        hand += size
    return total


@kernel(inner=True)
def sweep_rows(board: Any, rooms: SweepRoom, ratio: Any, zero: Any) -> Any:
    """As `sweep_plan`, of reach that stands in rooms.rows already."""
    rows, steps = rooms.rows, pointer(board.steps)
    at, hand, total = 0, 0, zero
    set_row(rows, board.hands, zero)
    for _ in range(board.groups):
        size, cards = get(steps, at), get(steps, at + 1)
        if cards == 0:
            at, total = at + 2, _pass_one(board, rooms, hand, total, ratio, zero)
        else:
            at, total = _pass_equals(board, rooms, at, hand, total, ratio, zero)
        hand += size
    return total


@kernel(inline=True, inner=True)
def _pass_one(board: Any, rooms: Any, hand: int, total: Any, ratio: Any, zero: Any) -> Any:
    table, _, rows = rooms
    pairs = pointer(board.pairs)
    one, two, value = get(pairs, 2 * hand), get(pairs, 2 * hand + 1), row(rows, hand, zero)
    first, second = row(table, one, zero) + value, row(table, two, zero) + value
    total += value
    set_row(rows, hand, total - first - second)
    value *= ratio
    set_row(table, one, first + value)
    set_row(table, two, second + value)
    return total + value


@kernel(inline=True, inner=True)
def _pass_equals(board: Any, rooms: Any, at: int, begin: int, total: Any, ratio: Any, zero: Any) -> Any:
    """Pass the tied hands from `begin` on, whose steps begin at `at`; card by card, since they share few cards."""
    table, middle, rows = rooms
    steps, pairs = pointer(board.steps), pointer(board.pairs)
    size, cards = get(steps, at), get(steps, at + 1)
    at += 2
    twice = zero  # every hand counts with both its cards
    for _ in range(cards):
        slot, fours = get(steps, at), get(steps, at + 1)
        own = _four(steps, at + 2, rows, zero)
        at += 6
        for _ in range(fours - 1):
            own += _four(steps, at, rows, zero)
            at += 4
        twice += own
        inner = row(table, slot, zero) + own
        set_row(middle, slot, inner)
        set_row(table, slot, inner + ratio * own)
    value = twice * same(0.5, zero)
    total += value
    for k in range(begin, begin + size):
        one, two = get(pairs, 2 * k), get(pairs, 2 * k + 1)
        set_row(rows, k, total - row(middle, one, zero) - row(middle, two, zero))
    return at, total + ratio * value


@kernel(inline=True, inner=True)
def _four(steps: Any, at: int, rows: Any, zero: Any) -> Any:
    """The sum of the four rows numbered in `steps`."""
    low = row(rows, get(steps, at), zero) + row(rows, get(steps, at + 1), zero)
    return low + (row(rows, get(steps, at + 2), zero) + row(rows, get(steps, at + 3), zero))


@kernel(inner=True)
def _blank(board: Any, held: Any, rows: Any, zero: Any) -> None:
    """Clear the rows of hands that the opponent does not hold."""
    hand = 0
    for k in range(held.taken):
        number = number_at(held.takes, k)
        for gone in range(hand, number):
            set_row(rows, gone, zero)
        hand = number + 1
    for gone in range(hand, board.hands):
        set_row(rows, gone, zero)


@kernel(inner=True)
def take_rest(held: Any, takes: Any, plan: Any, reaches: Any, rows: Any, zero: Any) -> None:
    """Load the opponent's last hands, which fill no block."""
    lanes = lanes_of(zero)
    for hand in range(held.taken - held.taken % lanes, held.taken):
        number = number_at(takes, hand)
        for lane in range(lanes):
            put(rows, number * lanes + lane, get(plan, get(reaches, lane) + hand))


class Sums(NamedTuple):
    """The resulting rows: scale * own + gain * (total - the rows of the hand's two cards in `table`); scale None: 0. gives:
    as of `Held`. rows_of: int32, the row of `own` of each hand, below 0 for row number `none`; None: as `gives` tells.
    """

    table: Any
    pairs: Any
    own: Any
    total: Any
    gain: Any
    scale: Any
    gives: Any
    rows_of: Any
    none: Any


class Into(NamedTuple):
    """Their destination: the runs of `out` from `starts` on (none below 0), stored where `fresh`, else added; plus the runs
    of `plan` from `reaches` on times `weights`, if not None. shared: as of `Held`."""

    out: Any
    starts: Any
    fresh: Any
    plan: Any
    reaches: Any
    weights: Any
    shared: Any


@kernel(nogil=True)
def evaluate(board: RankedBoard, terminals: Terminals, plan: Any, out: Any, scratch: Any) -> None:
    """Add the payoffs of all terminals against the opponent's `plan` to `out`, the CFVs. All arrays have the dtype of
    `terminals` and `scratch`."""
    evaluate_at(board, terminals, pointer(plan), pointer(out), pointer(scratch))


@kernel(inner=True)
def evaluate_at(board: Any, terminals: Any, plan: Any, out: Any, scratch: Any) -> None:
    """`evaluate` on pointers."""
    ranked = RankedBoard(board.hands, board.slots, board.groups, pointer(board.pairs), pointer(board.steps))
    count, listed = (
        len(terminals.batches),
        Terminals(pointer(terminals.batches), pointer(terminals.places), pointer(terminals.amounts)),
    )
    evaluate_batches(ranked, all_held(ranked), listed, count, plan, out, scratch)


@kernel(inner=True)
def ranked_board(row: Any, pairs: Any, steps: Any) -> Any:
    """The `RankedBoard` of a row of a table of boards. pairs, steps: of all of them."""
    numbers = get(row, HANDS), get(row, SLOTS), get(row, GROUPS)
    return RankedBoard(*numbers, shifted(pairs, get(row, PAIRS)), shifted(steps, get(row, STEPS)))


@kernel(inline=True, inner=True)
def all_held(board: Any) -> Any:
    """Both players hold all hands of a board."""
    return Held(board.hands, board.hands, None, None, None)


@kernel(shared=True)
def evaluate_batches(board: Any, held: Any, terminals: Any, count: int, plan: Any, out: Any, scratch: Any) -> None:
    """Evaluate the first `count` batches; the arrays of the terminals and of the board are pointers. held: a `Held`."""
    places, amounts = terminals.places, terminals.amounts
    for k in range(count):
        lanes, what = get(terminals.batches, 2 * k), get(terminals.batches, 2 * k + 1)
        if lanes == 1:
            _batch(board, held, places, amounts, what, plan, out, scratch, narrow(plan))
        else:
            _batch(board, held, places, amounts, what, plan, out, scratch, wide(plan))
        places, amounts = shifted(places, 5 * lanes), shifted(amounts, 6 * lanes)


@kernel(inner=True)
def _batch(
    board: Any, held: Any, places: Any, amounts: Any, what: Any, plan: Any, out: Any, scratch: Any, zero: Any
) -> None:
    """Evaluate the terminals of one vector. places: 5 rows of numbers, amounts: 6 rows (see `Terminals`)."""
    lanes = lanes_of(zero)
    rooms = SweepRoom(scratch, shifted(scratch, board.slots * lanes), shifted(scratch, 2 * board.slots * lanes))
    reaches, pairs, apart = places, pointer(board.pairs), _is_apart(board, held)
    for slot in range(board.slots):
        set_row(rooms.table, slot, zero)
    if what & WALK:
        total = sweep_plan(board, held, rooms, plan, reaches, row(amounts, 0, zero), zero)
        sums = Sums(
            rooms.table, pairs, rooms.rows, total, row(amounts, 2, zero), row(amounts, 1, zero), held.gives, None, 0
        )
        starts, fresh = shifted(places, lanes), shifted(places, 2 * lanes)
        if what & MORE:
            more = Into(out, starts, fresh, plan, reaches, shifted(amounts, 3 * lanes), held.shared)
            _give(held, sums, more, zero)
        else:
            _give(held, sums, Into(out, starts, fresh, None, None, None, None), zero)
        if what & FOLDS and apart:
            _take_again(held, rooms, plan, reaches, zero)
    else:
        total = _add_up(board, held, apart, rooms, plan, reaches, zero)
    if what & FOLDS:
        starts, fresh, gain = shifted(places, 3 * lanes), shifted(places, 4 * lanes), row(amounts, 4, zero)
        times, listed = shifted(amounts, 5 * lanes), held.shared
        if apart:  # the opponent's reach of the same hand is read from its row, else from the plan
            own, weights = if_listed(listed, rooms.rows, None), if_listed(listed, row(amounts, 5, zero), None)
            sums = Sums(
                rooms.table, pairs, own, total, gain, weights, held.gives, listed, if_listed(listed, held.taken, 0)
            )
            _give(held, sums, Into(out, starts, fresh, if_listed(listed, None, plan), reaches, times, None), zero)
        else:
            sums_here = Sums(rooms.table, pairs, None, total, gain, None, held.gives, None, 0)
            _give(held, sums_here, Into(out, starts, fresh, plan, reaches, times, None), zero)


@kernel(inline=True, inner=True)
def _is_apart(board: Any, held: Any) -> Any:
    """Return whether one of the players holds only some hands of a board; known to the compiler where none are listed."""
    return if_listed(held.shared, held.taken < board.hands or held.given < board.hands, False)


@kernel(inner=True)
def _take_again(held: Any, rooms: Any, plan: Any, reaches: Any, zero: Any) -> None:
    """The opponent's reach as rows, one for each of their hands, and a row of zeros."""
    lanes = lanes_of(zero)
    for begin in range(0, held.taken - held.taken % lanes, lanes):
        take_block(plan, reaches, begin, None, shifted(rooms.rows, begin * lanes), zero)
    take_rest(held, None, plan, reaches, rooms.rows, zero)
    set_row(rooms.rows, held.taken, zero)


@kernel(inner=True)
def _add_up(board: Any, held: Any, apart: Any, rooms: Any, plan: Any, reaches: Any, zero: Any) -> Any:
    """Compute the sums per card in rooms.table and return that of all hands, for folds. apart: keep all rows, and one of
    zeros."""
    table, rows, pairs, lanes = rooms.table, rooms.rows, pointer(board.pairs), lanes_of(zero)
    full, total = held.taken - held.taken % lanes, zero
    for begin in range(0, full, lanes):
        block = shifted(rows, begin * lanes if apart else 0)
        take_block(plan, reaches, begin, None, block, zero)
        for k in range(lanes):
            total += add_hand(table, pairs, number_at(held.takes, begin + k), row(block, k, zero))
    take_rest(held, None, plan, reaches, rows, zero)
    for hand in range(full, held.taken):
        total += add_hand(table, pairs, number_at(held.takes, hand), row(rows, hand, zero))
    if apart:
        set_row(rows, held.taken, zero)
    return total


@kernel(inline=True, inner=True)
def add_hand(table: Any, pairs: Any, hand: int, value: Any) -> Any:
    """Add a hand's reach to the sums of its cards; the reach."""
    one, two = get(pairs, 2 * hand), get(pairs, 2 * hand + 1)
    set_row(table, one, row(table, one, value) + value)
    set_row(table, two, row(table, two, value) + value)
    return value


@kernel(inner=True)
def _give(held: Any, sums: Any, into: Any, zero: Any) -> None:
    """Store all hands of a batch."""
    lanes = lanes_of(zero)
    full = held.given - held.given % lanes
    for hand in range(0, full, lanes):
        give_block(sums, into, hand, zero)
    for hand in range(full, held.given):
        give_hand(sums, into, hand, zero)
