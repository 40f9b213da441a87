"""Counterfactual regret minimisation in compiled loops over the layout of `treeplex`.

One iteration of one side is: CFVs of its leaves against the other's plan, bottom-up with regret update, top-down to
the new plan. All arrays are preallocated; nothing is allocated here.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numba import njit
from numpy.typing import NDArray

from counterplay.treeplex.treeplex import ACTIONS, COUNT, LANE, OFFSET, WIDTH


class Side(NamedTuple):
    """One player's state; all arrays are (size,) unless said otherwise.

    rows: the payoff, rows this player's sequences. sign: 1 for player 0, -1 for player 1. base: CFVs from a fixed part
    of the opponent. keep (lanes,), mix: local restriction, length 0 if none. last: previous instantaneous regrets,
    length 0 unless predictive. total: weighted sum of plans. scratch: CFVs.
    """

    tree: Any
    rows: Any
    sign: float
    base: NDArray[Any]
    keep: NDArray[Any]
    mix: NDArray[Any]
    regret: NDArray[Any]
    last: NDArray[Any]
    behaviour: NDArray[Any]
    plan: NDArray[Any]
    total: NDArray[Any]
    scratch: NDArray[Any]


class Schedule(NamedTuple):
    """A `Minimiser` as numbers; exponents below 0 of alpha and beta in the compiled code mean no discount."""

    floor: bool
    predictive: bool
    alpha: float
    beta: float
    gamma: float
    alternating: bool


@njit(cache=True)
def advance(one: Side, two: Side, schedule: Schedule, done: int, iterations: int) -> None:
    """Run `iterations` more after `done`."""
    for t in range(done + 1, done + iterations + 1):
        positive = _discount(float(t), schedule.alpha)
        negative = _discount(float(t), schedule.beta)
        weight = float(t) ** schedule.gamma
        leaves(one, two.plan)
        if not schedule.alternating:
            leaves(two, one.plan)
        update(one, schedule.floor, schedule.predictive, positive, negative)
        descend(one, weight)
        if schedule.alternating:
            leaves(two, one.plan)
        update(two, schedule.floor, schedule.predictive, positive, negative)
        descend(two, weight)


@njit(cache=True)
def _discount(t: float, exponent: float) -> float:
    if exponent > 1e6:
        return 1.0
    power = t**exponent
    return power / (power + 1.0)


@njit(cache=True)
def leaves(side: Side, plan: Any) -> None:
    """scratch = CFVs of the side's leaves against the other's plan."""
    rows, cfv, sign = side.rows, side.scratch, side.sign
    for r in range(len(cfv)):
        total = 0.0
        for k in range(rows.start[r], rows.start[r + 1]):
            total += rows.value[k] * plan[rows.column[k]]
        cfv[r] = side.base[r] + sign * total


@njit(cache=True)
def update(side: Side, floor: bool, predictive: bool, positive: float, negative: float) -> None:
    """Bottom-up: CFVs of all sequences under the current behaviour, new regrets, new behaviour."""
    groups, parent, cfv = side.tree.groups, side.tree.parent, side.scratch
    regret, behaviour, last = side.regret, side.behaviour, side.last
    local = len(side.keep) > 0
    for g in range(len(groups) - 1, -1, -1):
        offset, width, n, lane = groups[g, OFFSET], groups[g, WIDTH], groups[g, ACTIONS], groups[g, LANE]
        for i in range(groups[g, COUNT]):
            value = 0.0
            for a in range(n):
                at = offset + a * width + i
                value += behaviour[at] * cfv[at]
            above = value
            if local:
                above *= side.keep[lane + i]
                for a in range(n):
                    at = offset + a * width + i
                    above += side.mix[at] * cfv[at]
            cfv[parent[lane + i]] += above
            total = 0.0
            for a in range(n):
                at = offset + a * width + i
                new = cfv[at] - value
                kept = regret[at] + new
                if floor and kept < 0.0:
                    kept = 0.0
                kept *= positive if kept > 0.0 else negative
                regret[at] = kept
                if predictive:
                    last[at] = new
                    kept += new
                behaviour[at] = kept if kept > 1e-12 else 0.0
                total += behaviour[at]
            for a in range(n):
                at = offset + a * width + i
                behaviour[at] = behaviour[at] / total if total > 0.0 else 1.0 / n


@njit(cache=True)
def descend(side: Side, weight: float) -> None:
    """Top-down: the plan of the current behaviour under the local restriction, added to the average."""
    groups, parent, plan, behaviour = side.tree.groups, side.tree.parent, side.plan, side.behaviour
    local = len(side.keep) > 0
    plan[0] = 1.0
    side.total[0] += weight
    for g in range(len(groups)):
        offset, width, lane = groups[g, OFFSET], groups[g, WIDTH], groups[g, LANE]
        for a in range(groups[g, ACTIONS]):
            start = offset + a * width
            for i in range(width):
                at = start + i
                probability = behaviour[at]
                if local:
                    probability = side.mix[at] + side.keep[lane + i] * probability
                plan[at] = plan[parent[lane + i]] * probability
                side.total[at] += weight * plan[at]
