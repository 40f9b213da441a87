"""Counterfactual regret minimisation in compiled loops over the layout of `treeplex`.

All arrays of a player are float64, or all float32.

One iteration of one player is: CFVs of its leaves against the other's plan, bottom-up with regret update, top-down to
the new plan. All arrays are preallocated; nothing is allocated here. The strategy is never stored: it is the positive
part of the regrets times one number per infoset, and uniform if no regret is positive."""

from __future__ import annotations

from typing import Any, NamedTuple

from counterplay.arrays import AnyArray
from counterplay.jit import kernel
from counterplay.leaves.protocol import advance_of, multiply
from counterplay.treeplex.simd import (
    LANES,
    get,
    load,
    pointer,
    put,
    same_as,
    same_by,
    store_some,
    where_above,
    with_pointers,
)
from counterplay.treeplex.sweeps import from_parents, some_to_parents
from counterplay.treeplex.treeplex import ACTIONS, LANE, OFFSET, WIDTH


class PlayerState(NamedTuple):
    """One player's state; all arrays are (size,) unless stated otherwise.

    groups, parent: the treeplex. leaf: the payoff in the player's own chips, of any registered kind. base: (size + 8,)
    CFVs from a fixed part of the opponent, length 0 if none. keep (lanes,), mix: local restriction, length 0 if none;
    it binds no group from number `bound` on. shift, lift (lanes,): a model that shares the treeplex down to a horizon
    (see `Restriction.shifts`), length 0 if none. regret. source: the numbers whose positive part the strategy is
    proportional to: the regrets, or predicted regrets. scale: (lanes,) 1 over the sum of the positive part of `source`,
    0 if that is 0. plan. total: weighted sum of plans, including the current one. cfv: (size + 8,) scratch."""

    groups: AnyArray
    parent: AnyArray
    leaf: Any
    base: AnyArray
    keep: AnyArray
    mix: AnyArray
    bound: int
    shift: AnyArray
    lift: AnyArray
    regret: AnyArray
    source: AnyArray
    scale: AnyArray
    plan: AnyArray
    total: AnyArray
    cfv: AnyArray


class Schedule(NamedTuple):
    """A `Minimiser` as numbers; exponents above 1e6 of alpha and beta mean no discount."""

    floor: bool
    predictive: bool
    alpha: float
    beta: float
    gamma: float
    alternating: bool


class _PlayerPointers(NamedTuple):
    """`PlayerState` as pointers and sizes, without the leaf: so kernels are compiled once for all kinds."""

    groups: Any
    count: Any
    parent: Any
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


class Rule(NamedTuple):
    """The update of regrets, each number repeated eight times. low: lower bound of regrets. grow, shrink: factors of
    positive and negative ones."""

    low: Any
    grow: Any
    shrink: Any
    predictive: bool


class Group(NamedTuple):
    """A group of the treeplex. even: 1 over the number of its actions, repeated eight times. local: whether the local
    restriction binds it."""

    offset: Any
    width: Any
    actions: Any
    lane: Any
    even: Any
    local: Any


@kernel(inner=True)
def pointers(side: Any) -> Any:
    """A `PlayerState`, without its leaf, as the kernels here take it."""
    return _PlayerPointers(
        pointer(side.groups), len(side.groups), pointer(side.parent), len(side.base) > 0, pointer(side.base), side.bound,
        pointer(side.keep), pointer(side.mix), len(side.lift) > 0, pointer(side.shift),
        pointer(side.lift), pointer(side.regret), pointer(side.source), pointer(side.scale), pointer(side.plan),
        pointer(side.total), pointer(side.cfv),
    )  # fmt: skip


@kernel(inline=True, inner=True)
def with_cfvs(side: Any, parent: Any, cfv: Any) -> Any:
    """The same pointers with other CFVs, and with other numbers for the places that decisions add theirs to."""
    return _PlayerPointers(
        side.groups, side.count, parent, side.shifted, side.base, side.bound, side.keep, side.mix, side.joint, side.shift,
        side.lift, side.regret, side.source, side.scale, side.plan, side.total, cfv,
    )  # fmt: skip


@kernel(inline=True, inner=True)
def group_of(side: Any, number: int) -> Any:
    """A group by its number."""
    g = 5 * number
    n = get(side.groups, g + ACTIONS)
    return Group(
        get(side.groups, g + OFFSET), get(side.groups, g + WIDTH), n, get(side.groups, g + LANE),
        same_as(side.cfv, 1.0 / n), number < side.bound,
    )  # fmt: skip


