"""A payoff, and what one player gains beside it for sequences of their own: general-sum.

The other player's chips stay what they are. The gain of a sequence is paid at every end below it, so that it is worth
the probability with which chance and the other player let these ends come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from counterplay.arrays import F64, AnyArray
from counterplay.errors import InputError
from counterplay.leaves.protocol import Leaves
from counterplay.treeplex.treeplex import Treeplex


class GeneralSum:
    """The part of `Leaves` that leaves with a payoff for each player share."""

    @property
    def rows(self) -> Any:
        """Unavailable: there is no single matrix."""
        raise InputError("the players' payoffs differ, so that there is no saddle point: use a minimiser such as dcfr")

    @property
    def columns(self) -> Any:
        return self.rows


@dataclass(frozen=True, eq=False)
class SequenceGains(GeneralSum):
    """A payoff in chips, and gains: (size,) of the whole path to each of the sequences of `player`. Kernels see the
    payoff alone, and the gains come as `beyond` of the problem, once an iteration. counted: the payoff with one chip
    for both players at every end."""

    payoff: Leaves
    counted: Leaves
    player: int
    gains: F64

    @property
    def leaves(self) -> tuple[Any, Any]:
        return self.payoff.leaves

    @property
    def entries(self) -> int:
        return self.payoff.entries

    @property
    def largest(self) -> float:
        return self.payoff.largest + float(np.abs(self.gains).max(initial=0.0))

    def product(self, player: int, plan: F64) -> F64:
        cfv = self.payoff.product(player, plan)
        return cfv + self._gained(plan) if player == self.player else cfv

    def value(self, plan0: F64, plan1: F64) -> float:
        return float(plan0 @ self.product(0, plan1))

    def paid(self, plan0: F64, plan1: F64) -> float:
        """By how much both players' payoffs fall short of a zero sum, under plans as in `value`: minus the gains."""
        plans = (plan0, plan1)
        return self.payoff.paid(plan0, plan1) - float(plans[self.player] @ self._gained(plans[1 - self.player]))

    def beyond(self, plan0: F64, plan1: F64) -> tuple[F64, F64]:
        """(sizes,) each, CFVs of the gains alone under two plans (sizes,)."""
        plans = (plan0, plan1)
        gained, none = self._gained(plans[1 - self.player]), np.zeros(len(plans[1 - self.player]))
        return (gained, none) if self.player == 0 else (none, gained)

    def _gained(self, plan: F64) -> F64:
        return self.gains * self.counted.product(self.player, plan)


def along_paths(tree: Treeplex, gained: F64) -> F64:
    """(size,) the sum over the path to each sequence, itself included, of numbers (size,) of single sequences."""
    total, above = gained.copy(), tree.predecessor.copy()
    while (inside := tree.owner[above] >= 0).any():  # up the path, one own action at a time
        total[inside] += gained[above[inside]]
        above[inside] = tree.predecessor[above[inside]]
        above[~inside] = 0
    return total


@dataclass(frozen=True, eq=False)
class OwnPayoffs(GeneralSum):
    """The payoffs of players 0 and 1 on the same treeplexes: each player's CFVs come from their own, of which only that
    side counts. Regret minimisers and best responses take it; the linear program, which needs a saddle point, does not."""

    own: tuple[Leaves, Leaves]

    @property
    def leaves(self) -> tuple[Any, Any]:
        """Each player's side of their own payoff."""
        return self.own[0].leaves[0], self.own[1].leaves[1]

    @property
    def entries(self) -> int:
        return max(one.entries for one in self.own)

    @property
    def largest(self) -> float:
        return max(one.largest for one in self.own)

    def product(self, player: int, plan: AnyArray) -> AnyArray:
        return self.own[player].product(player, plan)

    def value(self, plan0: AnyArray, plan1: AnyArray) -> float:
        return self.own[0].value(plan0, plan1)

    def paid(self, plan0: AnyArray, plan1: AnyArray) -> float:
        """By how much both players' payoffs fall short of a zero sum, under plans as in `value`; below 0 for a surplus."""
        return -float(plan0 @ self.product(0, plan1) + plan1 @ self.product(1, plan0))
