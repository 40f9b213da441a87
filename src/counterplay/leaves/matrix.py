"""Terminals as a sparse payoff matrix between two plans."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F64, I32, I64
from counterplay.errors import InputError
from counterplay.jit import kernel
from counterplay.leaves.branch_leaf import BranchLeaf, branch_leaf_of
from counterplay.leaves.product import Leaf, leaf_of
from counterplay.leaves.protocol import NO_BASE, product
from counterplay.treeplex.sweeps import zeros_of
from counterplay.treeplex.treeplex import LANES, Treeplex

_PORTION = 1 << 20
"""Entries that are worked on at a time."""


class Rows(NamedTuple):
    """A sparse matrix by rows. start: (rows + 1,), column: (entries,), value: (entries,)."""

    start: I64
    column: I32
    value: F64


@dataclass(frozen=True, eq=False)
class Matrix:
    """The payoff A of player 0: chips times chance's probability, duplicates merged, zeros left out.

    Attributes:
        rows: A by rows; rows are sequences of player 0, columns those of player 1.
        shape: the numbers of rows and of columns.
        groups: those of both treeplexes (see `TreeArrays`), which let the products use pairs of actions; or None.
        trees: both treeplexes, if they are decomposed into the same branches.
    """

    rows: Rows
    shape: tuple[int, int]
    groups: tuple[I64, I64] | None = None
    trees: tuple[Treeplex, Treeplex] | None = None

    @staticmethod
    def from_entries(
        row: I32, column: I32, value: F64, shape: tuple[int, int], groups: tuple[I64, I64] | None = None
    ) -> Matrix:
        """The sum of single entries (entries,), in any order; those of one cell add up. `groups` as in `leaf_of`."""
        by_column = _room(np.bincount(column, minlength=shape[1]))
        _place(row, column, value, by_column.start[:-1].copy(), by_column.column, by_column.value)
        return Matrix(_merged(_turned(by_column, shape[0])), shape, groups)

    @cached_property
    def columns(self) -> Rows:
        """A transposed."""
        return _turned(self.rows, self.shape[1])

    @property
    def entries(self) -> int:
        """Number of nonzero entries."""
        return len(self.rows.value)

    @cached_property
    def largest(self) -> float:
        """The largest payoff; 0 if there is none."""
        return float(np.abs(self.rows.value).max(initial=0.0))

    @cached_property
    def leaves(self) -> tuple[Leaf, Leaf] | tuple[BranchLeaf, BranchLeaf]:
        """The payoff from each player's side, in that player's own chips, laid out for products."""
        if self.trees is not None:
            one, columns = branch_leaf_of(*self.rows, self.trees), _turned(self.rows, self.shape[1])  # large: not kept
            np.negative(columns.value, out=columns.value)
            return one, branch_leaf_of(*columns, self.trees[::-1])
        rows, columns, groups = self.rows, self.columns, self.groups
        first = leaf_of(*rows, groups)
        return first, leaf_of(columns.start, columns.column, -columns.value, groups and groups[::-1])

    @cached_property
    def single(self) -> tuple[Leaf, Leaf] | tuple[BranchLeaf, BranchLeaf]:
        """The leaves for plans and CFVs in float32; only the values are kept twice."""
        return _in_single(self.leaves[0]), _in_single(self.leaves[1])

    def product(self, player: int, plan: F64) -> F64:
        """(size,) CFVs of `player`'s sequences in that player's own chips, against the other player's plan."""
        leaf, (own, other) = self.leaves[player], self.shape[:: 1 - 2 * player]
        if len(plan) != other:
            raise InputError(f"a plan of {len(plan)} sequences does not fit a payoff with {other}")
        out = np.empty(own + LANES)
        product(leaf, NO_BASE, np.ascontiguousarray(plan, np.float64), out)
        return out[:-LANES]

    def value(self, plan0: F64, plan1: F64) -> float:
        """Chips of player 0 under plans (rows,) and (columns,)."""
        return float(plan0 @ self.product(0, plan1))

    def paid(self, plan0: F64, plan1: F64) -> float:  # noqa: ARG002 - other kinds of leaves ask
        """Chips that both players together lose to the house, under plans (rows,) and (columns,): 0."""
        return 0.0


