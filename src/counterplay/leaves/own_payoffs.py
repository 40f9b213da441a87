"""Leaves of a general-sum problem: each player has a payoff of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from counterplay.arrays import AnyArray
from counterplay.leaves.general_sum import GeneralSum
from counterplay.leaves.protocol import Leaves


@dataclass(frozen=True, eq=False)
class OwnPayoffs(GeneralSum):
    """Two payoffs on the same treeplexes: each player's CFVs come from their own, of which only that side counts.

    Regret minimisers and best responses take it; the linear program, which needs a saddle point, does not.

    Attributes:
        own: the payoffs of players 0 and 1.
    """

    own: tuple[Leaves, Leaves]

    @property
    def leaves(self) -> tuple[Any, Any]:
        """Each player's side of their own payoff."""
        return self.own[0].leaves[0], self.own[1].leaves[1]

    @property
    def entries(self) -> int:
        """The entries of the larger payoff."""
        return max(one.entries for one in self.own)

    @property
    def largest(self) -> float:
        """The largest amount of both payoffs."""
        return max(one.largest for one in self.own)

    def product(self, player: int, plan: AnyArray) -> AnyArray:
        """(size,) CFVs of `player`'s sequences in the player's own payoff, against the other player's plan."""
        return self.own[player].product(player, plan)

    def value(self, plan0: AnyArray, plan1: AnyArray) -> float:
        """The payoff of player 0 under plans (size of tree 0,) and (size of tree 1,)."""
        return self.own[0].value(plan0, plan1)

    def paid(self, plan0: AnyArray, plan1: AnyArray) -> float:
        """By how much both players' payoffs fall short of a zero sum, under plans as in `value`; below 0 for a surplus."""
        return -float(plan0 @ self.product(0, plan1) + plan1 @ self.product(1, plan0))
