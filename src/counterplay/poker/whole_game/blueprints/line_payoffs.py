"""Folds and showdowns of lines of betting side by side on one board, for public chance sampling (see `line_kernels`)."""

from __future__ import annotations

from typing import Any

from counterplay.jit import kernel
from counterplay.poker.showdown.hand_sweep import SweepRoom, sweep_rows
from counterplay.poker.showdown.showdown import add_hand
from counterplay.poker.showdown.simd_lanes import is_zero, lanes_of, row, set_row
from counterplay.treeplex.simd import get, pointer, shifted

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
    """A fold."""
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
