"""Bases of payoffs without a matrix in memory: everything follows from their products, and a matrix can be written out."""

from __future__ import annotations

from abc import ABC, abstractmethod

from counterplay.arrays import F64
from counterplay.leaves.matrix import Matrix, Rows


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
