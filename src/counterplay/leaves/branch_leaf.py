"""The sparse payoff of a large game by branches: for each, the payoffs of its rows in a layout of its own.

The rows of a branch are contiguous, and its columns are those of the same branch and of the trunk. So a product of one
branch reads and writes little memory, and solvers may go on with it at once (`solvers.iterates`)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import I64
from counterplay.jit import kernel
from counterplay.leaves.product import Leaf, leaf_of
from counterplay.leaves.product import multiply as multiply_leaf
from counterplay.leaves.protocol import register
from counterplay.treeplex.simd import LANES, get, shifted
from counterplay.treeplex.sweeps import zeros
from counterplay.treeplex.treeplex import OFFSET, Treeplex

GROUP, TOPS, ROW, NUMBERS, VALUES = range(5)
"""Columns of `BranchLeaf.branches`: first group, groups just below the trunk, first sequence, and where the layout of the
payoff begins in `numbers` and in `values`."""
WIDE = 5


class BranchLeaf(NamedTuple):
    """A payoff from one player's side. number: B + 1. branches: (B + 2, 5) int64, the trunk, the branches, and the end of
    each column. numbers, values: their layouts, as in `Leaf`, one after the other, in which rows count from the branch's
    first."""

    number: int
    branches: Any
    numbers: Any
    values: Any


def branch_leaf_of(start: I64, column: Any, value: Any, trees: tuple[Treeplex, Treeplex]) -> BranchLeaf:
    """Lay out a matrix that is given by rows, between two treeplexes with the same branches: `start` (rows + 1,) says
    where the entries of each row begin, and the columns (entries,) of a row rise."""
    own, other = (_bounds(tree) for tree in trees)
    unit = float(np.abs(value).min(initial=np.inf))
    table, parts = np.concatenate([own, np.zeros((len(own), 2), np.int64)], axis=1), list[Leaf]()
    for number in range(len(own) - 1):
        (first, _, row), end = own[number].tolist(), own[number + 1].tolist()
        here = slice(int(start[row]), int(start[end[ROW]]))
        groups = trees[0].arrays.groups[first : end[GROUP]].copy()
        groups[:, OFFSET] -= row
        columns = trees[1].arrays.groups
        trunk = columns[: other[1, GROUP]]
        branch = columns[other[number, GROUP] : other[number + 1, GROUP]] if number else columns[:0]
        sides = groups, np.concatenate([trunk, branch])
        part = leaf_of(start[row : end[ROW] + 1] - start[row], column[here], value[here], sides, unit)
        table[number + 1, NUMBERS:] = table[number, NUMBERS:] + [
            part.numbers.size,
            -(-part.values.size // LANES) * LANES,
        ]
        parts.append(part)
    numbers = zeros(int(table[-1, NUMBERS]) // 2).view(np.int32)
    values = zeros(int(table[-1, VALUES]))
    for part, row in zip(parts, table, strict=False):
        numbers[row[NUMBERS] : row[NUMBERS] + part.numbers.size] = part.numbers
        values[row[VALUES] : row[VALUES] + part.values.size] = part.values
    return BranchLeaf(len(table) - 1, table, numbers, values)


def _bounds(tree: Treeplex) -> I64:
    """(B + 2, 3) the first columns of `BranchLeaf.branches`."""
    groups = tree.arrays.groups
    found = np.append(tree.branches, [[len(groups), 0]], axis=0)
    rows = np.append(groups[:, OFFSET], tree.size)[found[:, GROUP]]
    rows[0] = 0  # the empty sequence is of the trunk
    return np.concatenate([found, rows[:, None]], axis=1)


@kernel(inline=True, inner=True)
def leaf_at(leaf: Any, number: int) -> Any:
    """The payoff of a branch, as the product of one takes it."""
    row = WIDE * number
    return Leaf(
        shifted(leaf.numbers, get(leaf.branches, row + NUMBERS)), shifted(leaf.values, get(leaf.branches, row + VALUES))
    )


@kernel(inner=True)
def multiply(leaf: Any, base: Any, shift: bool, plan: Any, out: Any) -> None:
    """As `protocol.multiply`: branch after branch, since what the last rows of one spill is overwritten by the next."""
    for number in range(leaf.number):
        row = get(leaf.branches, WIDE * number + ROW)
        multiply_leaf(leaf_at(leaf, number), shifted(base, row), shift, plan, shifted(out, row))


register(BranchLeaf, multiply)
