"""The running state of counterfactual regret minimisation on one subgame."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from counterplay.errors import InputError
from counterplay.solvers import kernels
from counterplay.solvers.minimiser import Minimiser
from counterplay.subgames.subgame import Subgame
from counterplay.treeplex.memory import zeros
from counterplay.treeplex.sweeps import reach
from counterplay.treeplex.treeplex import LANES

Floats = NDArray[np.float64]


class Iterates:
    """The running state of CFR on a subgame: `advance` it, read the average or the current plans."""

    def __init__(self, subgame: Subgame, method: Minimiser) -> None:
        if any(restriction.p == 1.0 for restriction in subgame.restrictions):
            raise InputError("against a model with p = 1 there is nothing to iterate: the answer is a best response")
        self.subgame, self.method = subgame, method
        self.done = 0
        self.schedule = kernels.Schedule(
            method.floor, method.predictive, method.alpha, method.beta, method.gamma, method.alternating
        )
        self.sides = (self._side(0), self._side(1))

    def _side(self, player: int) -> kernels.Side:
        tree, payoff = self.subgame.trees[player], self.subgame.leaves
        own, other = self.subgame.restrictions[player], self.subgame.restrictions[1 - player]
        # The model's part of the other player is constant: with weight p against 1 - p it is a base of the CFVs.
        base = np.zeros(0)
        if other.p > 0.0:
            base = zeros(tree.size + LANES)
            base[: tree.size] = payoff.product(player, other.plan) * (other.p / (1.0 - other.p))
        regret, plan, total = zeros(tree.size), zeros(tree.size), zeros(tree.size)
        plan[:] = total[:] = reach(tree, own.behaviour(tree, tree.uniform()))
        return kernels.Side(
            groups=tree.arrays.groups,
            parent=tree.arrays.parent,
            leaf=payoff.leaves[player],
            base=base,
            keep=own.keep,
            mix=own.mix,
            regret=regret,
            source=zeros(tree.size) if self.method.predictive else regret,
            scale=zeros(tree.lanes),
            plan=plan,
            total=total,
            cfv=zeros(tree.size + LANES),
        )

    def advance(self, iterations: int) -> None:
        """Run more iterations."""
        kernels.advance(*self.sides, self.schedule, self.done, iterations)
        self.done += iterations

    def _played(self, player: int, plan: Floats) -> Floats:
        restriction = self.subgame.restrictions[player]
        return restriction.p * restriction.plan + (1.0 - restriction.p) * plan if restriction.p > 0.0 else plan

    def average(self) -> tuple[Floats, Floats]:
        """The weighted average of the plans that the iterations so far played, the first being uniform; that one before
        the first iteration."""
        if self.done == 0:
            return self.current()
        ahead = float(self.done + 1) ** self.method.gamma  # the current plan is in the sum, and not yet played
        first, second = (
            self._played(i, (side.total - ahead * side.plan) / (side.total[0] - ahead))
            for i, side in enumerate(self.sides)
        )
        return first, second

    def current(self) -> tuple[Floats, Floats]:
        """The last played plans."""
        first, second = (self._played(i, side.plan.copy()) for i, side in enumerate(self.sides))
        return first, second
