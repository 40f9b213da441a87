"""Computations on one board: one player's range down the betting, the payoffs, and the other's values back up.

A player's strategy on a board is a table, sequences x lanes, with a lane for each place: its bucket, its number among the
board's distinct hands, or the place itself. Rows of hands are `run` apart (see `holdem`). Everything here is linear in the
ranges and not normalised: the value of a hand is summed over the opponent's hands. Before the flop there are folds alone.
"""

from __future__ import annotations

from typing import Any

from counterplay.jit import kernel
from counterplay.poker.showdown.showdown import evaluate


@kernel(nogil=True, loops=True)
def spread_out(decisions: Any, entry: Any, table: Any, lane: Any, group: Any, plan: Any, run: int) -> None:
    """A player's plan: the reach of each entry by class of hand, (entries, classes), times the strategy."""
    n = len(lane)
    # Rows of `run` places: those of the entries come first; each hand has the reach of its class.
    for e in range(len(entry)):
        row, out = entry[e], plan[e * run : e * run + n]
        for i in range(n):
            out[i] = row[group[i]]
    for k in range(len(decisions)):
        before, first = decisions[k, 1], decisions[k, 2]
        # The rows of its actions: reach of the row before the decision, times the probability of the hand's lane.
        above = plan[before * run : before * run + n]
        for s in range(first, first + decisions[k, 3]):
            row, out = table[s], plan[s * run : s * run + n]
            for i in range(n):
                out[i] = above[i] * row[lane[i]]


@kernel(inner=True)
def raise_values(decisions: Any, table: Any, lane: Any, values: Any, run: int) -> None:
    """Add to the value of every sequence those of its successors, by the player's own strategy."""
    n = len(lane)
    for k in range(len(decisions) - 1, -1, -1):
        before, first = decisions[k, 1], decisions[k, 2]
        above = values[before * run : before * run + n]
        for s in range(first, first + decisions[k, 3]):
            row, below = table[s], values[s * run : s * run + n]
            for i in range(n):
                above[i] += row[lane[i]] * below[i]


@kernel(inner=True)
def raise_best(decisions: Any, values: Any, n: int, run: int) -> None:
    """Add to the value of every sequence those of its successors, by the best action of each hand."""
    for k in range(len(decisions) - 1, -1, -1):
        before, first, count = decisions[k, 1], decisions[k, 2], decisions[k, 3]
        above, most = values[before * run : before * run + n], values[first * run : first * run + n]
        for s in range(first + 1, first + count):
            below = values[s * run : s * run + n]
            for i in range(n):
                most[i] = max(most[i], below[i])
        for i in range(n):
            above[i] += most[i]


@kernel(nogil=True, loops=True)
def raise_chosen(decisions: Any, found: Any, values: Any, n: int, run: int, backed: bool) -> None:
    """Add to the values of every sequence those of what follows, by the first action with the largest estimate. found,
    values: rows of n hands, `run` apart: estimates and values of the sequences. backed: an estimate of what follows
    belongs to the estimate before; otherwise every decision stands alone."""
    for k in range(len(decisions) - 1, -1, -1):
        before, first, count = decisions[k, 1], decisions[k, 2], decisions[k, 3]
        for i in range(n):
            best = first * run + i
            for s in range(first + 1, first + count):
                if found[s * run + i] > found[best]:
                    best = s * run + i
            values[before * run + i] += values[best]
            if backed:
                found[before * run + i] += found[best]


@kernel(inner=True)
def add_up(rows: int, weight: float, values: Any, run: int, lane: Any, out: Any) -> None:
    """Add weighted rows of hands to rows of lanes. Neighbours are often in one lane, where every sum waits for the
    previous one; so four rows are added at once, and both halves of them."""
    n, half, full = len(lane), len(lane) // 2, rows - rows % 4
    for s in range(0, full, 4):
        for i in range(half):
            _add_four(out, s, lane[i], weight, values, s * run + i, run)
            _add_four(out, s, lane[half + i], weight, values, s * run + half + i, run)
        if n % 2:
            _add_four(out, s, lane[n - 1], weight, values, s * run + n - 1, run)
    for s in range(full, rows):
        row, own = out[s], values[s * run : s * run + n]
        for i in range(n):
            row[lane[i]] += weight * own[i]


