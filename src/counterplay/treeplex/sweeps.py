"""The two passes over a treeplex: top-down (behaviour to plan) and bottom-up (CFVs of sequences to CFVs above); and the
aligned arrays they run on, in which a vector of eight float64 never straddles two cache lines.

The kernels take flat arrays in the layout of `treeplex.py`, write to given arrays and allocate nothing. `keep` and
`mix` describe a local restriction (see `restriction.py`); arrays of length 0 mean none."""

from __future__ import annotations

import mmap
from contextlib import suppress
from itertools import count
from math import prod
from typing import Any

import numpy as np

from counterplay.arrays import F64, U8, AnyArray
from counterplay.jit import kernel
from counterplay.treeplex.simd import (
    LANES,
    gather,
    get,
    joined,
    lane_of,
    load,
    pointer,
    put,
    scatter_add,
    store,
    where_above,
)
from counterplay.treeplex.treeplex import ACTIONS, COUNT, LANE, OFFSET, WIDTH, Treeplex

_LINE, _PAGE, _HUGE = 64, 4096, 1 << 21
LARGE = 1 << 22
"""Bytes from which an array comes from the system, not from NumPy's allocator."""
_turn = count()


def zeros(size: int) -> F64:
    """(size,) zeros. Successive arrays begin at different offsets within a page: otherwise a kernel that walks several of
    them suffers from 4K aliasing, a store that seems to hit the address of the next load.

    Raises:
        MemoryError: the system has not so much.
    """
    raw = _cleared(8 * size + _LINE + _PAGE)
    start = (-_address(raw) % _LINE) + 9 * _LINE * next(_turn) % _PAGE
    return raw[start : start + 8 * size].view(np.float64)


