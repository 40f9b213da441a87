"""A player's state in the compiled loops of `solvers.kernels`: as arrays, and as pointers and sizes."""

from __future__ import annotations

from typing import Any, NamedTuple

from counterplay.arrays import AnyArray
from counterplay.jit import kernel
from counterplay.treeplex.simd import get, pointer, same_as
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
    """`PlayerState` as pointers and sizes, which cost nothing to pass on, without the leaf: so kernels are compiled
    once for all kinds."""

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
