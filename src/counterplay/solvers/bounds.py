"""What both players could reach at best against two plans, in one compiled call: it runs at every check of a solver."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from counterplay.errors import InputError
from counterplay.jit import kernel
from counterplay.leaves.seam import multiply, opened
from counterplay.subgames.subgame import Subgame
from counterplay.treeplex.simd import LANES, pointer
from counterplay.treeplex.sweeps import best_value

_NONE = np.zeros(0)


def bounds(subgame: Subgame, plans: tuple[Any, Any]) -> tuple[float, float]:
    """The values of best answers of players 0 and 1 to each other's plan, each in the player's own chips.

    Beyond a limit the value function is taken as it stands at these plans, which bounds a concave one from above.
    """
    beyond = subgame.beyond(*plans) if subgame.beyond else (_NONE, _NONE)
    return _of(subgame, 0, plans[1], beyond[0]), _of(subgame, 1, plans[0], beyond[1])


def _of(subgame: Subgame, player: int, plan: Any, beyond: Any) -> float:
    tree, leaf, own = subgame.trees[player].arrays, subgame.leaves.leaves[player], subgame.restrictions[player]
    if len(plan) != subgame.trees[1 - player].size:
        raise InputError(f"a plan of {len(plan)} sequences does not fit player {1 - player}")
    plan = np.ascontiguousarray(plan, np.float64)
    cfv = np.empty(subgame.trees[player].size + LANES)
    base = np.concatenate([beyond, np.zeros(LANES)]) if len(beyond) else beyond
    parts = [(own, 1.0)] if own.copy is None else [(own.copy, own.p), (replace(own, p=0.0), 1.0 - own.p)]
    value = 0.0
    for part, weight in parts:
        value += weight * _bound(
            tree.groups, tree.parent, leaf, base, part.keep, part.mix, part.plan, part.p, plan, cfv
        )  # fmt: skip
    return value


@kernel
def _bound(
    groups: Any, parent: Any, leaf: Any, base: Any, keep: Any, mix: Any, model: Any, p: float, plan: Any,
    cfv: Any,
) -> Any:  # fmt: skip
    """The best value against `plan`: with probability p the player is the model, else free within a local restriction.

    cfv: scratch. The caller holds it: an array made here is freed after its last use, which is not that of its pointer.
    """
    at = pointer(cfv)
    multiply(opened(leaf), pointer(base), len(base) > 0, pointer(plan), at)
    value = 0.0
    if p > 0.0:
        for s in range(len(model)):
            value += model[s] * cfv[s]
    free = best_value(pointer(groups), len(groups), pointer(parent), len(keep) > 0, pointer(keep), pointer(mix), at)
    return (1.0 - p) * free + p * value
