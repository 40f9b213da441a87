"""Leaves of a problem whose plans are mixtures of plans of a larger one: beyond a limit each player chooses among a few
continuations, each a whole plan of the rest.

The plan of every sequence of the larger problem is a linear combination of the smaller plan. CFVs go back by the transpose.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F64, I32, I64, AnyArray
from counterplay.jit import kernel
from counterplay.leaves.matrix import ExplicitPayoff, Matrix
from counterplay.leaves.protocol import NO_BASE, Leaves, multiply, product, product_by, register
from counterplay.treeplex.simd import LANES, get, load, pointer, put, store, with_pointers
from counterplay.treeplex.sweeps import zeros

_WRITTEN_OUT = 4_000_000


class MixtureMap(NamedTuple):
    """A linear map from one player's plans to larger ones. size: length of the smaller plan, a multiple of 8. number: N,
    of the larger one. start: (N + 1,) int64, the terms of each sequence of the larger plan are those from start[s] to
    start[s + 1]. at: (T,) int32, the sequence of the smaller plan. weight: (T,) float64."""

    size: int
    number: int
    start: I64
    at: I32
    weight: F64

    @staticmethod
    def of(size: int, large: int, parts: list[tuple[Any, Any, Any]]) -> MixtureMap:
        """The map with these terms: (sequences of the larger plan, of the smaller one, weights), in any order."""
        rows, at, weight = (np.concatenate([np.asarray(part[k]) for part in parts]) for k in range(3))
        order = np.argsort(rows, kind="stable")
        start = np.append(0, np.cumsum(np.bincount(rows, minlength=large)))
        return MixtureMap(size, large, start, at[order].astype(np.int32), np.asarray(weight[order], np.float64))

    def up(self, plan: F64) -> F64:
        """(N,) the larger plan."""
        out = np.zeros(self.number)
        np.add.at(out, self._rows, self.weight * plan[self.at])
        return out

    def down(self, cfv: F64) -> F64:
        """(size,) CFVs of the smaller plan."""
        return np.bincount(self.at, self.weight * cfv[self._rows], self.size).astype(np.float64)

    @property
    def _rows(self) -> I64:
        return np.repeat(np.arange(self.number), np.diff(self.start))


class MixtureArrays(NamedTuple):
    """One player's side. inner: the leaves of the larger problem. own, other: the players' maps. plan, cfv: scratch of
    the larger problem's lengths, plus 8 each."""

    inner: Any
    own: MixtureMap
    other: MixtureMap
    plan: AnyArray
    cfv: AnyArray


@dataclass(frozen=True, eq=False)
class PlanMixture(ExplicitPayoff):
    """The payoff of mixed plans: that of the larger problem `inner`, by the maps `spreads` of players 0 and 1."""

    inner: Leaves
    spreads: tuple[MixtureMap, MixtureMap]

    @cached_property
    def leaves(self) -> tuple[MixtureArrays, MixtureArrays]:
        sizes = [spread.number + LANES for spread in self.spreads]
        first, second = (
            MixtureArrays(leaf, self.spreads[i], self.spreads[1 - i], zeros(sizes[1 - i]), zeros(sizes[i]))
            for i, leaf in enumerate(self.inner.leaves)
        )
        return first, second

    @property
    def entries(self) -> int:
        """Upper bound on the number of entries of the payoff."""
        each = [max(1, -(-len(spread.at) // max(1, int((np.diff(spread.start) > 0).sum())))) for spread in self.spreads]
        return int(self.inner.entries * each[0] * each[1])

    @property
    def largest(self) -> float:
        return self.inner.largest

    @cached_property
    def explicit(self) -> Matrix:
        from scipy import sparse

        rows = self.inner.rows
        shape = [spread.number for spread in self.spreads]
        large = sparse.csr_matrix((rows.value, rows.column, rows.start), shape=(len(rows.start) - 1, shape[1]))
        first, second = (
            sparse.csr_matrix((spread.weight, spread.at, spread.start), shape=(shape[i], spread.size))
            for i, spread in enumerate(self.spreads)
        )
        small = (first.T @ large[: shape[0]] @ second).tocoo()
        row, column = small.row.astype(np.int32), small.col.astype(np.int32)
        return Matrix.from_entries(row, column, small.data, (self.spreads[0].size, self.spreads[1].size))

    def product(self, player: int, plan: F64) -> F64:
        """(size,) CFVs of `player`'s sequences against the other player's plan."""
        return self.spreads[player].down(self.inner.product(player, self.spreads[1 - player].up(plan)))

    def paid(self, plan0: F64, plan1: F64) -> float:
        return self.inner.paid(self.spreads[0].up(plan0), self.spreads[1].up(plan1))


@kernel(inner=True)
def _multiply(leaf: Any, base: Any, shift: bool, plan: Any, out: Any) -> None:
    _mix(leaf, plan)
    multiply(leaf.inner, base, False, leaf.plan, leaf.cfv)
    _share(leaf, base, shift, out)


@kernel(inner=True)
def _mix(leaf: Any, plan: Any) -> None:
    """The larger plan."""
    # The terms of sequence s of the larger plan are those from start[s] to start[s + 1].
    other = leaf.other
    for s in range(other.number):
        total = 0.0
        for k in range(get(other.start, s), get(other.start, s + 1)):
            total += get(other.weight, k) * get(plan, get(other.at, k))
        put(leaf.plan, s, total)


@kernel(inner=True)
def _share(leaf: Any, base: Any, shift: bool, out: Any) -> None:
    """The CFVs of the smaller plan, from those of the larger one."""
    own = leaf.own
    for s in range(own.size):
        put(out, s, 0.0)
    for s in range(own.number):
        value = get(leaf.cfv, s)
        for k in range(get(own.start, s), get(own.start, s + 1)):
            at = get(own.at, k)
            put(out, at, get(out, at) + get(own.weight, k) * value)
    if shift:
        for at in range(0, own.size, LANES):
            store(out, at, load(out, at) + load(base, at))


def _product(leaf: MixtureArrays, base: Any, plan: Any, out: Any) -> None:
    alone = leaf._replace(inner=0)
    _mix_into(alone, plan)
    product(leaf.inner, NO_BASE, leaf.plan, leaf.cfv)
    _share_out(alone, base, out)


@kernel
def _mix_into(leaf: Any, plan: Any) -> None:
    _mix(with_pointers(leaf), pointer(plan))


@kernel
def _share_out(leaf: Any, base: Any, out: Any) -> None:
    _share(with_pointers(leaf), pointer(base), len(base) > 0, pointer(out))


register(MixtureArrays, _multiply)
product_by(MixtureArrays, _product)
