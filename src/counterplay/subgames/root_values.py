"""Alternative values: the opponent's CFVs at the roots of a subtree against the resolver's strategy there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from counterplay.subgames.entry import open_entry
from counterplay.subgames.plan_store import PlanStore
from counterplay.subgames.subtree import Subtree
from counterplay.treeplex.restriction import Restriction
from counterplay.treeplex.sweeps import best

Floats = NDArray[np.float64]


def root_values(subtree: Subtree, plans: PlanStore, profile: bool = False, unit: float = 1.0) -> Floats:
    """(size,) CFVs of the opponent at the roots: chips of the opponent times chance's and the resolver's reach.

    Args:
        subtree: the subtree; only this branch of the plans is read.
        plans: the resolver's strategy, and the opponent's for `profile`.
        profile: the opponent plays their strategy, not a best response.
        unit: divisor of the values.
    """
    me, opponent = subtree.resolver, subtree.opponent
    problem = subtree.gadget_game(open_entry(subtree.size), plans.reach(me), unit)
    tree, theirs = problem.subgame.trees[me], problem.subgame.trees[opponent]
    plan = problem.subgame.restrictions[me].played(tree, problem.taken(me, plans.behaviour(me)))
    cfv = problem.subgame.leaves.product(opponent, plan)
    bound = problem.subgame.restrictions[opponent]
    if profile:
        follows = problem.taken(opponent, plans.behaviour(opponent))
        bound = Restriction.local(theirs, follows, np.ones(theirs.lanes)).within(theirs, bound)
    best(theirs.arrays, bound.keep, bound.mix, cfv, np.zeros(theirs.size))
    return np.asarray(cfv[problem.choices[opponent]], np.float64)
