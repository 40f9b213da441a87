"""Behaviours of a solved board, computed for the sequences that are asked for.

The rest of a hand on a turn has millions of sequences, of which a decision reads some thousand.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.lookahead.resolver import ResolvedSubtree
from counterplay.problem.subgame import Subgame
from counterplay.subgames.plan_store import ArrayPlans
from counterplay.treeplex.branch_restriction import Numbers
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.treeplex import ACTIONS, LANE, OFFSET, WIDTH, Treeplex


class _Places:
    """The position of sequences in a treeplex: the first of each one's siblings, their distance and number, their parent."""

    def __init__(self, tree: Treeplex, sequences: I64) -> None:
        groups = tree.arrays.groups
        group = groups[np.maximum(np.searchsorted(groups[:, OFFSET], sequences, "right") - 1, 0)]
        self.stride, self.actions = group[:, WIDTH], group[:, ACTIONS]
        lane = (sequences - group[:, OFFSET]) % self.stride
        self.first = group[:, OFFSET] + lane
        self.parent = np.where(sequences > 0, tree.arrays.parent[group[:, LANE] + lane], 0).astype(np.int64)


@dataclass(frozen=True, eq=False)
class SolvedBehaviour:
    """What `ResolvedSubtree.splice` gives, sequence by sequence, where the sequences of the solution are those of the whole
    tree moved by an offset.

    Attributes:
        found: the solution.
        player: whose behaviour.
        before: the behaviour where the solution does not come.
    """

    found: ResolvedSubtree
    player: int
    before: Numbers

    def __getitem__(self, sequences: Any) -> F64:
        inner: Any
        outer: Any
        inner, outer = self.found.game.pairs(self.player)
        tree, bound = self.found.subgame.trees[self.player], self.found.subgame.restrictions[self.player]
        plan = self.found.solution.plans[self.player]
        asked = _listed(sequences, outer.stop)
        out, known = np.zeros(len(asked)), np.zeros(len(asked), np.bool_)
        inside = np.flatnonzero(asked >= outer.start)
        here = asked[inside] + (inner.start - outer.start)
        at, total, own = _Places(tree, here), np.zeros(len(here)), np.zeros(len(here))
        for action in range(int(at.actions.max(initial=0))):
            one = np.minimum(at.first + action * at.stride, tree.size - 1)
            reach = np.asarray(plan[one], np.float64)
            if bound.p > 0.0:
                reach = reach - bound.p * bound.plan[one]
            total += np.where(action < at.actions, np.maximum(reach, 0.0), 0.0)
            own += np.where(one == here, np.maximum(reach, 0.0), 0.0)
        chosen = np.divide(own, total, out=1.0 / at.actions, where=total > 0.0)
        comes = plan[at.parent] > 0.0
        out[inside[comes]], known[inside[comes]] = chosen[comes], True
        if not known.all():
            out[~known] = self.before[asked[~known]]
        return out


@dataclass(frozen=True, eq=False)
class ChangedBehaviour:
    """A behaviour with other probabilities at some sequences.

    Attributes:
        before: the behaviour.
        sequences: (n,) where it changes, in ascending order.
        values: (n,) its probabilities there.
        size: number of all sequences.
    """

    before: Numbers
    sequences: I64
    values: F64
    size: int

    @staticmethod
    def of(before: Numbers, sequences: I64, values: F64, size: int) -> ChangedBehaviour:
        """With (n,) sequences in any order, and their (n,) probabilities."""
        order = np.argsort(sequences)
        return ChangedBehaviour(before, sequences[order], values[order], size)

    def __getitem__(self, sequences: Any) -> F64:
        asked = _listed(sequences, self.size)
        out = np.array(self.before[asked], np.float64)
        at = np.minimum(np.searchsorted(self.sequences, asked), len(self.sequences) - 1)
        changed = self.sequences[at] == asked
        out[changed] = self.values[at[changed]]
        return out


@dataclass(frozen=True, eq=False)
class SolvedPlan:
    """The realization plan of a behaviour, sequence by sequence.

    Attributes:
        tree: the treeplex.
        behaviour: the behaviour.
    """

    tree: Treeplex
    behaviour: Numbers

    def __getitem__(self, sequences: Any) -> F64:
        now = _listed(sequences, self.tree.size)
        out = np.ones(len(now))
        while now.any():
            inside = now > 0
            out[inside] *= self.behaviour[now[inside]]
            now = np.where(inside, _Places(self.tree, now).parent, 0)
        return out


@dataclass(frozen=True, eq=False)
class SolvedPlans:
    """Both players' behaviours on a board as a `PlanStore`.

    Attributes:
        subgame: the whole tree as one problem.
        behaviours: of players 0 and 1.
    """

    subgame: Subgame
    behaviours: tuple[Numbers, Numbers]

    def knows(self, player: int) -> bool:  # noqa: ARG002 - as in the protocol
        """True."""
        return True

    def behaviour(self, player: int) -> Numbers:
        """The behaviour of a player."""
        return self.behaviours[player]

    def reach(self, player: int) -> Numbers:
        """The plan of a player."""
        return SolvedPlan(self.subgame.trees[player], self.behaviours[player])

    def cfvs(self, player: int) -> Numbers:
        """CFVs of a player's best response, for gifts; these need the whole of the other's strategy."""
        tree = self.subgame.trees[1 - player]
        given = ArrayPlans.of(self.subgame, Strategy(tree, np.asarray(self.behaviours[1 - player][:])))
        return given.cfvs(player)


def _listed(sequences: Any, size: int) -> I64:
    """(n,) sequences that are given as an array or a slice."""
    if isinstance(sequences, slice):
        return np.arange(*sequences.indices(size))
    return np.asarray(sequences, np.int64)
