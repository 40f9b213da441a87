"""Plans of a spot: a plan store with the values of hands at a node; packed probabilities, as they stand in files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np

from counterplay.arrays import F32, F64, AnyArray
from counterplay.poker.public_tree.hand_treeplex import PublicNode, runs_of
from counterplay.poker.public_tree.payoff import ShowdownPayoff
from counterplay.poker.public_tree.public_tree import PublicTree
from counterplay.problem.subgame import two_opponents
from counterplay.solvers.cfr import Progress, Solution, Stop, solve_cfr
from counterplay.solvers.minimiser import Minimiser
from counterplay.subgames.plan_store import ArrayPlans, GamePlans, PlayerPlan
from counterplay.treeplex.restriction import BranchRestriction, Numbers
from counterplay.treeplex.sweeps import values


class SpotPlans(GamePlans, Protocol):
    """Both players' strategies in a spot."""

    @property
    def tree(self) -> PublicTree:
        """The tree of all boards."""

    def solved_against(
        self,
        player: int,
        restriction: BranchRestriction | None,
        p: float,
        method: Minimiser,
        stop: Stop,
        progress: Progress | None = None,
    ) -> tuple[Self, Solution]:
        """The spot solved again from the root, with a player bound by a restriction, if any, in the way these
        strategies are stored, and how the solve ended. A local scope binds with probability p, decided before the game:
        else the player is free; a plan scope has its own probability. Of a player who is bound with a probability below
        1 the strategy does not count."""

    def values_at(self, player: int, part: PublicNode) -> F64:
        """(hands,) CFVs of a player's strategy in a part of the tree, for the hands of its board in the order of
        `boards.Layer`; chips of the player times chance's and the other's reach. NaN where a store has none: for hands that
        are not in the player's range at the start."""

    def action_values_at(self, part: PublicNode) -> F64:
        """(hands, actions) CFVs of the player to act at a node, by action, in the same order and unit."""


@dataclass(frozen=True, eq=False)
class ArraySpotPlans(ArrayPlans):
    """Plans as arrays of the whole public tree."""

    tree: PublicTree

    @staticmethod
    def of_tree(tree: PublicTree, plans: tuple[F64, F64]) -> ArraySpotPlans:
        """The store of the realization plans of oop and ip, (size of tree 0,) and (size of tree 1,)."""
        first, second = (PlayerPlan(runs.tree, plan) for runs, plan in zip(tree.runs, plans, strict=True))
        return ArraySpotPlans(tree.subgame, (first, second), tree)

    def solved_against(
        self,
        player: int,
        restriction: BranchRestriction | None,
        p: float,
        method: Minimiser,
        stop: Stop,
        progress: Progress | None = None,
    ) -> tuple[ArraySpotPlans, Solution]:
        problem = self.tree.subgame
        if restriction is not None:
            whole = restriction.whole(problem.trees[player])
            twice = restriction.trust is not None and p < 1.0
            problem = two_opponents(problem, player, whole, p) if twice else problem.bound(player, whole)
        solution = solve_cfr(problem, method, stop, progress)
        return ArraySpotPlans.of_tree(self.tree, solution.plans), solution

    def values_at(self, player: int, part: PublicNode) -> F64:
        came = self.tree.sequences_to(player, part.node, part.layer)[self._hands(part)]
        return np.asarray(self._cfvs_below(player, part)[came], np.float64)

    def action_values_at(self, part: PublicNode) -> F64:
        tree, player = self.tree, int(self.tree.betting.kind[part.node])
        after = tree.betting.children(part.node)
        if len(after) == 1:  # the only action is no decision, and has no place in the plan
            return self.values_at(player, part)[:, None]
        found, hands = self._cfvs_below(player, part), self._hands(part)
        starts = [int(tree.runs[player].start[child]) for child in after]
        return np.stack(
            [np.asarray(found[start + hands.start : start + hands.stop], np.float64) for start in starts], 1
        )

    def _cfvs_below(self, player: int, part: PublicNode) -> F64:
        """(n,) CFVs of a player's sequences, where only what is below a node pays."""
        tree = self.tree
        payoff = ShowdownPayoff(tree.betting, tree.tables, tree.runs, tree.leaves.unit, part)
        return values(tree.runs[player].tree, self.behaviour(player), payoff.product(player, self.reach(1 - player)))

    def _hands(self, part: PublicNode) -> slice:
        """The places of a board's hands among those of its layer."""
        first = self.tree.boards.layers[part.layer].first
        return slice(int(first[part.board]), int(first[part.board + 1]))


def packed_probabilities(tree: PublicTree, player: int, behaviour: Numbers) -> F32:
    """(sequences,) of a player; one action of one betting node is read after the other."""
    runs = [(0, 1), *runs_of(tree.betting, tree.boards, tree.runs[player])]
    out, done = np.ones(sum(count for _, count in runs), np.float32), 0
    for first, count in runs:
        out[done : done + count] = behaviour[first + np.arange(count)]
        done += count
    return out


def unpacked_choices(tree: PublicTree, player: int, numbers: AnyArray) -> Callable[[int, Any], Any]:
    """For a decision of a player and (n,) lanes of its layer: (actions, n) probabilities of (sequences,) packed ones."""
    runs = tree.runs[player]
    laid = [(0, 1), *runs_of(tree.betting, tree.boards, runs)]
    begin = dict(
        zip((first for first, _ in laid), np.cumsum([0, *(count for _, count in laid)]).tolist(), strict=False)
    )

    def read(node: int, lanes: Any) -> Any:
        children = tree.betting.children(node)
        return np.stack([numbers[begin[int(runs.start[child])] + lanes] for child in children], dtype=np.float64)

    return read
