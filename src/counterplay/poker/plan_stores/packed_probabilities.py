"""Probabilities of a player in a public tree without padding, as they stand in files: run by run, all boards of a node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from counterplay.arrays import F32, AnyArray
from counterplay.poker.public_tree.hand_treeplex import runs_of
from counterplay.poker.public_tree.public_tree import PublicTree
from counterplay.treeplex.branch_restriction import Numbers


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