@kernel(inline=True, inner=True)
def _add_four(out: Any, s: int, k: int, weight: float, values: Any, at: int, run: int) -> None:
    out[s, k] += weight * values[at]
    out[s + 1, k] += weight * values[at + run]
    out[s + 2, k] += weight * values[at + 2 * run]
    out[s + 3, k] += weight * values[at + 3 * run]


def values_against(
    board: Any, terminals: Any, theirs: Any, strategy: tuple[Any, Any, Any], group: Any, run: int, room: Any,
    model: tuple[float, Any, Any] | None = None,
) -> None:  # fmt: skip
    """Write to room[1] the value of every sequence of a player by the folds and showdowns right after it. strategy: the
    opponent's entry, table and lane. group: class of the hand at each place. room: of `HoldemGame.room`. model:
    probability, decided before the deal, with which the opponent plays another strategy; that, and room for its plan."""
    plan, values, scratch = room
    if model is not None:
        p, other, spare = model
        spread_out(theirs, *other, group, spare, run)
    spread_out(theirs, *strategy, group, plan, run)
    if model is not None:
        _blend(plan, spare, p)
    values[:] = 0
    evaluate(board, terminals, plan, values, scratch)


@kernel(nogil=True, loops=True)
def _blend(plan: Any, model: Any, p: float) -> None:
    for i in range(len(plan)):
        plan[i] = p * model[i] + (1 - p) * plan[i]


@kernel(nogil=True, loops=True)
def add_best(ours: Any, weight: float, group: Any, run: int, room: Any, out: Any) -> None:
    """Add to `out` (entries, classes) the weighted values of the entries, under best play after them."""
    raise_best(ours, room[1], len(group), run)
    add_up(len(out), weight, room[1], run, group, out)


@kernel(nogil=True, loops=True)
def add_played(ours: Any, weight: float, group: Any, table: Any, lane: Any, run: int, room: Any, out: Any) -> None:
    """Add to `out` (entries, classes) the weighted values of the entries, under a strategy; with as many rows as there
    are sequences, of all of them."""
    raise_values(ours, table, lane, room[1], run)
    add_up(len(out), weight, room[1], run, group, out)


@kernel(nogil=True, loops=True)
def add_up_entries(weight: float, group: Any, run: int, room: Any, out: Any) -> None:
    """Add to `out` (entries, classes) the weighted values of the entries, once those of their successors are
    included."""
    add_up(len(out), weight, room[1], run, group, out)


@kernel(nogil=True, loops=True)
def add_ranges(entry: Any, weight: float, group: Any, lane: Any, out: Any) -> None:
    """Add to `out` (entries, lanes) the weighted reach of the hands in each lane."""
    for e in range(len(entry)):
        row, into = entry[e], out[e]
        for i in range(len(lane)):
            into[lane[i]] += weight * row[group[i]]


@kernel(loops=True)
def add_met(folded: Any, player: int, weight: float, reach: Any, meets: Any, out: Any) -> None:
    """Add to `out` (sequences, classes) the values of a player's preflop sequences by folds before the flop. reach:
    (sequences, classes) the opponent's, times whom payoffs count `weight`."""
    for k in range(len(folded)):
        theirs, into = reach[int(folded[k, 1 - player])], out[int(folded[k, player])]
        for c in range(len(meets)):
            amount, row = weight * folded[k, 2 + player] * theirs[c], meets[c]
            for d in range(len(meets)):
                into[d] += amount * row[d]


@kernel(loops=True)
def raise_classes(decisions: Any, table: Any, group: Any, worth: Any, out: Any) -> None:
    """Add to the values of classes before the flop, (sequences, classes), those of their successors, under a strategy
    by bucket; then sum all of them by bucket in `out`."""
    for k in range(len(decisions) - 1, -1, -1):
        before, first = decisions[k, 1], decisions[k, 2]
        for s in range(first, first + decisions[k, 3]):
            for c in range(len(group)):
                worth[before, c] += table[s, group[c]] * worth[s, c]
    for s in range(len(out)):
        for c in range(len(group)):
            out[s, group[c]] += worth[s, c]
