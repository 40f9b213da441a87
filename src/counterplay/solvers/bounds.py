"""What both players could reach at best against two plans, in one compiled call: it runs at every check of a solver."""

from __future__ import annotations

from typing import Any

import numpy as np

from counterplay.errors import InputError
from counterplay.jit import kernel
from counterplay.leaves.product import Leaf, multiply
from counterplay.subgames.subgame import Subgame
from counterplay.treeplex.simd import LANES, pointer
from counterplay.treeplex.sweeps import best_value


def bounds(subgame: Subgame, plans: tuple[Any, Any]) -> tuple[float, float]:
    """The values of best answers of players 0 and 1 to each other's plan, each in the player's own chips."""
    return _of(subgame, 0, plans[1]), _of(subgame, 1, plans[0])


def _of(subgame: Subgame, player: int, plan: Any) -> float:
    tree, leaf, own = subgame.trees[player].arrays, subgame.leaves.leaves[player], subgame.restrictions[player]
    if len(plan) != subgame.trees[1 - player].size:
        raise InputError(f"a plan of {len(plan)} sequences does not fit player {1 - player}")
    plan, size = np.ascontiguousarray(plan, np.float64), subgame.trees[player].size
    value: float = _bound(
        tree.groups, tree.parent, leaf.numbers, leaf.values, own.keep, own.mix, own.plan, own.p, plan, size
    )
    return value


@kernel
def _bound(
    groups: Any, parent: Any, numbers: Any, values: Any, keep: Any, mix: Any, model: Any, p: float, plan: Any, size: int
) -> Any:
    """The best value against `plan`: with probability p the player is the model, else free within a local restriction."""
    cfv = np.empty(size + LANES)
    at = pointer(cfv)
    multiply(Leaf(pointer(numbers), pointer(values)), at, size < 0, pointer(plan), at)  # nothing is added
    value = 0.0
    if p > 0.0:
        for s in range(size):
            value += model[s] * cfv[s]
    free = best_value(pointer(groups), len(groups), pointer(parent), len(keep) > 0, pointer(keep), pointer(mix), at)
    return (1.0 - p) * free + p * value
