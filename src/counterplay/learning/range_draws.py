"""Ranges at a border, drawn: those of random strategies, and Dirichlet draws with holes."""

from __future__ import annotations

import numpy as np

from counterplay.arrays import F64
from counterplay.networks.border_states import BorderRows
from counterplay.subgames.cut_shape import Border
from counterplay.treeplex.sweeps import reach
from counterplay.treeplex.treeplex import Treeplex

Ranges = tuple[F64, F64]
_ALPHAS = (1.0, 1.0, 0.3)
"""Concentrations of random strategies: mostly uniform over all strategies, sometimes nearly pure ones."""
_HOLES = (0.0, 0.3, 0.5, 0.7)
"""Probabilities of a hole."""
_TINY = 1e-12


def draw_played(border: Border, rng: np.random.Generator) -> Ranges:
    """Ranges (size,) of both players under two random strategies."""
    plans = [_random_plan(tree, float(rng.choice(_ALPHAS)), rng) for tree in border.game.trees]
    return border.range(0, plans[0]), border.range(1, plans[1])


def _random_plan(tree: Treeplex, alpha: float, rng: np.random.Generator) -> F64:
    """(size,) the plan of a strategy with Dirichlet probabilities at every infoset."""
    if not tree.lanes:
        return np.ones(tree.size)
    weight = rng.gamma(alpha, size=tree.size) + _TINY
    behaviour = tree.normalised(weight, np.zeros(tree.size))
    behaviour[0] = 1.0
    return np.asarray(reach(tree, behaviour), np.float64)


def draw_with_holes(border: Border, rows: BorderRows, rng: np.random.Generator) -> Ranges:
    """Ranges (size,) drawn state by state, uniformly, with some infosets never reached; each state keeps at least one."""
    found = []
    for player in (0, 1):
        used = rows.spread(player, np.ones(border.sizes[player]))
        weight = (rng.gamma(1.0, size=used.shape) + _TINY) * used
        holes = rng.random(used.shape) < rng.choice(_HOLES, size=(len(used), 1))
        kept = np.where(holes, 0.0, weight)
        empty = kept.sum(axis=1) == 0.0
        kept[empty] = weight[empty]
        found.append(rows.collect(player, kept))
    return found[0], found[1]
