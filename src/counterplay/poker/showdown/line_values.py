"""What lines of the last street are worth to each hand, side by side: under the best actions, under a strategy, or under the
actions that seem best (see `line_sweeps`)."""

from __future__ import annotations

from typing import Any

from counterplay.jit import kernel
from counterplay.poker.showdown.line_sweeps import LACKING, evaluate_hand, leave_equals, pass_equals, sum_by_card
from counterplay.poker.showdown.simd_lanes import block, lanes_of, row, same, set_row, wide
from counterplay.treeplex.simd import get, pointer, shifted, where_above


@kernel(nogil=True)
def add_lines(
    street: Any, board: Any, up: Any, lane: Any, plan: Any, own_lane: Any, own: Any, own_lanes: int, reach: Any,
    weight: float, room: Any, out: Any,
) -> None:  # fmt: skip
    """Add what lines are worth to each hand under the best actions, or under the player's own strategy.

    Args:
        street: a `LineStreet`.
        board: its hands, a `RankedBoard`.
        up: (n,) the row of each hand in `reach` and `out`.
        lane: (n,) its lane.
        plan: a `LinePlan`.
        own_lane: (n,) the lane of each hand in the own strategy.
        own: by block, lane and position, the products of its probabilities.
        own_lanes: how many it has; 0 for the best actions.
        reach: (rows, lines) the opponent's reach of the lines.
        weight: what the board counts.
        room: a `LineRoom`.
        out: (rows, lines) changed.
    """
    for b in range(len(street.bundles)):
        facts = shifted(pointer(street.bundles), 7 * b)
        _enter(board, facts, up, lane, plan, reach, room)
        at, hand = 0, 0
        for _ in range(board.groups):
            many, held = get(pointer(board.steps), at), get(pointer(board.steps), at + 1)
            at += 2
            if held:
                at = pass_equals(board, facts, lane, plan, at, hand, many, held, room)
            for h in range(hand, hand + many):
                evaluate_hand(board, facts, street.absent, lane, plan, h, held, room)
                if own_lanes:
                    value = _played(facts, own_lane, own, own_lanes, h, room)
                else:
                    _take_best(street, facts, room, room, False)
                    value = row(pointer(room.worth), get(pointer(street.entries), b), wide(pointer(reach)))
                _add_up(facts, up, reach, h, weight, value, out)
            if held:
                leave_equals(facts, room)
            hand += many


@kernel(nogil=True)
def add_chosen_lines(
    street: Any, board: Any, up: Any, lane: Any, plan: Any, reach: Any, guess_lane: Any, guess: Any, guess_reach: Any,
    backed: bool, weight: float, room: Any, spare: Any, out: Any,
) -> None:  # fmt: skip
    """Add what lines are worth to each hand under the actions that seem best by another plan of the opponent.

    Args:
        guess_lane, guess, guess_reach: as `lane`, `plan` and `reach`, by which actions are compared.
        backed: an action seems to be worth what follows it, too; otherwise every decision stands alone.
        spare: another `LineRoom`.
        street, board, up, lane, plan, reach, weight, room, out: as of `add_lines`.
    """
    for b in range(len(street.bundles)):
        facts = shifted(pointer(street.bundles), 7 * b)
        _enter(board, facts, up, lane, plan, reach, room)
        _enter(board, facts, up, guess_lane, guess, guess_reach, spare)
        at, hand = 0, 0
        for _ in range(board.groups):
            many, held = get(pointer(board.steps), at), get(pointer(board.steps), at + 1)
            at += 2
            if held:
                pass_equals(board, facts, guess_lane, guess, at, hand, many, held, spare)
                at = pass_equals(board, facts, lane, plan, at, hand, many, held, room)
            for h in range(hand, hand + many):
                evaluate_hand(board, facts, street.absent, guess_lane, guess, h, held, spare)
                evaluate_hand(board, facts, street.absent, lane, plan, h, held, room)
                _take_best(street, facts, spare, room, backed)
                value = row(pointer(room.worth), get(pointer(street.entries), b), wide(pointer(reach)))
                _add_up(facts, up, reach, h, weight, value, out)
            if held:
                leave_equals(facts, room)
                leave_equals(facts, spare)
            hand += many


@kernel(inline=True, inner=True)
def _enter(board: Any, facts: Any, up: Any, lane: Any, plan: Any, reach: Any, room: Any) -> None:
    """The reach of all hands in the lines of a bundle, and the sums over them."""
    zero, places = wide(pointer(reach)), pointer(up)
    size = reach.shape[1] // lanes_of(zero)
    for h in range(board.hands):
        set_row(pointer(room.entry), h, row(pointer(reach), get(places, h) * size + get(facts, 0), zero))
    sum_by_card(board, facts, lane, plan, room)


@kernel(inline=True, inner=True)
def _add_up(facts: Any, up: Any, reach: Any, h: int, weight: float, value: Any, out: Any) -> None:
    """Add a hand's weighted value to the lines of a bundle."""
    place = get(pointer(up), h) * (reach.shape[1] // lanes_of(value)) + get(facts, 0)
    set_row(pointer(out), place, row(pointer(out), place, value) + same(weight, value) * value)


@kernel(inline=True, inner=True)
def _take_best(street: Any, facts: Any, guesses: Any, room: Any, backed: bool) -> None:
    """Add to every position the worth of that after it which seems best, by the values in the room `guesses`."""
    decisions, actions, worth = pointer(street.decisions), pointer(street.actions), pointer(room.worth)
    guess, zero = pointer(guesses.worth), wide(worth)
    lacking = same(LACKING / 2, zero)
    for d in range(get(facts, 6) - 1, get(facts, 5) - 1, -1):
        above, begin = get(decisions, 3 * d), get(decisions, 3 * d + 1)
        best, value = row(guess, get(actions, begin), zero), row(worth, get(actions, begin), zero)
        for k in range(begin + 1, get(decisions, 3 * d + 2)):
            other = row(guess, get(actions, k), zero)
            value = where_above(other, best, row(worth, get(actions, k), zero), value)
            best = where_above(other, best, other, best)
        set_row(worth, above, row(worth, above, zero) + where_above(best, lacking, value, zero))
        if backed:
            set_row(guess, above, row(guess, above, zero) + where_above(best, lacking, best, zero))


@kernel(inline=True, inner=True)
def _played(facts: Any, lane: Any, own: Any, lanes: int, h: int, room: Any) -> Any:
    """What a hand's line is worth under the own strategy: linear in what its positions earn at once."""
    worth, blocks = pointer(room.worth), get(facts, 1)
    zero, part = block(worth), wide(worth)
    here = shifted(pointer(own), (get(facts, 3) * lanes + get(pointer(lane), h) * blocks) * lanes_of(zero))
    total = zero
    for j in range(blocks):
        total += row(worth, j, zero) * row(here, j, zero)
    set_row(worth, 0, total)
    return (row(worth, 0, part) + row(worth, 1, part)) + (row(worth, 2, part) + row(worth, 3, part))
