"""Terminals as a sparse payoff matrix between two plans."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterplay.jit import kernel
from counterplay.leaves.product import Leaf, leaf_of, product
from counterplay.treeplex.treeplex import LANES

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


class Rows(NamedTuple):
    """A sparse matrix by rows. start: (rows + 1,), column: (entries,), value: (entries,)."""

    start: NDArray[np.int64]
    column: Ints
    value: Floats


@dataclass(frozen=True, eq=False)
class Matrix:
    """The payoff A of player 0: chips times chance's probability, duplicates merged, zeros left out.

    Attributes:
        rows: A, rows the sequences of player 0, columns those of player 1.
        columns: A transposed.
    """

    rows: Rows
    columns: Rows

    @staticmethod
    def from_entries(row: Ints, column: Ints, value: Floats, shape: tuple[int, int]) -> Matrix:
        """The sum of single entries."""
        by_column = _transposed(row, column, value, shape[1])
        by_row = Rows(*_merged(_turned(by_column, shape[0])))
        return Matrix(by_row, _turned(by_row, shape[1]))

    @property
    def entries(self) -> int:
        """Number of nonzero entries."""
        return len(self.rows.value)

    @cached_property
    def leaves(self) -> tuple[Leaf, Leaf]:
        """The payoff from each player's side, in that player's own chips, laid out for the products."""
        rows, columns = self.rows, self.columns
        return leaf_of(*rows), leaf_of(columns.start, columns.column, -columns.value)

    def product(self, player: int, plan: Floats) -> Floats:
        """CFVs of `player`'s sequences in that player's own chips, against the other player's plan."""
        leaf = self.leaves[player]
        out = np.empty(len((self.rows, self.columns)[player].start) - 1 + LANES)
        product(leaf.numbers, leaf.values, plan, out)
        return out[:-LANES]

    def value(self, plan0: Floats, plan1: Floats) -> float:
        """Chips of player 0 under two plans."""
        return float(plan0 @ self.product(0, plan1))


def _transposed(row: Ints, column: Ints, value: Floats, columns: int) -> Rows:
    start = np.zeros(columns + 1, np.int64)
    np.cumsum(np.bincount(column, minlength=columns), out=start[1:])
    index, values = np.empty(len(row), np.int32), np.empty(len(row))
    _scatter(row, column, value, start.copy(), index, values)
    return Rows(start, index, values)


@kernel
def _scatter(row: Any, column: Any, value: Any, at: Any, index: Any, values: Any) -> None:
    for k in range(len(row)):
        c = column[k]
        index[at[c]], values[at[c]] = row[k], value[k]
        at[c] += 1


def _turned(matrix: Rows, rows: int) -> Rows:
    """The transpose; the entries of each of its rows come out in order."""
    start = np.zeros(rows + 1, np.int64)
    np.cumsum(np.bincount(matrix.column, minlength=rows), out=start[1:])
    index, values = np.empty(len(matrix.column), np.int32), np.empty(len(matrix.column))
    _turn(matrix, start.copy(), index, values)
    return Rows(start, index, values)


@kernel
def _turn(matrix: Any, at: Any, index: Any, values: Any) -> None:
    for r in range(len(matrix.start) - 1):
        for k in range(matrix.start[r], matrix.start[r + 1]):
            c = matrix.column[k]
            index[at[c]], values[at[c]] = r, matrix.value[k]
            at[c] += 1


@kernel
def _merged(matrix: Any) -> Any:
    """Equal places of a row (they are neighbours) added up; what adds up to nothing is left out."""
    start = np.zeros_like(matrix.start)
    index, values = np.empty_like(matrix.column), np.empty_like(matrix.value)
    n = 0
    for r in range(len(matrix.start) - 1):
        k = matrix.start[r]
        while k < matrix.start[r + 1]:
            c, total, size = matrix.column[k], 0.0, 0.0
            while k < matrix.start[r + 1] and matrix.column[k] == c:
                total += matrix.value[k]
                size += abs(matrix.value[k])
                k += 1
            if abs(total) > 1e-15 * size:
                index[n], values[n] = c, total
                n += 1
        start[r + 1] = n
    return start, index[:n].copy(), values[:n].copy()
