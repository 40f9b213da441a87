"""Terminals as a sparse payoff matrix between two plans."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterplay.errors import InputError
from counterplay.leaves.product import Leaf, leaf_of
from counterplay.leaves.protocol import NO_BASE, product
from counterplay.treeplex.treeplex import LANES

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]


class Rows(NamedTuple):
    """A sparse matrix by rows. start: (rows + 1,), column: (entries,), value: (entries,)."""

    start: Longs
    column: Ints
    value: Floats


@dataclass(frozen=True, eq=False)
class Matrix:
    """The payoff A of player 0: chips times chance's probability, duplicates merged, zeros left out.

    Attributes:
        rows: A by rows; rows are sequences of player 0, columns those of player 1.
        columns: A transposed.
        groups: the groups of both treeplexes (see `TreeArrays`), which let the products use pairs of actions; or None.
    """

    rows: Rows
    columns: Rows
    groups: tuple[Longs, Longs] | None = None

    @staticmethod
    def from_entries(
        row: Ints, column: Ints, value: Floats, shape: tuple[int, int], groups: tuple[Longs, Longs] | None = None
    ) -> Matrix:
        """The sum of single entries.

        Args:
            row, column, value: (entries,) each, in any order; entries of one cell add up.
            shape: rows and columns.
            groups: as in `leaf_of`.
        """
        by_column = _transposed(row, column, value, shape[1])
        by_row = _merged(_turned(by_column, shape[0]))
        return Matrix(by_row, _turned(by_row, shape[1]), groups)

    @property
    def entries(self) -> int:
        """Number of nonzero entries."""
        return len(self.rows.value)

    @cached_property
    def largest(self) -> float:
        """The largest payoff; 0 if there is none."""
        return float(np.abs(self.rows.value).max(initial=0.0))

    @cached_property
    def leaves(self) -> tuple[Leaf, Leaf]:
        """The payoff from each player's side, in that player's own chips, laid out for products."""
        rows, columns, groups = self.rows, self.columns, self.groups
        first = leaf_of(*rows, groups)
        return first, leaf_of(columns.start, columns.column, -columns.value, groups and groups[::-1])

    def product(self, player: int, plan: Floats) -> Floats:
        """(size,) CFVs of `player`'s sequences in that player's own chips, against the other player's plan."""
        leaf, own, other = self.leaves[player], *(self.rows, self.columns)[:: 1 - 2 * player]
        if len(plan) != len(other.start) - 1:
            raise InputError(f"a plan of {len(plan)} sequences does not fit a payoff with {len(other.start) - 1}")
        out = np.empty(len(own.start) - 1 + LANES)
        product(leaf, NO_BASE, np.ascontiguousarray(plan, np.float64), out)
        return out[:-LANES]

    def value(self, plan0: Floats, plan1: Floats) -> float:
        """Chips of player 0 under plans (rows,) and (columns,)."""
        return float(plan0 @ self.product(0, plan1))

    def paid(self, plan0: Floats, plan1: Floats) -> float:  # noqa: ARG002 - other kinds of leaves ask
        """Chips that both players together lose to the house, under plans (rows,) and (columns,): 0."""
        return 0.0


def _transposed(row: Ints, column: Ints, value: Floats, columns: int) -> Rows:
    """Entries, given in any order, sorted by columns; stable."""
    start = np.zeros(columns + 1, np.int64)
    np.cumsum(np.bincount(column, minlength=columns), out=start[1:])
    order = _stable_order(column)
    return Rows(start, row[order].astype(np.int32, copy=False), value[order])


def _stable_order(numbers: Ints) -> Longs:
    """A stable sort order of non-negative numbers: 16 bits at a time, which NumPy sorts by radix."""
    order = np.argsort(numbers.astype(np.uint16), kind="stable")
    if len(numbers) and numbers.max() >= 1 << 16:
        order = order[np.argsort((numbers >> 16).astype(np.uint16)[order], kind="stable")]
    return order


def _turned(matrix: Rows, rows: int) -> Rows:
    """The transpose, the entries of each row in order."""
    row = np.repeat(np.arange(len(matrix.start) - 1, dtype=np.int32), np.diff(matrix.start))
    return _transposed(row, matrix.column, matrix.value, rows)


def _merged(matrix: Rows) -> Rows:
    """Entries with duplicates of a row (which are neighbours) summed and zero sums left out."""
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
