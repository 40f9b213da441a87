"""Regrets and averages of one block of lanes: the same arithmetic on all streets."""

from __future__ import annotations

from typing import Any, NamedTuple

from counterplay.jit import kernel
from counterplay.solvers.minimiser import Minimiser


class Rates(NamedTuple):
    """The factors of an iteration: for regrets above and below 0 after it, and its weight in the average.

    floor: regrets below 0 become 0.
    """

    up: float
    down: float
    weight: float
    floor: bool


def rates(method: Minimiser, iteration: int) -> Rates:
    """The rates of iteration t, counted from 1."""
    t = float(iteration)
    return Rates(_discount(t, method.alpha), _discount(t, method.beta), t**method.gamma, method.floor)


def _discount(t: float, exponent: float) -> float:
    if exponent == float("inf"):
        return 1.0
    power: float = t**exponent
    return power / (power + 1.0)


@kernel(nogil=True)
def match(decisions: Any, regrets: Any, table: Any, row: Any) -> None:
    """Set `table` (sequences, lanes) to regret matching; row: (lanes,) scratch."""
    lanes = table.shape[1]
    for k in range(len(decisions)):
        first, count = decisions[k, 2], decisions[k, 3]
        row[:lanes] = 0
        for s in range(first, first + count):
            own = regrets[s]
            for i in range(lanes):
                row[i] += max(own[i], 0)
        for i in range(lanes):
            row[i] = 1 / row[i] if row[i] > 0 else 0
        for s in range(first, first + count):
            own, out = regrets[s], table[s]
            for i in range(lanes):
                out[i] = max(own[i], 0) * row[i] if row[i] > 0 else 1 / count


@kernel(nogil=True)
def advance(decisions: Any, worth: Any, own: Any, table: Any, regrets: Any, sums: Any, rates: Any, row: Any) -> None:
    """Run one iteration of a player.

    Args:
        decisions: (decisions, 4) as in `StreetDecisions`.
        worth: (sequences, lanes) values of all sequences against the opponent.
        own: (sequences, lanes) the player's reach, given in the rows before the first decisions and filled in after them.
        table: the strategy that was played.
        regrets, sums: (sequences, lanes) changed.
        rates: of the iteration.
        row: (lanes,) scratch.
    """
    lanes = table.shape[1]
    for k in range(len(decisions)):
        # Rows first to first + count are the actions of a decision; row `before` leads to it.
        before, first, count = decisions[k, 1], decisions[k, 2], decisions[k, 3]
        row[:lanes] = 0
        for s in range(first, first + count):
            chance, value = table[s], worth[s]
            for i in range(lanes):
                row[i] += chance[i] * value[i]
        for s in range(first, first + count):
            chance, value, regret = table[s], worth[s], regrets[s]
            above, reach, total = own[before], own[s], sums[s]
            for i in range(lanes):
                new = regret[i] + value[i] - row[i]
                new = new * rates.up if new > 0 else (0 if rates.floor else new * rates.down)
                regret[i] = new
                reach[i] = above[i] * chance[i]
                total[i] += rates.weight * reach[i]


@kernel(nogil=True)
def multiply_down(decisions: Any, table: Any, plan: Any) -> None:
    """Products of probabilities down to every sequence; the rows before the first decisions are given."""
    for k in range(len(decisions)):
        above = plan[decisions[k, 1]]
        for s in range(decisions[k, 2], decisions[k, 2] + decisions[k, 3]):
            row, out = table[s], plan[s]
            for i in range(len(out)):
                out[i] = above[i] * row[i]
