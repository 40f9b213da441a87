"""Plain NumPy twins of the compiled kernels: one loop over infosets, no lanes, no tiles, nothing clever."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay import Minimiser
from counterplay.leaves.matrix import Matrix
from counterplay.problem.subgame import Subgame
from counterplay.treeplex.treeplex import Treeplex

Floats = NDArray[np.float64]
NOTHING = 1e-12


@cache
def infosets(tree: Treeplex) -> list[tuple[int, int, slice]]:
    """Lane, sequence before, own sequences of each infoset, parents first."""
    lanes = [lane for *_, first, count in tree.arrays.groups.tolist() for lane in range(first, first + count)]
    return [(lane, int(tree.arrays.parent[lane]), tree.sequences_of(lane)) for lane in lanes]


@cache
def dense(matrix: Matrix) -> Floats:
    """A payoff in full."""
    rows = matrix.rows
    out = np.zeros((len(rows.start) - 1, len(matrix.columns.start) - 1))
    for r in range(len(out)):
        for k in range(rows.start[r], rows.start[r + 1]):
            out[r, rows.column[k]] += rows.value[k]
    return out


def product(matrix: Matrix, player: int, plan: Floats) -> Floats:
    """CFVs of a player's sequences in that player's own chips."""
    full = dense(matrix)
    return full @ plan if player == 0 else -(full.T @ plan)


def top_down(tree: Treeplex, behaviour: Floats) -> Floats:
    """The plan of a behaviour."""
    plan = np.zeros(tree.size)
    plan[0] = 1.0
    for _, before, own in infosets(tree):
        plan[own] = plan[before] * behaviour[own]
    return plan


def from_plan(tree: Treeplex, plan: Floats) -> Floats:
    """The behaviour of a plan, uniform where it does not come."""
    behaviour = np.zeros(tree.size)
    behaviour[0] = 1.0
    for _, _, own in infosets(tree):
        part = plan[own]
        total = part.sum()
        behaviour[own] = part / total if total > 0.0 else 1.0 / len(part)
    return behaviour


def bottom_up(tree: Treeplex, behaviour: Floats, leaves: Floats) -> Floats:
    """CFVs of all sequences when `behaviour` is played below."""
    cfv = leaves.copy()
    for _, before, own in reversed(infosets(tree)):
        cfv[before] += behaviour[own] @ cfv[own]
    return cfv


def best(tree: Treeplex, leaves: Floats, keep: Floats, mix: Floats) -> Floats:
    """CFVs of all sequences under the best behaviour within a local restriction."""
    cfv = leaves.copy()
    for lane, before, own in reversed(infosets(tree)):
        top = cfv[own].max()
        cfv[before] += keep[lane] * top + mix[own] @ cfv[own] if len(keep) else top
    return cfv


class Twin:
    """Counterfactual regret minimisation by the book, from any state of the compiled one."""

    def __init__(self, subgame: Subgame, method: Minimiser, sides: tuple[Any, Any], done: int) -> None:
        self.subgame, self.method, self.done = subgame, method, done
        self.regret, self.source, self.plan, self.total = (
            [getattr(side, name).copy() for side in sides] for name in ("regret", "source", "plan", "total")
        )

    def behaviour(self, player: int) -> Floats:
        """Regret matching: in proportion to positive regrets, uniform where there are none."""
        source = self.source[player]
        return from_plan(self.subgame.trees[player], np.where(source > NOTHING, source, 0.0))

    def leaves(self, player: int) -> Floats:
        """CFVs at the leaves; a fixed part p of the other player's plan counts p / (1 - p) against the rest."""
        cfv = product(self.subgame.leaves, player, self.plan[1 - player])
        other = self.subgame.restrictions[1 - player]
        if other.p > 0.0:
            cfv += product(self.subgame.leaves, player, other.plan) * other.p / (1.0 - other.p)
        return cfv

    def update(self, player: int, cfv: Floats, t: float) -> None:
        """New regrets, new plan, new average."""
        tree, own_restriction, method = self.subgame.trees[player], self.subgame.restrictions[player], self.method
        behaviour, is_local = self.behaviour(player), own_restriction.is_local
        grow, shrink = _discount(t, method.alpha), _discount(t, method.beta)
        for lane, before, own in reversed(infosets(tree)):
            value = behaviour[own] @ cfv[own]
            new = cfv[own] - value
            cfv[before] += (
                own_restriction.keep[lane] * value + own_restriction.mix[own] @ cfv[own] if is_local else value
            )
            regret = self.regret[player][own] + new
            if method.floor:
                regret = np.maximum(regret, 0.0)
            regret = regret * np.where(regret > 0.0, grow, shrink)
            self.regret[player][own] = regret
            self.source[player][own] = regret + new if method.predictive else regret
        self.plan[player] = top_down(tree, own_restriction.behaviour(tree, self.behaviour(player)))
        self.total[player] += (t + 1.0) ** method.gamma * self.plan[player]

    def advance(self, iterations: int) -> None:
        """Run more iterations."""
        for t in range(self.done + 1, self.done + iterations + 1):
            if self.method.alternating:
                for player in (0, 1):
                    self.update(player, self.leaves(player), float(t))
            else:
                both = self.leaves(0), self.leaves(1)
                for player in (0, 1):
                    self.update(player, both[player], float(t))
        self.done += iterations


def _discount(t: float, exponent: float) -> float:
    return 1.0 if exponent == np.inf else t**exponent / (t**exponent + 1.0)
