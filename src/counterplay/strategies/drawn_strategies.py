"""Random strategies of a game in memory, infoset by infoset."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.treeplex import Treeplex

_BY_GAMMA = 0.1
"""The least alpha at which NumPy draws a Dirichlet distribution by gamma variates."""


def by_infoset(tree: Treeplex, row: Callable[[int, slice], F64]) -> F64:
    """(size,) a behaviour made infoset by infoset in the order of the labels, so that seeds mean the same in every
    layout; `row` gets the number of actions and their indices."""
    behaviour = np.zeros(tree.size)
    behaviour[0] = 1.0
    actions = tree.lane_sequences[2]
    for lane in tree.visit_order.tolist():
        where = tree.sequences_of(lane)
        behaviour[where] = row(int(actions[lane]), where)
    return behaviour


def dirichlet(tree: Treeplex, seed: int, alpha: float = 1.0) -> Strategy:
    """Every infoset's probabilities drawn from a symmetric Dirichlet distribution."""
    rng = np.random.default_rng(seed)
    if alpha < _BY_GAMMA:
        return Strategy(tree, by_infoset(tree, lambda n, _: rng.dirichlet(np.full(n, alpha))), {"seed": seed})
    # The same numbers, all drawn at once: each row is as many gamma variates over their sum.
    rows, draws = rows_at_once(tree)
    drawn = rng.standard_gamma(alpha, draws)
    behaviour = np.zeros(tree.size)
    behaviour[0] = 1.0
    for sequences, last in rows:
        n = sequences.shape[1]
        columns = [drawn[last - n + k] for k in range(n)]
        scale = 1.0 / sum(columns)
        for k, column in enumerate(columns):
            behaviour[sequences[:, k]] = column * scale
    return Strategy(tree, behaviour, {"seed": seed})


def rows_at_once(tree: Treeplex, spare: int = 0) -> tuple[list[tuple[I64, I64]], int]:
    """All rows in the order of `by_infoset`, those with equally many actions together: (m, n) their sequences, and (m,)
    where the draws of each end, if a row takes `spare` draws and one an action; and the number of all draws."""
    first, stride, actions = (numbers[tree.visit_order] for numbers in tree.lane_sequences)
    last, rows = np.cumsum(spare + actions), list[tuple[I64, I64]]()
    for n in np.unique(actions).tolist():
        here = actions == n
        rows.append((first[here][:, None] + stride[here][:, None] * np.arange(n), last[here]))
    return rows, int(last[-1]) if len(last) else 0
