"""Sweeps over the hands of a board on the last street for a player who answers a fixed strategy, many lines of betting side
by side.

As many lines as a register has elements make a bundle (see `values.line_bundles` of whole games). What an action of the
player earns at once is linear in the opponent's reach: a hand wins `half` from those that it beats and loses it to those
that beat it, where the opponent stays in, and gets `amount` from all, where they fold. With x = half * reach and y = amount
* reach,

    value of hand i = sum of y - x over all + sum of x over those below i + sum of x over those below or equal to i,

over hands that share no card with it. So one ascending walk with a sum per card serves each action, in the terms of
`showdown`. Actions are processed in blocks of four registers, and the value of a hand never leaves the first cache before
the action is known.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from counterplay.jit import kernel
from counterplay.poker.showdown.card_removal import BLOCK, block, lanes_of, repeated, row, same, set_row, wide
from counterplay.poker.showdown.showdown import SweepRoom, sweep_rows
from counterplay.poker.showdown.terminals import width_of
from counterplay.treeplex.simd import get, pointer, shifted, where_above
from counterplay.treeplex.sweeps import zeros_of

LACKING = -1e30
"""The worth of an action that a line lacks."""


class LineStreet(NamedTuple):
    """A street as the kernels take it. Positions of a bundle are the player's actions, and the entry, those with showdowns
    first, in blocks.

    Attributes:
        bundles: (bundles, 7) of each its place in a row of lines, blocks of positions, blocks with showdowns, blocks of the
            bundles before it, of these with showdowns, and begin and end of its rows of `decisions`.
        decisions: (decisions, 3) position before it, and begin and end of its `actions`.
        actions: positions.
        entries: (bundles,) position of the entry; after all blocks where the entry earns nothing at once.
        absent: (positions, width) 0, or `LACKING` where a line lacks the action.
    """

    bundles: Any
    decisions: Any
    actions: Any
    entries: Any
    absent: Any


class LinePlan(NamedTuple):
    """The opponent's strategy as the kernels take it: by block, lane and position, the products of their probabilities
    from the entry on, times what the player earns. shown: times half of the pot, where a showdown follows. folded:
    times what a fold pays. lanes: how many there are."""

    shown: Any
    folded: Any
    lanes: int


class LineRoom(NamedTuple):
    """Work space: blocks by hand and block of positions; registers by hand; blocks by card and block of positions twice, and
    by block of positions three times."""

    rows: Any
    entry: Any
    cards: Any
    middle: Any
    totals: Any
    twice: Any
    worth: Any


def line_room(hands: int, cards: int, blocks: int, kind: np.dtype[Any]) -> LineRoom:
    """Work space of one thread for boards with so many hands and cards, and bundles of at most so many blocks."""
    width = width_of(kind)
    many = blocks * BLOCK * width
    sizes = ((hands + 1) * many, hands * width, cards * many, cards * many, many, many, many + width)
    return LineRoom(*(zeros_of((size,), kind) for size in sizes))


@kernel(inner=True)
def sum_by_card(board: Any, facts: Any, lane: Any, plan: Any, room: Any) -> None:
    """Sums over all hands: y - x of all, and of those with each card."""
    cards, totals, pairs, entry = pointer(room.cards), pointer(room.totals), pointer(board.pairs), pointer(room.entry)
    zero, part, blocks, shows = block(cards), wide(cards), get(facts, 1), get(facts, 2)
    shown, folded = _plan_of(facts, plan, zero)
    for k in range(board.slots * blocks):
        set_row(cards, k, zero)
    for j in range(blocks):
        set_row(totals, j, zero)
    # Block j of slot c stands in row c * blocks + j; hand h holds the cards `pairs[2h]` and `pairs[2h + 1]`.
    for h in range(board.hands):
        reach, own = repeated(row(entry, h, part)), get(pointer(lane), h)
        one, two = get(pairs, 2 * h) * blocks, get(pairs, 2 * h + 1) * blocks
        for j in range(blocks):
            value = reach * row(folded, own * blocks + j, zero)
            if j < shows:
                value -= reach * row(shown, own * shows + j, zero)
            set_row(cards, one + j, row(cards, one + j, zero) + value)
            set_row(cards, two + j, row(cards, two + j, zero) + value)
            set_row(totals, j, row(totals, j, zero) + value)


@kernel(inline=True, inner=True)
def _plan_of(facts: Any, plan: Any, zero: Any) -> Any:
    """Where both tables of a bundle begin."""
    lanes = plan.lanes * lanes_of(zero)
    return shifted(pointer(plan.shown), get(facts, 4) * lanes), shifted(pointer(plan.folded), get(facts, 3) * lanes)


@kernel(inline=True, inner=True)
def evaluate_hand(board: Any, facts: Any, absent: Any, lane: Any, plan: Any, h: int, tied: int, room: Any) -> None:
    """What every position earns at once with a hand; one without ties is passed."""
    cards, totals, pairs, entry = pointer(room.cards), pointer(room.totals), pointer(board.pairs), pointer(room.entry)
    zero, part, blocks, shows = block(cards), wide(cards), get(facts, 1), get(facts, 2)
    width, middle, worth = lanes_of(zero), pointer(room.middle), pointer(room.worth)
    shown, folded = _plan_of(facts, plan, zero)
    without = shifted(pointer(absent), get(facts, 3) * width)
    reach, own = repeated(row(entry, h, part)), get(pointer(lane), h)
    # Rows of `shown` have `shows` blocks a lane, of `folded` and of the sums per card `blocks`.
    here = own * blocks
    one, two = get(pairs, 2 * h) * blocks, get(pairs, 2 * h + 1) * blocks
    # Those with showdowns: tied hands are in the sums already, others are passed between the first half and the second.
    if tied:
        for j in range(shows):
            value = row(totals, j, zero) - row(middle, one + j, zero) - row(middle, two + j, zero)
            set_row(worth, j, value + reach * row(folded, here + j, zero) + row(without, j, zero))
    else:
        for j in range(shows):
            stake = reach * row(shown, own * shows + j, zero)
            first, second = row(cards, one + j, zero) + stake, row(cards, two + j, zero) + stake
            total = row(totals, j, zero) + stake
            value = total - first - second + reach * row(folded, here + j, zero) + row(without, j, zero)
            set_row(worth, j, value)
            set_row(cards, one + j, first + stake)
            set_row(cards, two + j, second + stake)
            set_row(totals, j, total + stake)
    # After all positions a register of zeros: what an entry earns at once where it earns nothing.
    set_row(worth, BLOCK * blocks, part)
    # Folds alone: the sums over all hands do not change on the way.
    for j in range(shows, blocks):
        value = row(totals, j, zero) - row(cards, one + j, zero) - row(cards, two + j, zero)
        set_row(worth, j, value + reach * row(folded, here + j, zero) + row(without, j, zero))


@kernel(inline=True, inner=True)
def pass_equals(
    board: Any, facts: Any, lane: Any, plan: Any, at: int, begin: int, many: int, held: int, room: Any
) -> int:
    """Pass tied hands, card by card, since they share few; the place after their steps."""
    cards, totals, rows, twice = pointer(room.cards), pointer(room.totals), pointer(room.rows), pointer(room.twice)
    steps, middle, entry = pointer(board.steps), pointer(room.middle), pointer(room.entry)
    zero, part, blocks, shows = block(cards), wide(cards), get(facts, 1), get(facts, 2)
    shown, _ = _plan_of(facts, plan, zero)
    # Row h of `rows` is the stake of hand `begin` + h; row `many`, of zeros, fills up fours; `twice` is their sum.
    for j in range(shows):
        set_row(twice, j, zero)
        set_row(rows, many * shows + j, zero)
    for h in range(many):
        reach, here = repeated(row(entry, begin + h, part)), get(pointer(lane), begin + h) * shows
        for j in range(shows):
            stake = reach * row(shown, here + j, zero)
            set_row(rows, h * shows + j, stake)
            set_row(twice, j, row(twice, j, zero) + stake)
    # Tied hands count half: once in the totals and in `middle`, which they read; the sums per card get both halves.
    for j in range(shows):
        set_row(totals, j, row(totals, j, zero) + row(twice, j, zero))
    # Steps: a card's slot, how many fours of hands hold it, then these fours.
    for _ in range(held):
        slot, fours = get(steps, at) * blocks, get(steps, at + 1)
        at += 2
        for j in range(shows):
            own = zero
            for i in range(at, at + 4 * fours, 4):
                own += _four(steps, i, rows, begin, many, shows, j, zero)
            inner = row(cards, slot + j, zero) + own
            set_row(middle, slot + j, inner)
            set_row(cards, slot + j, inner + own)
        at += 4 * fours
    return at


@kernel(inline=True, inner=True)
def _four(steps: Any, i: int, rows: Any, begin: int, many: int, shows: int, j: int, zero: Any) -> Any:
    """The sum of the rows of four hands; places are filled up with one after all hands, whose row is 0."""
    one, two = min(get(steps, i) - begin, many) * shows + j, min(get(steps, i + 1) - begin, many) * shows + j
    three, four = min(get(steps, i + 2) - begin, many) * shows + j, min(get(steps, i + 3) - begin, many) * shows + j
    return (row(rows, one, zero) + row(rows, two, zero)) + (row(rows, three, zero) + row(rows, four, zero))


@kernel(inline=True, inner=True)
def leave_equals(facts: Any, room: Any) -> None:
    """The tied hands are below all that follow."""
    totals, twice = pointer(room.totals), pointer(room.twice)
    for j in range(get(facts, 2)):
        set_row(totals, j, row(totals, j, block(totals)) + row(twice, j, block(totals)))


@kernel(nogil=True)
def add_shown_rows(board: Any, up: Any, reach: Any, first: int, weight: float, room: Any, out: Any) -> None:
    """Add the reach of the hands that each hand beats, less that of those that beat it.

    Args:
        board, up: as of `add_lines`.
        reach: (rows, lines) of the opponent.
        first: line to begin with.
        weight: what the board counts.
        room: a `LineRoom`.
        out: (rows, lines) changed.
    """
    zero, places, pairs = block(pointer(reach)), pointer(up), pointer(board.pairs)
    rows, cards, size, width = pointer(room.rows), pointer(room.cards), reach.shape[1], lanes_of(zero)
    half, times = same(0.5, zero), same(weight, zero)
    for begin in range(first, size, width):
        # Row `get(places, h)` of the matrix is hand h of the board; `size` lines a row.
        for h in range(board.hands):
            set_row(rows, h, row(shifted(pointer(reach), get(places, h) * size + begin), 0, zero))
        for card in range(board.slots):
            set_row(cards, card, zero)
        total = half * sweep_rows(board, SweepRoom(cards, pointer(room.middle), rows), same(1.0, zero), zero)
        # The walk leaves twice the sums of all and of each card: minus the reach of all hands that share no card.
        for h in range(board.hands):
            free = half * (row(cards, get(pairs, 2 * h), zero) + row(cards, get(pairs, 2 * h + 1), zero)) - total
            into = shifted(pointer(out), get(places, h) * size + begin)
            set_row(into, 0, row(into, 0, zero) + times * (row(rows, h, zero) + free))


@kernel(loops=True)
def lay_out_plan(table: Any, sequences: Any, decisions: Any, scratch: Any, places: Any, chips: Any, out: Any) -> None:
    """Fill one bundle of a `LinePlan`.

    Args:
        table: (lanes, sequences) probabilities.
        sequences: (positions, width) sequence of each line; below 0 for none.
        decisions: (decisions, 3) position before it, first position and number of actions.
        scratch: (positions, width); row 0 is 1.
        places: (terms, 3) bundle, position of the player, position of the opponent.
        chips: (terms, width) factors.
        out: (lanes, positions of the player, width), zeros.
    """
    for lane in range(len(table)):
        own = table[lane]
        for d in range(len(decisions)):
            above = scratch[decisions[d, 0]]
            for p in range(decisions[d, 1], decisions[d, 1] + decisions[d, 2]):
                row, which = scratch[p], sequences[p]
                for k in range(len(row)):
                    row[k] = own[which[k]] * above[k] if which[k] >= 0 else 0.0
        for t in range(len(places)):
            into, factor, reach = out[lane, places[t, 1]], chips[t], scratch[places[t, 2]]
            for k in range(len(into)):
                into[k] += factor[k] * reach[k]


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
