"""The running state of counterfactual regret minimisation on one subgame."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from counterplay.errors import InputError
from counterplay.solvers import kernels
from counterplay.solvers.minimiser import Minimiser
from counterplay.subgames.subgame import Subgame
from counterplay.treeplex.memory import zeros
from counterplay.treeplex.restriction import Restriction
from counterplay.treeplex.sweeps import reach
from counterplay.treeplex.treeplex import COUNT, LANE, LANES, Treeplex

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
        # With a value function, each side answers plans that stand still while it is asked.
        self._seen = tuple(side._replace(plan=side.plan.copy()) for side in self.sides[::-1])
        self._constant = tuple(side.base.copy()[: len(side.plan)] for side in self.sides)

    def _side(self, player: int) -> kernels.Side:
        tree, payoff = self.subgame.trees[player], self.subgame.leaves
        own, other = self.subgame.restrictions[player], self.subgame.restrictions[1 - player]
        regret, total, plan = zeros(tree.size), zeros(tree.size), zeros(tree.size)
        shift, lift = np.zeros(0), np.zeros(0)
        if own.copy:
            shift, lift = zeros(tree.size), zeros(tree.lanes)
            shift[:], lift[:] = own.shifts(tree)
            plan[:] = own.played(tree, tree.uniform()) / (1.0 - own.p)
        else:
            plan[:] = reach(tree, own.behaviour(tree, tree.uniform()))
        total[:] = plan
        total[0] = 1.0  # counts the weights
        return kernels.Side(
            groups=tree.arrays.groups,
            parent=tree.arrays.parent,
            leaf=payoff.leaves[player],
            base=self._base(player, other),
            keep=own.keep,
            mix=own.mix,
            bound=_bound(tree, own),
            shift=shift,
            lift=lift,
            regret=regret,
            source=zeros(tree.size) if self.method.predictive else regret,
            scale=zeros(tree.lanes),
            plan=plan,
            total=total,
            cfv=zeros(tree.size + LANES),
        )

    def _base(self, player: int, other: Restriction) -> Floats:
        """The model's part of the other player is constant: with weight p against 1 - p it is a base of the CFVs. Where the
        model has a horizon its part is in the other player's plan instead."""
        fixed = other.p > 0.0 and other.copy is None
        if not fixed and self.subgame.beyond is None:
            return np.zeros(0)
        size = self.subgame.trees[player].size
        base = zeros(size + LANES)
        if fixed:
            base[:size] = self.subgame.leaves.product(player, other.plan) * (other.p / (1.0 - other.p))
        return base

    def advance(self, iterations: int) -> None:
        """Run more iterations."""
        if self.subgame.beyond is None:
            kernels.advance(*self.sides, self.schedule, self.done, iterations)
            self.done += iterations
            return
        for _ in range(iterations):
            self.done += 1
            if not self.method.alternating:
                self._ask((0, 1))
            for player in (0, 1):
                if self.method.alternating:
                    self._ask((player,))
                kernels.advance_one(self.sides[player], self._seen[player], self.schedule, self.done)

    def _ask(self, players: tuple[int, ...]) -> None:
        """Ask the value function beyond the limit, and put what it says into the bases of these players."""
        beyond = self.subgame.beyond
        if beyond is None:
            return
        plans = self.current()
        cfvs = beyond(*plans)
        for player in players:
            size, other = self.subgame.trees[player].size, self.subgame.restrictions[1 - player]
            if not np.isfinite(cfvs[player]).all():
                raise InputError("the value function returned something that is no number")
            side = self.sides[player]
            side.base[:size] = self._constant[player] + cfvs[player] / (1.0 - other.p)
            self._seen[player].plan[:] = self.sides[1 - player].plan

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

    def _played(self, player: int, plan: Floats) -> Floats:
        restriction = self.subgame.restrictions[player]
        if restriction.copy:
            plan = plan * (1.0 - restriction.p)
        elif restriction.p > 0.0:
            plan = restriction.p * restriction.plan + (1.0 - restriction.p) * plan
        plan[0] = 1.0
        return plan


def _bound(tree: Treeplex, own: Restriction) -> int:
    """How many of the first groups a local restriction binds: ranges, for one, bind only the first."""
    if not own.is_local:
        return 0
    groups = tree.arrays.groups[:, [LANE, COUNT]].tolist()
    bound = [(own.keep[lane : lane + count] != 1.0).any() for lane, count in groups]
    return max((k for k, some in enumerate(bound, 1) if some), default=0)
