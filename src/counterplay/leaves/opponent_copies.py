"""Leaves of a problem with two copies of one player: the first with probability p, else the second.

The copies' plans are concatenated in one plan. The other player's CFVs are those against their mixture; theirs are the
CFVs of the problem without copies, times p and 1 - p."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F64, AnyArray
from counterplay.errors import InputError
from counterplay.jit import kernel
from counterplay.leaves.matrix import MatrixFree
from counterplay.leaves.protocol import NO_BASE, Leaves, multiply, product, product_by, register
from counterplay.treeplex.simd import LANES, get, load, pointer, put, splat, store, with_pointers
from counterplay.treeplex.sweeps import zeros


class CopyArrays(NamedTuple):
    """One player's side. inner: without copies. size: length of one copy's plan. p: probability of the first. copied:
    whether it is the player with copies. room: (size + 8,) scratch for the mixture of the copies."""

    inner: Any
    size: int
    p: float
    copied: bool
    room: AnyArray


@dataclass(frozen=True, eq=False)
class OpponentCopies(MatrixFree):
    """A payoff with two copies of `player`, whose plans have a length of `size`, a multiple of 8; the first has
    probability p."""

    inner: Leaves
    player: int
    size: int
    p: float

    @cached_property
    def leaves(self) -> tuple[CopyArrays, CopyArrays]:
        first, second = (
            CopyArrays(leaf, self.size, self.p, player == self.player, zeros(self.size + LANES))
            for player, leaf in enumerate(self.inner.leaves)
        )
        return first, second

    @property
    def entries(self) -> int:
        return 2 * self.inner.entries

    @property
    def largest(self) -> float:
        return self.inner.largest

    @property
    def rows(self) -> Any:
        """Unavailable: the linear program has its own copies."""
        raise InputError("a problem with two copies of a player is solved by minimisers only")

    columns = rows

    def mixed(self, plan: F64) -> F64:
        """(size,) the mixture of both copies' plans."""
        first, second = plan[: self.size], plan[self.size :]
        out: F64 = self.p * first + (1.0 - self.p) * second
        out[0] = plan[0]
        return out

    def product(self, player: int, plan: F64) -> F64:
        """(size,) CFVs of `player`'s sequences against the other player's plan."""
        if player != self.player:
            return self.inner.product(player, self.mixed(plan))
        cfv = self.inner.product(player, plan)
        out = np.concatenate([self.p * cfv, (1.0 - self.p) * cfv])
        out[0], out[self.size] = cfv[0], 0.0
        return out

    def paid(self, plan0: F64, plan1: F64) -> float:
        plans = [self.mixed(plan) if i == self.player else plan for i, plan in enumerate((plan0, plan1))]
        return self.inner.paid(plans[0], plans[1])


@kernel(inner=True)
def _multiply(leaf: Any, base: Any, shift: bool, plan: Any, out: Any) -> None:
    if leaf.copied:
        multiply(leaf.inner, base, False, plan, out)
        _share(leaf, base, shift, out)
    else:
        _mix(leaf, plan)
        multiply(leaf.inner, base, shift, leaf.room, out)


@kernel(inner=True)
def _share(leaf: Any, base: Any, shift: bool, out: Any) -> None:
    """The CFVs of both copies, from those of one."""
    size, first, second = leaf.size, splat(leaf.p), splat(1.0 - leaf.p)
    # Sequence s of the second copy is at size + s; the empty sequence, at 0, is of both.
    root = get(out, 0)
    for at in range(0, size, LANES):
        value = load(out, at)
        store(out, size + at, second * value)
        store(out, at, first * value)
    put(out, 0, root)
    put(out, size, 0.0)
    if shift:
        for at in range(0, 2 * size, LANES):
            store(out, at, load(out, at) + load(base, at))


@kernel(inner=True)
def _mix(leaf: Any, plan: Any) -> None:
    """One plan of both copies."""
    size, first, second = leaf.size, splat(leaf.p), splat(1.0 - leaf.p)
    for at in range(0, size, LANES):
        store(leaf.room, at, first * load(plan, at) + second * load(plan, size + at))
    put(leaf.room, 0, get(plan, 0))


def _product(leaf: CopyArrays, base: Any, plan: Any, out: Any) -> None:
    alone = leaf._replace(inner=0)
    if leaf.copied:
        product(leaf.inner, NO_BASE, plan, out)
        _share_out(alone, base, out)
    else:
        _mix_into(alone, plan)
        product(leaf.inner, base, leaf.room, out)


@kernel
def _share_out(leaf: Any, base: Any, out: Any) -> None:
    _share(with_pointers(leaf), pointer(base), len(base) > 0, pointer(out))


@kernel
def _mix_into(leaf: Any, plan: Any) -> None:
    _mix(with_pointers(leaf), pointer(plan))


register(CopyArrays, _multiply)
product_by(CopyArrays, _product)