def zeros_of(shape: tuple[int, ...], kind: np.dtype[Any]) -> AnyArray:
    """Zeros of any dtype and shape, aligned in the same way."""
    size = prod(shape)
    return zeros(-(-size * kind.itemsize // 8)).view(kind)[:size].reshape(shape)


def _cleared(size: int) -> U8:
    """(size,) zero bytes. Many come from the system, in huge pages where it has them, and go back to it when they are freed:
    an allocator keeps the place of large arrays that others were allocated after."""
    if size < LARGE or not hasattr(mmap, "MADV_HUGEPAGE"):
        return np.zeros(size, np.uint8)
    try:
        room = mmap.mmap(-1, size + _HUGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError as error:
        raise MemoryError(f"an array of {size / 2**30:.3g} GiB") from error
    raw = np.frombuffer(room, np.uint8)
    begin = -_address(raw) % _HUGE
    with suppress(OSError):  # a system without them
        room.madvise(mmap.MADV_HUGEPAGE, begin, size - size % _HUGE)
    return raw[begin : begin + size]


def _address(raw: U8) -> int:
    """Where an array begins, without the object that `ctypes` makes."""
    return int(raw.__array_interface__["data"][0])


def reach(tree: Treeplex, behaviour: F64) -> F64:
    """(size,) the realization plan of a behaviour strategy."""
    plan = np.zeros(tree.size)
    top_down(tree.arrays, behaviour, plan)
    return plan


def behaviour_of(tree: Treeplex, plan: F64) -> F64:
    """(size,) the behaviour strategy of a plan; uniform at infosets that the plan does not reach."""
    behaviour = np.zeros(tree.size)
    from_plan(tree.arrays, plan, behaviour)
    return behaviour


def values(tree: Treeplex, behaviour: F64, cfv: F64) -> F64:
    """(size,) CFVs of all sequences when `behaviour` is played below, from the CFVs at the leaves; [0] is the value."""
    out = cfv.copy()
    bottom_up(tree.arrays, behaviour, out)
    return out


@kernel
def top_down(tree: Any, behaviour: Any, plan: Any) -> None:
    """plan[s] = plan[parent] · behaviour[s], parents first."""
    plan[0], plan[1] = 1.0, 0.0
    for g in range(len(tree.groups)):
        offset, width, lane = tree.groups[g, OFFSET], tree.groups[g, WIDTH], tree.groups[g, LANE]
        for a in range(tree.groups[g, ACTIONS]):
            at = offset + a * width
            for i in range(width):
                plan[at + i] = plan[tree.parent[lane + i]] * behaviour[at + i]


@kernel
def joint_top_down(tree: Any, behaviour: Any, shift: Any, lift: Any, plan: Any) -> None:
    """The plan of a player who shares the treeplex with a model down to a horizon (see `Restriction.shifts`): plan[s] =
    (plan[parent] - lift) · behaviour[s] + shift[s]."""
    plan[0], plan[1] = 1.0 + shift[0], 0.0
    for g in range(len(tree.groups)):
        offset, width, lane = tree.groups[g, OFFSET], tree.groups[g, WIDTH], tree.groups[g, LANE]
        for a in range(tree.groups[g, ACTIONS]):
            at = offset + a * width
            for i in range(width):
                plan[at + i] = (plan[tree.parent[lane + i]] - lift[lane + i]) * behaviour[at + i] + shift[at + i]


@kernel
def from_plan(tree: Any, plan: Any, behaviour: Any) -> None:
    """behaviour[s] = plan[s] / Σ plan over the actions; uniform where that sum is 0."""
    behaviour[0] = 1.0
    for g in range(len(tree.groups)):
        offset, width, n = tree.groups[g, OFFSET], tree.groups[g, WIDTH], tree.groups[g, ACTIONS]
        for i in range(tree.groups[g, COUNT]):
            total = 0.0
            for a in range(n):
                total += plan[offset + a * width + i]
            for a in range(n):
                at = offset + a * width + i
                behaviour[at] = plan[at] / total if total > 0.0 else 1.0 / n


@kernel
def bottom_up(tree: Any, behaviour: Any, cfv: Any) -> None:
    """cfv[parent] += Σ behaviour[s] · cfv[s], children first."""
    for g in range(len(tree.groups) - 1, -1, -1):
        offset, width, lane = tree.groups[g, OFFSET], tree.groups[g, WIDTH], tree.groups[g, LANE]
        n = tree.groups[g, ACTIONS]
        for i in range(tree.groups[g, COUNT]):
            total = 0.0
            for a in range(n):
                total += behaviour[offset + a * width + i] * cfv[offset + a * width + i]
            cfv[tree.parent[lane + i]] += total


@kernel
def best(tree: Any, keep: Any, mix: Any, cfv: Any, choice: Any) -> None:
    """`bottom_up` with the best action; `choice` becomes the behaviour that takes it (the first of ties)."""
    choice[0] = 1.0
    local = len(keep) > 0
    for g in range(len(tree.groups) - 1, -1, -1):
        offset, width, lane = tree.groups[g, OFFSET], tree.groups[g, WIDTH], tree.groups[g, LANE]
        n = tree.groups[g, ACTIONS]
        # Lane i of the group: its sequences are offset + a * width + i, its row in `parent` and `keep` is lane + i.
        for i in range(tree.groups[g, COUNT]):
            top, where, bound = cfv[offset + i], 0, 0.0
            for a in range(n):
                at = offset + a * width + i
                choice[at] = 0.0
                if cfv[at] > top:
                    top, where = cfv[at], a
                if local:
                    bound += mix[at] * cfv[at]
            choice[offset + where * width + i] = 1.0
            cfv[tree.parent[lane + i]] += keep[lane + i] * top + bound if local else top


@kernel(inline=True, inner=True)
def from_parents(parent: Any, lane: int, plan: Any) -> Any:
    """The plan at the parent sequences of eight infosets; all arguments are pointers."""
    if joined(parent, lane):
        return load(plan, get(parent, lane))
    return gather(plan, parent, lane)


@kernel(inline=True, inner=True)
def to_parents(parent: Any, lane: int, value: Any, cfv: Any) -> None:
    """Add the values of eight infosets to the CFVs of their parent sequences; all arguments are pointers."""
    if joined(parent, lane):
        up = get(parent, lane)
        store(cfv, up, load(cfv, up) + value)
    else:
        scatter_add(cfv, parent, lane, value)


@kernel(inline=True, inner=True)
def some_to_parents(parent: Any, lane: int, value: Any, cfv: Any, first: int, last: int) -> None:
    """`to_parents` for some of eight infosets."""
    if last - first == LANES:
        to_parents(parent, lane, value, cfv)
    else:
        for k in range(first, last):
            up = get(parent, lane + k)
            put(cfv, up, get(cfv, up) + lane_of(value, k))


@kernel(inner=True)
def best_value(groups: Any, count: int, parent: Any, bound: int, keep: Any, mix: Any, cfv: Any) -> Any:
    """The value of the best behaviour, as in `best`, eight infosets at a time; all arrays are pointers. The local
    restriction binds the first `bound` groups."""
    for g in range(5 * count - 5, -1, -5):
        offset, width, lane = get(groups, g + OFFSET), get(groups, g + WIDTH), get(groups, g + LANE)
        local = g < 5 * bound
        size = width * get(groups, g + ACTIONS)
        for i in range(0, width, LANES):
            top = load(cfv, offset + i)
            for at in range(offset + i + width, offset + i + size, width):
                other = load(cfv, at)
                top = where_above(other, top, other, top)
            if local:
                top *= load(keep, lane + i)
                for at in range(offset + i, offset + i + size, width):
                    top += load(mix, at) * load(cfv, at)
            to_parents(parent, lane + i, top, cfv)
    return get(cfv, 0)


@kernel
def best_cfvs(groups: Any, parent: Any, cfv: Any) -> None:
    """`best` of a player who is free everywhere, without the choices: the CFVs of all sequences, in place. A group's lanes
    are read to the end of the last vector: padding has a parent whose CFV means nothing."""
    best_value(pointer(groups), len(groups), pointer(parent), 0, pointer(cfv), pointer(cfv), pointer(cfv))


ENOUGH = 10
"""The number of observations of an infoset for full trust in a model there (Johanson and Bowling 2009)."""


def visits(tree: Treeplex, last: F64) -> tuple[F64, F64]:
    """(size,) hands through each sequence, and (lanes,) through each infoset, given the hands (size,) by the player's
    last sequence."""
    seen, counts, before = last.copy(), np.zeros(tree.lanes), tree.arrays.parent
    for offset, width, n, lane, infosets in tree.arrays.groups[::-1].tolist():
        # A group: (actions, infosets) hands by sequence, from `offset`; infosets are lanes from `lane`.
        here = seen[offset : offset + n * width].reshape(n, width)[:, :infosets].sum(axis=0)
        counts[lane : lane + infosets] = here
        np.add.at(seen, before[lane : lane + infosets], here)
    return seen, counts
