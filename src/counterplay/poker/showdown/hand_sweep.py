"""The ascending walk over the hands of a board, tied hands together, with a sum per card: the reach below and above each
hand (the formula is in `showdown`), for L terminals at a time, a row of L lanes per hand.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from counterplay.jit import kernel
from counterplay.poker.showdown.card_removal import number_at, rows_from, take_block
from counterplay.poker.showdown.simd_lanes import lanes_of, row, same, set_row
from counterplay.treeplex.simd import get, pointer, put


class SweepRoom(NamedTuple):
    """Parts of the scratch: sums per card, the same in the middle of equal hands, and rows of hands."""

    table: Any
    middle: Any
    rows: Any


@kernel(inner=True)
def sweep_plan(board: Any, held: Any, rooms: Any, plan: Any, reaches: Any, ratio: Any, zero: Any) -> Any:
    """Write ratio * before + after of every hand to rooms.rows and (1 + ratio) times the sums per card to rooms.table;
    return (1 + ratio) times the sum of all hands. ratio: a / b.
    """
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