def _in_single(leaf: Any) -> Any:
    """A side with its values in float32, aligned as by `memory.zeros`."""
    values = zeros_of(leaf.values.shape, np.dtype(np.float32))
    values[:] = leaf.values
    return leaf._replace(values=values)


def _turned(matrix: Rows, rows: int) -> Rows:
    """The transpose, the entries of each row in order."""
    start, column, value = matrix
    found = _room(np.bincount(column, minlength=rows))
    free = found.start[:-1].copy()
    for first, last in _portions(start):
        here = slice(int(start[first]), int(start[last]))
        row = np.repeat(np.arange(first, last, dtype=np.int32), np.diff(start[first : last + 1]))
        _place(row, column[here], value[here], free, found.column, found.value)
    return found


def _portions(start: I64) -> Iterator[tuple[int, int]]:
    """First and last row of portions of a matrix, so that no other array is as long as its entries."""
    row = 0
    while row < len(start) - 1:
        last = max(row + 1, int(np.searchsorted(start, start[row] + _PORTION, "right")) - 1)
        yield row, last
        row = last


def _room(counts: I64) -> Rows:
    """Room for so many entries in each row."""
    start = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=start[1:])
    return Rows(start, np.empty(int(start[-1]), np.int32), np.empty(int(start[-1])))


@kernel
def _place(row: Any, column: Any, value: Any, free: Any, rows: Any, values: Any) -> None:
    """Write each entry to the next free place of its column."""
    for k in range(len(row)):
        at = free[column[k]]
        free[column[k]] += 1
        rows[at], values[at] = row[k], value[k]


def _merged(matrix: Rows) -> Rows:
    """Entries with duplicates of a row (which are neighbours) summed and zero sums left out; in place, by portions."""
    start, column, value = matrix
    begins, end = np.zeros(len(start), np.int64), 0
    for row, last in _portions(start):
        here = slice(int(start[row]), int(start[last]))
        part = _summed(Rows(start[row : last + 1] - start[row], column[here], value[here]))
        size = len(part.column)
        column[end : end + size], value[end : end + size] = part.column, part.value
        begins[row : last + 1] = end + part.start
        end += size
    if 2 * end < len(column):
        column, value = column[:end].copy(), value[:end].copy()
    return Rows(begins, column[:end], value[:end])


def _summed(matrix: Rows) -> Rows:
    """`_merged` for some rows."""
    start, column, value = matrix
    if not len(column):
        return matrix
    fresh = np.append(True, np.diff(column) != 0)
    fresh[start[:-1][np.diff(start) > 0]] = True
    first = np.flatnonzero(fresh)
    total, size = np.add.reduceat(value, first), np.add.reduceat(np.abs(value), first)
    kept = np.abs(total) > 1e-15 * size
    fresh[first] = kept
    return Rows(np.append(0, np.cumsum(fresh))[start], column[first[kept]], total[kept])


class MatrixFree(ABC):
    """A payoff defined by its products with plans."""

    @abstractmethod
    def product(self, player: int, plan: F64) -> F64:
        """(size,) CFVs of `player`'s sequences in that player's own chips, against the other player's plan."""

    def value(self, plan0: F64, plan1: F64) -> float:
        """Chips of player 0 under plans (size of tree 0,) and (size of tree 1,)."""
        return float(plan0 @ self.product(0, plan1))


class ExplicitPayoff(MatrixFree):
    """A matrix-free payoff that can be written out."""

    @property
    @abstractmethod
    def explicit(self) -> Matrix:
        """The payoff as a sparse matrix."""

    @property
    def rows(self) -> Rows:
        """The payoff of player 0, written out."""
        return self.explicit.rows

    @property
    def columns(self) -> Rows:
        """The transpose of `rows`."""
        return self.explicit.columns


@dataclass(frozen=True, eq=False)
class MatrixValued:
    """The values of the continuations at the n histories of a limit, in chips of player 0. chips: (n, K0, K1) if player
    0 continues by strategy k and player 1 by strategy l. model: (n, K) if the resolver continues by strategy k and the
    opponent as the model; None without a model. error, model_error: their standard errors, of the same shapes; None if
    they are exact."""

    chips: F64
    model: F64 | None = None
    error: F64 | None = None
    model_error: F64 | None = None

    def count(self, player: int) -> int:
        """The number of a player's continuation strategies."""
        return int(self.chips.shape[1 + player])
