"""Best responses and derived quantities: the value of a plan, exploitability, NashConv."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F64
from counterplay.errors import InputError
from counterplay.jit import kernel
from counterplay.leaves.protocol import Leaves, product
from counterplay.problem.subgame import Subgame
from counterplay.treeplex.restriction import Restriction
from counterplay.treeplex.simd import LANES, pointer
from counterplay.treeplex.sweeps import best, best_value
from counterplay.treeplex.treeplex import ACTIONS, COUNT, LANE, OFFSET, WIDTH, Treeplex

_GOLDEN = 0.6180339887498949
"""Multiples of it are spread over the unit interval."""


@dataclass(frozen=True, eq=False)
class Response:
    """A best response: the responder's behaviour (size,), and its value in the responder's own chips."""

    behaviour: F64
    value: float


def best_response(subgame: Subgame, player: int, plan: F64) -> Response:
    """The best response of `player` to the other player's `plan`, (size,), within the player's own restriction. The
    plan is the one actually played, restriction included. Among equally good actions the first is taken."""
    tree, restriction = subgame.trees[player], subgame.restrictions[player]
    leaves = subgame.leaves.product(player, plan)
    cfv, choice = leaves.copy(), np.zeros(tree.size)
    best(tree.arrays, restriction.keep, restriction.mix, cfv, choice)
    value = (1.0 - restriction.p) * float(cfv[0])
    if restriction.copy is not None:
        below = leaves.copy()
        best(tree.arrays, restriction.copy.keep, restriction.copy.mix, below, np.zeros(tree.size))
        value += restriction.p * float(below[0])
    elif restriction.p > 0.0:
        value += restriction.p * float(restriction.plan @ leaves)
    return Response(choice, value)


def steady_best_response(subgame: Subgame, player: int, plan: F64, within: float = 1e-7) -> F64:
    """(size,) behaviour of a best response of `player` to the other player's `plan`, (size,), that rounding does not
    choose.

    Among actions that are equal up to rounding `best_response` may take different ones on different processors, which
    matters where somebody learns from what is played. Here every sequence costs an amount of its own, up to `within`
    chips, so that no two are alike; that is what the response may lose at each decision."""
    tree, restriction = subgame.trees[player], subgame.restrictions[player]
    cfv, choice = subgame.leaves.product(player, plan), np.zeros(tree.size)
    best(tree.arrays, restriction.keep, restriction.mix, cfv - within * (_GOLDEN * np.arange(tree.size) % 1.0), choice)
    return choice


def played_plan(subgame: Subgame, player: int, behaviour: F64) -> F64:
    """(size,) the plan actually played when `player` chooses `behaviour` under their restriction."""
    return subgame.restrictions[player].played(subgame.trees[player], behaviour)


def gap(subgame: Subgame, plans: tuple[F64, F64]) -> tuple[float, float]:
    """NashConv of two played plans, (size,) each: the sum of what each player could still gain, 0 exactly at a saddle
    point; and the value of player 0, midway between the two bounds."""
    high, low = bounds(subgame, plans)
    paid = subgame.leaves.paid(*plans)
    total = high + low + paid
    return 0.0 if total < 0.0 else total, 0.5 * (high - low - paid)  # below 0 is rounding; what is no number stays so


_NONE, _SINGLE, _DOUBLE = np.zeros(0), np.dtype(np.float32), np.dtype(np.float64)


class Bound(NamedTuple):
    """A local restriction as the kernels take it. groups: number of leading groups that it binds (a range binds only
    the first); keep, mix: as in `Restriction`, of length 0 if none."""

    groups: int
    keep: Any
    mix: Any


def bound_of(tree: Treeplex, own: Restriction, dtype: Any = np.float64) -> Bound:
    """The local restriction in a dtype; in float32 only the part that binds."""
    if not own.is_local:
        return Bound(0, own.keep.astype(dtype, copy=False), own.mix.astype(dtype, copy=False))
    groups = tree.arrays.groups
    bound = [(own.keep[lane : lane + count] != 1.0).any() for lane, count in groups[:, [LANE, COUNT]].tolist()]
    most = max((k for k, some in enumerate(bound, 1) if some), default=0)
    if dtype == np.float64:
        return Bound(most, own.keep, own.mix)
    lanes = int((groups[:most, LANE] + groups[:most, WIDTH]).max(initial=0))
    size = int((groups[:most, OFFSET] + groups[:most, WIDTH] * groups[:most, ACTIONS]).max(initial=0))
    return Bound(most, own.keep[:lanes].astype(dtype), own.mix[:size].astype(dtype))


def leaves_of(leaves: Leaves, dtype: Any) -> tuple[Any, Any]:
    """Both sides of a payoff for plans of a dtype; an InputError if its kernels support float64 only."""
    if dtype == np.float64:
        return leaves.leaves
    single: tuple[Any, Any] | None = getattr(leaves, "single", None)
    if single is None:
        raise InputError("this problem is solved in float64: its payoff has no kernels in float32")
    return single


def bounds(subgame: Subgame, plans: tuple[Any, Any]) -> tuple[float, float]:
    """The values of best responses of players 0 and 1 to each other's plan, (size,), each in the player's own chips; in
    float32 if the plans are. Beyond a limit the value function is evaluated at these plans, which bounds a concave one
    from above."""
    beyond = subgame.beyond(*plans) if subgame.beyond else (_NONE, _NONE)
    return _of(subgame, 0, plans[1], beyond[0]), _of(subgame, 1, plans[0], beyond[1])


def _of(subgame: Subgame, player: int, plan: Any, beyond: Any) -> float:
    single, own, tree = plan.dtype is _SINGLE, subgame.restrictions[player], subgame.trees[player]
    leaf = (leaves_of(subgame.leaves, _SINGLE) if single else subgame.leaves.leaves)[player]
    dtype = _SINGLE if single else _DOUBLE
    if len(plan) != subgame.trees[1 - player].size:
        raise InputError(f"a plan of {len(plan)} sequences does not fit player {1 - player}")
    plan = np.ascontiguousarray(plan, dtype)
    cfv = np.empty(tree.size + LANES, dtype)
    base = np.concatenate([beyond, np.zeros(LANES)]) if len(beyond) else beyond
    if single:
        base = base.astype(dtype)
    parts = [(own, 1.0)] if own.copy is None else [(own.copy, own.p), (replace(own, p=0.0), 1.0 - own.p)]
    value, (groups, parent) = 0.0, tree.arrays
    product(leaf, base, plan, cfv)
    spare = cfv.copy() if len(parts) > 1 else cfv  # finding the best changes it
    for at, (part, weight) in enumerate(parts):
        bound, keep, mix = len(groups) * part.is_local, part.keep, part.mix
        if single:  # else counting what is bound costs more than it saves
            bound, keep, mix = bound_of(tree, part, dtype)
        value += weight * _bound(groups, parent, bound, keep, mix, part.plan, part.p, spare if at else cfv)
    return value


@kernel
def _bound(
    groups: Any, parent: Any, bound: int, keep: Any, mix: Any, model: Any, p: float, cfv: Any,
) -> Any:  # fmt: skip
    """The best value by CFVs, which are overwritten, of a player who is the model with probability p."""
    value = 0.0
    if p > 0.0:
        for s in range(len(model)):
            value += model[s] * cfv[s]
    free = best_value(pointer(groups), len(groups), pointer(parent), bound, pointer(keep), pointer(mix), pointer(cfv))
    return (1.0 - p) * free + p * value
