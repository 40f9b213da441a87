"""Counterfactual regret minimisation in compiled loops over the layout of `treeplex`.

All arrays of a side are float64, or all float32.

One iteration of one side is: CFVs of its leaves against the other's plan, bottom-up with regret update, top-down to
the new plan. All arrays are preallocated; nothing is allocated here. The strategy is never stored: it is the positive
part of the regrets times one number per infoset, and even where no regret is positive.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import NDArray

from counterplay.jit import kernel
from counterplay.leaves.seam import multiply, opened
from counterplay.treeplex.simd import LANES, get, load, pointer, put, same_as, same_by, store, where_above
from counterplay.treeplex.sweeps import from_parents, to_parents
from counterplay.treeplex.treeplex import ACTIONS, LANE, OFFSET, WIDTH

NOTHING, NOTHING_SINGLE = 1e-12, 1e-10
"""Regrets up to this count as zero, in float64 and in float32: what rounding leaves of sums that should cancel must not
decide a strategy."""


LOWEST = -1e300
"""Below all regrets; in float32 it is minus infinity."""


class Side(NamedTuple):
    """One player's state; all arrays are (size,) unless said otherwise.

    groups, parent: the treeplex. leaf: the payoff in the player's own chips, of any registered kind. base: (size + 8,)
    CFVs from a fixed part of the opponent, length 0 if none. keep (lanes,), mix: local restriction,
    length 0 if none; it binds nobody from group number `bound` on. shift, lift (lanes,): a model
    that shares the treeplex down to a horizon (see `Restriction.shifts`), length 0 if none. regret. source: what the
    strategy is proportional to: the regrets themselves, or those that are predicted. scale: (lanes,) 1 over the sum of
    the positive part of `source`, 0 where there is none. plan. total: weighted sum of plans, the current included.
    cfv: (size + 8,) scratch.
    """

    groups: NDArray[Any]
    parent: NDArray[Any]
    leaf: Any
    base: NDArray[Any]
    keep: NDArray[Any]
    mix: NDArray[Any]
    bound: int
    shift: NDArray[Any]
    lift: NDArray[Any]
    regret: NDArray[Any]
    source: NDArray[Any]
    scale: NDArray[Any]
    plan: NDArray[Any]
    total: NDArray[Any]
    cfv: NDArray[Any]


class Schedule(NamedTuple):
    """A `Minimiser` as numbers; exponents above 1e6 of alpha and beta mean no discount."""

    floor: bool
    predictive: bool
    alpha: float
    beta: float
    gamma: float
    alternating: bool


class _Side(NamedTuple):
    """The same as pointers and sizes: passing them costs nothing."""

    groups: Any
    count: Any
    parent: Any
    leaf: Any
    shifted: Any
    base: Any
    bound: Any
    keep: Any
    mix: Any
    joint: Any
    shift: Any
    lift: Any
    regret: Any
    source: Any
    scale: Any
    plan: Any
    total: Any
    cfv: Any


class _Rule(NamedTuple):
    """How regrets are kept, each number eight times. low: they are not below. grow, shrink: factors of positive and of
    negative ones."""

    low: Any
    grow: Any
    shrink: Any
    predictive: bool


@kernel(inner=True)
def _pointers(side: Any) -> Any:
    return _Side(
        pointer(side.groups), len(side.groups), pointer(side.parent), opened(side.leaf), len(side.base) > 0,
        pointer(side.base), side.bound, pointer(side.keep), pointer(side.mix), len(side.lift) > 0, pointer(side.shift),
        pointer(side.lift), pointer(side.regret), pointer(side.source), pointer(side.scale), pointer(side.plan),
        pointer(side.total), pointer(side.cfv),
    )  # fmt: skip


@kernel
def advance(one: Side, two: Side, schedule: Schedule, done: int, iterations: int) -> None:
    """Run `iterations` more after `done`."""
    first, second = _pointers(one), _pointers(two)
    floor, predictive = schedule.floor, schedule.predictive
    for t in range(done + 1, done + iterations + 1):
        positive = _discount(float(t), schedule.alpha)
        negative = _discount(float(t), schedule.beta)
        weight = float(t + 1) ** schedule.gamma  # of the plans that this iteration ends with: the next one plays them
        if not schedule.alternating:
            multiply(second.leaf, second.base, second.shifted, first.plan, second.cfv)
        for side, other, ready in ((first, second, False), (second, first, not schedule.alternating)):
            if not ready:
                multiply(side.leaf, side.base, side.shifted, other.plan, side.cfv)
            update(side, floor, predictive, positive, negative)
            descend(side, weight)


@kernel
def average(total: Any, plan: Any, ahead: float, count: float, out: Any) -> None:
    """out = (total - ahead · plan) / count: the average of the plans that were played."""
    for s in range(len(out)):
        out[s] = (total[s] - ahead * plan[s]) / count


@kernel
def advance_one(side: Side, other: Side, schedule: Schedule, t: int) -> None:
    """The part of iteration t (from 1) that belongs to one side, whose `base` is as it should be at this moment."""
    one, two = _pointers(side), _pointers(other)
    multiply(one.leaf, one.base, one.shifted, two.plan, one.cfv)
    positive, negative = _discount(float(t), schedule.alpha), _discount(float(t), schedule.beta)
    update(one, schedule.floor, schedule.predictive, positive, negative)
    descend(one, float(t + 1) ** schedule.gamma)


@kernel(inner=True)
def _discount(t: float, exponent: float) -> Any:
    if exponent > 1e6:
        return 1.0
    power = t**exponent
    return power / (power + 1.0)


@kernel(inline=True, inner=True)
def _positive(at: Any, value: Any) -> Any:
    """The positive part of a vector; of which dtype, a pointer says."""
    return where_above(value, same_by(at, NOTHING, NOTHING_SINGLE), value, same_as(at, 0.0))


@kernel(inline=True, inner=True)
def _learn(side: Any, at: int, new: Any, rule: Any) -> Any:
    """Add instantaneous regrets to those of eight sequences; what the next strategy is proportional to."""
    zero = same_as(side.regret, 0.0)
    kept = load(side.regret, at) + new
    kept = where_above(kept, rule.low, kept, rule.low)
    kept *= where_above(kept, zero, rule.grow, rule.shrink)
    store(side.regret, at, kept)
    if rule.predictive:
        kept += new
        store(side.source, at, kept)
    return _positive(side.regret, kept)


@kernel(inline=True, inner=True)
def _chosen(side: Any, at: int, scale: Any, share: Any) -> Any:
    """The probabilities of eight sequences."""
    return _positive(side.source, load(side.source, at)) * scale + share


@kernel(inner=True)
def update(side: Any, floor: bool, predictive: bool, positive: float, negative: float) -> None:
    """Bottom-up: CFVs of all sequences under the current behaviour, and new regrets."""
    cfv = side.cfv
    zero, one, low = same_as(cfv, 0.0), same_as(cfv, 1.0), same_as(cfv, 0.0 if floor else LOWEST)
    rule = _Rule(low, same_as(cfv, positive), same_as(cfv, negative), predictive)
    for g in range(5 * side.count - 5, -1, -5):
        offset, width = get(side.groups, g + OFFSET), get(side.groups, g + WIDTH)
        n, lane = get(side.groups, g + ACTIONS), get(side.groups, g + LANE)
        even, local = same_as(cfv, 1.0 / n), g < 5 * side.bound
        for i in range(0, width, LANES):
            scale = load(side.scale, lane + i)
            share = where_above(scale, zero, zero, even)
            # Most infosets have two or three actions: these stay in registers.
            first, second, third, end = offset + i, offset + i + width, offset + i + 2 * width, offset + i + n * width
            x, y, z = load(cfv, first), load(cfv, second), zero
            value = _chosen(side, first, scale, share) * x + _chosen(side, second, scale, share) * y
            if n == 3:
                z = load(cfv, third)
                value += _chosen(side, third, scale, share) * z
            elif n > 3:
                for at in range(third, end, width):
                    value += _chosen(side, at, scale, share) * load(cfv, at)
            above = value
            if local:
                above *= load(side.keep, lane + i)
                for at in range(first, end, width):
                    above += load(side.mix, at) * load(cfv, at)
            to_parents(side.parent, lane + i, above, cfv)
            total = _learn(side, first, x - value, rule) + _learn(side, second, y - value, rule)
            if n == 3:
                total += _learn(side, third, z - value, rule)
            elif n > 3:
                for at in range(third, end, width):
                    total += _learn(side, at, load(cfv, at) - value, rule)
            store(side.scale, lane + i, where_above(total, zero, one / total, zero))


@kernel(inline=True, inner=True)
def _play(side: Any, at: int, scale: Any, share: Any, above: Any, weights: Any, local: bool) -> None:
    """The plan of eight sequences, added to the average."""
    reach = _chosen(side, at, scale, share)
    if local:
        reach += load(side.mix, at) * above
    if side.joint:
        reach += load(side.shift, at)
    store(side.plan, at, reach)
    store(side.total, at, load(side.total, at) + weights * reach)


@kernel(inner=True)
def descend(side: Any, weight: float) -> None:
    """Top-down: the plan of the current behaviour under the local restriction, added to the average."""
    plan, total = side.plan, side.total
    put(plan, 0, 1.0 + get(side.shift, 0) if side.joint else 1.0)
    put(total, 0, get(total, 0) + weight)
    zero, weights = same_as(plan, 0.0), same_as(total, weight)
    for g in range(side.count):
        offset, width = get(side.groups, 5 * g + OFFSET), get(side.groups, 5 * g + WIDTH)
        n, lane = get(side.groups, 5 * g + ACTIONS), get(side.groups, 5 * g + LANE)
        even, local = same_as(plan, 1.0 / n), g < side.bound
        for i in range(0, width, LANES):
            above = from_parents(side.parent, lane + i, plan)
            if side.joint:
                above -= load(side.lift, lane + i)
            scale = load(side.scale, lane + i)
            share = where_above(scale, zero, zero, even)
            played = above
            if local:
                played = above * load(side.keep, lane + i)
            scale *= played
            share *= played
            at = offset + i
            _play(side, at, scale, share, above, weights, local)
            _play(side, at + width, scale, share, above, weights, local)
            if n == 3:
                _play(side, at + 2 * width, scale, share, above, weights, local)
            elif n > 3:
                for k in range(at + 2 * width, at + n * width, width):
                    _play(side, k, scale, share, above, weights, local)