NOTHING, NOTHING_SINGLE = 1e-12, 1e-10
"""Regrets up to this count as zero, in float64 and in float32: what rounding leaves of sums that should cancel must not
decide a strategy."""


LOWEST = -1e300
"""Below all regrets; in float32 it is minus infinity."""


def advance(one: PlayerState, two: PlayerState, schedule: Schedule, done: int, iterations: int) -> None:
    """Run `iterations` more after `done`: by the iteration that the kind of leaves has registered, else in one compiled
    loop."""
    own = advance_of(type(one.leaf))
    if own is None or not own(one, two, schedule, done, iterations):
        _advance(one, two, schedule, done, iterations)


@kernel
def _advance(one: PlayerState, two: PlayerState, schedule: Schedule, done: int, iterations: int) -> None:
    first, second, leaf, other_leaf = pointers(one), pointers(two), with_pointers(one.leaf), with_pointers(two.leaf)
    for t in range(done + 1, done + iterations + 1):
        weight = float(t + 1) ** schedule.gamma  # of the plans that this iteration ends with: the next one plays them
        rule = rule_of(first.cfv, schedule, t)
        if not schedule.alternating:
            multiply(other_leaf, second.base, second.shifted, first.plan, second.cfv)
        multiply(leaf, first.base, first.shifted, second.plan, first.cfv)
        update(first, rule)
        descend(first, weight)
        if schedule.alternating:
            multiply(other_leaf, second.base, second.shifted, first.plan, second.cfv)
        update(second, rule)
        descend(second, weight)


@kernel
def start(side: PlayerState) -> None:
    """The first plan, by uniform choices, with weight 1 in the average; all regrets are 0. The leaf is not read."""
    descend(pointers(side), 1.0)


@kernel
def average(total: Any, plan: Any, ahead: float, count: float, out: Any) -> None:
    """out = (total - ahead · plan) / count: the average of the plans that were played."""
    for s in range(len(out)):
        out[s] = (total[s] - ahead * plan[s]) / count


@kernel
def advance_one(side: PlayerState, other: PlayerState, schedule: Schedule, t: int) -> None:
    """One player's part of iteration t (from 1); `base` must be up to date."""
    one, two = pointers(side), pointers(other)
    multiply(with_pointers(side.leaf), one.base, one.shifted, two.plan, one.cfv)
    update(one, rule_of(one.cfv, schedule, t))
    descend(one, float(t + 1) ** schedule.gamma)


@kernel(inner=True)
def _discount(t: float, exponent: float) -> Any:
    if exponent > 1e6:
        return 1.0
    power = t**exponent
    return power / (power + 1.0)


@kernel(inline=True, inner=True)
def _positive(at: Any, value: Any) -> Any:
    """The positive part of a vector, in the dtype of a pointer."""
    return where_above(value, same_by(at, NOTHING, NOTHING_SINGLE), value, same_as(at, 0.0))


@kernel(inner=True)
def rule_of(at: Any, schedule: Schedule, t: int) -> Any:
    """The update of regrets in iteration t, in the dtype of a pointer."""
    positive, negative = _discount(float(t), schedule.alpha), _discount(float(t), schedule.beta)
    low = same_as(at, 0.0 if schedule.floor else LOWEST)
    return Rule(low, same_as(at, positive), same_as(at, negative), schedule.predictive)


@kernel(inline=True, inner=True)
def _learn(side: Any, at: int, new: Any, rule: Any, first: int, last: int) -> Any:
    """Add instantaneous regrets to eight sequences; returns the source of the next strategy (see `PlayerState`)."""
    zero = same_as(side.regret, 0.0)
    kept = load(side.regret, at) + new
    kept = where_above(kept, rule.low, kept, rule.low)
    kept *= where_above(kept, zero, rule.grow, rule.shrink)
    store_some(side.regret, at, kept, first, last)
    if rule.predictive:
        kept += new
        store_some(side.source, at, kept, first, last)
    return _positive(side.regret, kept)


@kernel(inline=True, inner=True)
def _chosen(side: Any, at: int, scale: Any, share: Any) -> Any:
    """The probabilities of eight sequences."""
    return _positive(side.source, load(side.source, at)) * scale + share


