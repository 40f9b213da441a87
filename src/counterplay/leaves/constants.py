"""Leaves with constants added: payments at one player's sequences, whatever the other does (gadget entries)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F64, I64, AnyArray
from counterplay.jit import kernel
from counterplay.leaves.matrix import ExplicitPayoff, Matrix
from counterplay.leaves.protocol import Leaves, multiply, product, product_by, register
from counterplay.treeplex.simd import get, pointer, put, with_pointers


class ConstantArrays(NamedTuple):
    """One player's side. inner: without constants. number: n. at: (n,) int64, the paid sequences. chips: (n,) the payments
    in the dtype of the leaf, in the player's own chips. paid: whether it is the player with those sequences."""

    inner: Any
    number: int
    at: I64
    chips: AnyArray
    paid: bool


@dataclass(frozen=True, eq=False)
class WithConstants(ExplicitPayoff):
    """A payoff with constants: `player` is paid `chips` (n,) at the sequences `at` (n,), beside the payoff `inner`."""

    inner: Leaves
    player: int
    at: I64
    chips: F64

    @cached_property
    def leaves(self) -> tuple[ConstantArrays, ConstantArrays]:
        return self._around(self.inner.leaves, np.float64)

    @cached_property
    def single(self) -> tuple[ConstantArrays, ConstantArrays] | None:
        """The leaves for plans and CFVs in float32, if the payoff without constants has them."""
        inner = getattr(self.inner, "single", None)
        return None if inner is None else self._around(inner, np.float32)

    def _around(self, inner: tuple[Any, Any], dtype: Any) -> tuple[ConstantArrays, ConstantArrays]:
        at, chips = np.ascontiguousarray(self.at, np.int64), np.ascontiguousarray(self.chips, dtype)
        first, second = (
            ConstantArrays(leaf, len(at), at, chips if i == self.player else -chips, i == self.player)
            for i, leaf in enumerate(inner)
        )
        return first, second

    @property
    def entries(self) -> int:
        return self.inner.entries + len(self.at)

    @property
    def largest(self) -> float:
        return max(self.inner.largest, float(np.abs(self.chips).max(initial=0.0)))

    @cached_property
    def explicit(self) -> Matrix:
        rows = self.inner.rows
        row = np.repeat(np.arange(len(rows.start) - 1), np.diff(rows.start))
        mine, none = np.asarray(self.at), np.zeros(len(self.at), np.int64)
        first, second = (mine, none) if self.player == 0 else (none, mine)
        chips = self.chips if self.player == 0 else -self.chips
        parts = (np.append(row, first), np.append(rows.column, second), np.append(rows.value, chips))
        shape = (len(rows.start) - 1, len(self.inner.columns.start) - 1)
        return Matrix.from_entries(parts[0].astype(np.int32), parts[1].astype(np.int32), parts[2], shape)

    def product(self, player: int, plan: F64) -> F64:
        """(size,) CFVs of `player`'s sequences against the other player's plan."""
        out = np.array(self.inner.product(player, plan))
        if player == self.player:
            np.add.at(out, self.at, plan[0] * self.chips)
        else:
            out[0] -= float(plan[self.at] @ self.chips)
        return out

    def paid(self, plan0: F64, plan1: F64) -> float:
        return self.inner.paid(plan0, plan1)


@kernel(inner=True)
def _multiply(leaf: Any, base: Any, shift: bool, plan: Any, out: Any) -> None:
    multiply(leaf.inner, base, shift, plan, out)
    _add(leaf, plan, out)


@kernel(inner=True)
def _add(leaf: Any, plan: Any, out: Any) -> None:
    """Add the constants."""
    if leaf.paid:
        for k in range(leaf.number):
            at = get(leaf.at, k)
            put(out, at, get(out, at) + get(plan, 0) * get(leaf.chips, k))
    else:
        total = 0.0
        for k in range(leaf.number):
            total += get(plan, get(leaf.at, k)) * get(leaf.chips, k)
        put(out, 0, get(out, 0) + total)


def _product(leaf: ConstantArrays, base: Any, plan: Any, out: Any) -> None:
    product(leaf.inner, base, plan, out)
    _add_to(leaf._replace(inner=0), plan, out)


@kernel
def _add_to(leaf: Any, plan: Any, out: Any) -> None:
    _add(with_pointers(leaf), pointer(plan), pointer(out))


register(ConstantArrays, _multiply)
product_by(ConstantArrays, _product)