@kernel(inner=True)
def update(side: Any, rule: Any) -> None:
    """Bottom-up: CFVs of all sequences under the current behaviour, and new regrets."""
    for g in range(side.count - 1, -1, -1):
        group = group_of(side, g)
        for i in range(0, group.width, LANES):
            update_lanes(side, group, i, rule, side.cfv, 0, LANES)


@kernel(inline=True, inner=True)
def update_lanes(side: Any, group: Any, i: int, rule: Any, up: Any, first: int, last: int) -> None:
    """Bottom-up for some of the eight infosets from lane i of their group on; `up` has the CFVs of the parent
    sequences, which elsewhere are `side.cfv`. Of the eight only those from `first` to before `last` are written."""
    cfv, n, width, lane = side.cfv, group.actions, group.width, group.lane + i
    zero, one = same_as(cfv, 0.0), same_as(cfv, 1.0)
    scale = load(side.scale, lane)
    share = where_above(scale, zero, zero, group.even)
    # Actions a, b, c of these lanes are `width` apart. Most infosets have two or three: these stay in registers.
    a, b, c, end = (
        group.offset + i,
        group.offset + i + width,
        group.offset + i + 2 * width,
        group.offset + i + n * width,
    )
    x, y, z = load(cfv, a), load(cfv, b), zero
    value = _chosen(side, a, scale, share) * x + _chosen(side, b, scale, share) * y
    if n == 3:
        z = load(cfv, c)
        value += _chosen(side, c, scale, share) * z
    elif n > 3:
        for at in range(c, end, width):
            value += _chosen(side, at, scale, share) * load(cfv, at)
    above = value
    if group.local:
        above *= load(side.keep, lane)
        for at in range(a, end, width):
            above += load(side.mix, at) * load(cfv, at)
    some_to_parents(side.parent, lane, above, up, first, last)
    total = _learn(side, a, x - value, rule, first, last) + _learn(side, b, y - value, rule, first, last)
    if n == 3:
        total += _learn(side, c, z - value, rule, first, last)
    elif n > 3:
        for at in range(c, end, width):
            total += _learn(side, at, load(cfv, at) - value, rule, first, last)
    store_some(side.scale, lane, where_above(total, zero, one / total, zero), first, last)


@kernel(inline=True, inner=True)
def _play(
    side: Any, at: int, scale: Any, share: Any, above: Any, weights: Any, local: bool, first: int, last: int
) -> None:
    """Write the plan of eight sequences and add it to the average."""
    reach = _chosen(side, at, scale, share)
    if local:
        reach += load(side.mix, at) * above
    if side.joint:
        reach += load(side.shift, at)
    store_some(side.plan, at, reach, first, last)
    store_some(side.total, at, load(side.total, at) + weights * reach, first, last)


@kernel(inner=True)
def descend(side: Any, weight: float) -> None:
    """Top-down: the plan of the current behaviour under the local restriction, added to the average."""
    descend_root(side, weight)
    weights = same_as(side.total, weight)
    for g in range(side.count):
        group = group_of(side, g)
        for i in range(0, group.width, LANES):
            descend_lanes(side, group, i, weights, 0, LANES)


@kernel(inner=True)
def descend_root(side: Any, weight: float) -> None:
    """`descend` for the empty sequence, where the average sums its weights."""
    put(side.plan, 0, 1.0 + get(side.shift, 0) if side.joint else 1.0)
    put(side.total, 0, get(side.total, 0) + weight)


@kernel(inline=True, inner=True)
def descend_lanes(side: Any, group: Any, i: int, weights: Any, first: int, last: int) -> None:
    """`descend` for some of eight infosets, as in `update_lanes`."""
    n, width, lane, local = group.actions, group.width, group.lane + i, group.local
    zero = same_as(side.plan, 0.0)
    above = from_parents(side.parent, lane, side.plan)
    if side.joint:
        above -= load(side.lift, lane)
    scale = load(side.scale, lane)
    share = where_above(scale, zero, zero, group.even)
    played = above
    if local:
        played = above * load(side.keep, lane)
    scale *= played
    share *= played
    # Actions are `width` apart, as in `update_lanes`; the reach above is multiplied into scale and share.
    at = group.offset + i
    _play(side, at, scale, share, above, weights, local, first, last)
    _play(side, at + width, scale, share, above, weights, local, first, last)
    if n == 3:
        _play(side, at + 2 * width, scale, share, above, weights, local, first, last)
    elif n > 3:
        for k in range(at + 2 * width, at + n * width, width):
            _play(side, k, scale, share, above, weights, local, first, last)
